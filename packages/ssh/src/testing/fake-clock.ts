// A clock that moves when the test says so.
import type { Clock, Timer } from '../clock.ts'

interface Planned {
  readonly at: number
  readonly run: () => void
}

export class FakeClock implements Clock {
  #now = 0
  readonly #planned = new Set<Planned>()
  /** 2026-11-20T00:00:00Z. */
  epoch = 1_795_132_800

  now(): number {
    return this.#now
  }

  epochSeconds(): number {
    return this.epoch + Math.floor(this.#now / 1_000)
  }

  after(delayMs: number, run: () => void): Timer {
    const planned = { at: this.#now + delayMs, run }
    this.#planned.add(planned)
    return { cancel: () => void this.#planned.delete(planned) }
  }

  /** Timers that would still fire. */
  get pending(): number {
    return this.#planned.size
  }

  /** Moves time forward and runs what falls due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#planned].filter((planned) => planned.at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#planned.delete(due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
    }
    this.#now = end
  }
}
