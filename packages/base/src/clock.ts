// Time, injected: code that reads it or sets a timer takes a Clock, so that its tests own time.

/** A source of time. Milliseconds everywhere. */
export interface Clock {
  /** Milliseconds since the epoch; jumps when the machine's clock is set. */
  now(): number
  /** Milliseconds of a clock that never goes backwards; its zero means nothing. For durations. */
  monotonic(): number
  /**
   * Runs `action` once after `delayMs`.
   * @returns cancel; harmless when called late or twice
   */
  after(delayMs: number, action: () => void): () => void
  /**
   * Runs `action` every `intervalMs`.
   * @returns cancel
   */
  every(intervalMs: number, action: () => void): () => void
}

function createClock(keepsProcessAlive: boolean): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(delayMs, action) {
      const timer = setTimeout(action, delayMs)
      if (!keepsProcessAlive) timer.unref()
      return () => clearTimeout(timer)
    },
    every(intervalMs, action) {
      const timer = setInterval(action, intervalMs)
      if (!keepsProcessAlive) timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** Its timers do not keep the process alive. For servers, whose sockets do. */
export const systemClock: Clock = createClock(false)

/** Its timers keep the process alive. For a client that may hold nothing but the timer of its next attempt. */
export const foregroundClock: Clock = createClock(true)
