// Work that is triggered often and done once: wake-ups during a pass coalesce into one more.

export class BackgroundLoop {
  readonly #pass: () => Promise<void>
  #again = false
  #running: Promise<void> | undefined
  #stopped = false

  /** @param pass does all the work there is. Must not reject: what fails is logged or retried where it is known why. */
  constructor(pass: () => Promise<void>) {
    this.#pass = pass
  }

  /** Runs a pass, after the one that runs now if there is one. Without effect once stopped. */
  wake(): void {
    this.#again = true
    if (this.#stopped) return
    this.#running ??= this.#untilNothingIsLeft()
  }

  /** Resolves when all the work that there was has been done, or has failed. */
  async settled(): Promise<void> {
    await this.#running
  }

  /** No further pass begins. Resolves when the one that runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #untilNothingIsLeft(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await this.#pass()
      }
    } finally {
      // In the same turn as the last look: a wake-up must not fall between.
      this.#running = undefined
    }
  }
}
