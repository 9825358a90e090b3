// Time, injected: nothing in the server reads the wall clock or sets a timer except through this.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `action` once after `delayMs`; the answer cancels it. Does not keep the process alive. */
  after(delayMs: number, action: () => void): () => void
  /** Runs `action` every `intervalMs`; the answer ends it. Does not keep the process alive. */
  every(intervalMs: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
  every(intervalMs, action) {
    const timer = setInterval(action, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
