// Calls into the owner's code. Whatever it throws is reported once and goes no further.
export class Guard {
  readonly #report: (error: unknown, callback: string) => void

  /** @param report told what was thrown and by which callback; a throw of its own is dropped */
  constructor(report: (error: unknown, callback: string) => void) {
    this.#report = report
  }

  /** What the callback returns, or undefined when it threw. */
  ask<T>(callback: string, run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      this.#tell(error, callback)
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

  #tell(error: unknown, callback: string): void {
    try {
      this.#report(error, callback)
    } catch {
      // There is nobody left to tell.
    }
  }
}
