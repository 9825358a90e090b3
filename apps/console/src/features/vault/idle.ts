// Calls back after some minutes without input. By the wall clock, because timers stand still while a computer sleeps.

export interface IdleParts {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly later: (work: () => void, delayMs: number) => () => void
  readonly onIdle: () => void
}

export interface IdleWatch {
  /** Starts anew. @param minutes 0: never idle */
  start(minutes: number): void
  stop(): void
  /** There was input. Input after the time is up comes too late. */
  touch(): void
}

export function createIdleWatch({ now, later, onIdle }: IdleParts): IdleWatch {
  let limitMs = 0
  let touched = 0
  let cancel = (): void => {}

  function check(): void {
    cancel()
    if (limitMs === 0) return
    const left = touched + limitMs - now()
    if (left > 0) cancel = later(check, left)
    else {
      limitMs = 0
      onIdle()
    }
  }

  return {
    start(minutes) {
      limitMs = minutes * 60_000
      touched = now()
      check()
    },
    stop() {
      cancel()
      limitMs = 0
    },
    touch() {
      if (limitMs === 0) return
      if (now() - touched >= limitMs) check()
      else touched = now()
    },
  }
}
