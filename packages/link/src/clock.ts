// Time as the link sees it: a monotonic reading and one-shot timers, injected so that tests own them.

/** A source of time. Milliseconds everywhere; `now` never goes backwards. */
export interface LinkClock {
  now(): number
  /** Runs `run` once after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

/** The process's own monotonic clock and timers. */
export const systemClock: LinkClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
