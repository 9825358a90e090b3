// Time as the connection sees it, so that tests can move it by hand.

/** A running timer. Cancelling twice is harmless. */
export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Calls `run` once after `delayMs`. */
  after(delayMs: number, run: () => void): Timer
  /** Seconds since the epoch, for the validity of certificates. */
  epochSeconds(): number
}

/** The real clock. Its timers do not keep the process alive: the sockets do. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
  epochSeconds: () => Math.floor(Date.now() / 1000),
}
