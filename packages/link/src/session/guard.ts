// Guarded calls into the owner's code: whatever a callback throws is reported once and goes no further.
export class Guard {
  readonly #report: (error: unknown, callback: string) => void

  /** @param report called with what was thrown and by which callback; its own throws are dropped */
  constructor(report: (error: unknown, callback: string) => void) {
    this.#report = report
  }

  /** Returns the callback's result, or undefined when it threw. */
  ask<T>(callback: string, run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      this.#notify(error, callback)
      return undefined
    }
  }

  /** Runs the callback; false when it threw. */
  call(callback: string, run: () => void): boolean {
    return this.ask(callback, () => (run(), true)) ?? false
  }

  /** Runs the callback after the current one, in the order of the calls to this function. */
  later(callback: string, run: () => void): void {
    queueMicrotask(() => this.ask(callback, run))
  }

  #notify(error: unknown, callback: string): void {
    try {
      this.#report(error, callback)
    } catch {
      // The reporter itself failed; there is nowhere left to report to.
    }
  }
}
