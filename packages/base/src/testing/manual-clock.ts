// A clock for tests, which moves when the test says so.
import type { Clock } from '../clock.ts'

interface Timer {
  at: number
  readonly intervalMs: number | undefined
  readonly action: () => void
}

export class ManualClock implements Clock {
  #epochMs: number
  #elapsed = 0
  readonly #timers = new Set<Timer>()

  /** @param epochMs what `now` starts at, in milliseconds since the epoch */
  constructor(epochMs = Date.parse('2026-11-20T10:00:00Z')) {
    this.#epochMs = epochMs
  }

  now(): number {
    return this.#epochMs + this.#elapsed
  }

  /** Starts at 0. */
  monotonic(): number {
    return this.#elapsed
  }

  after(delayMs: number, action: () => void): () => void {
    return this.#add(delayMs, undefined, action)
  }

  every(intervalMs: number, action: () => void): () => void {
    return this.#add(intervalMs, intervalMs, action)
  }

  /** Timers that are still to fire. */
  get pending(): number {
    return this.#timers.size
  }

  /** Sets the clock by some milliseconds, back or forth; no time passes. */
  step(ms: number): void {
    this.#epochMs += ms
  }

  /** Moves time forward and runs what falls due, in order. An interval fires once, however often it fell due. */
  advance(ms: number): void {
    const end = this.#elapsed + ms
    for (let due = this.#due(end); due; due = this.#due(end)) this.#fire(due, end)
    this.#elapsed = end
  }

  /** As `advance`, with the event loop running before the first timer and after each. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#elapsed + ms
    await turn()
    for (let due = this.#due(end); due; due = this.#due(end)) {
      this.#fire(due, end)
      await turn()
    }
    this.#elapsed = end
  }

  #add(delayMs: number, intervalMs: number | undefined, action: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, delayMs), intervalMs, action }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  #due(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
  }

  #fire(timer: Timer, end: number): void {
    this.#elapsed = Math.max(this.#elapsed, timer.at)
    if (timer.intervalMs === undefined) this.#timers.delete(timer)
    else timer.at += timer.intervalMs * Math.ceil((end + 1 - timer.at) / timer.intervalMs)
    timer.action()
  }
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
