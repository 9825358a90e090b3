// A few at a time, a few more waiting, the rest turned away: keeps expensive checks from taking over the machine.

export class Turns {
  readonly #atOnce: number
  readonly #waitingLimit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, waitingLimit: number) {
    this.#atOnce = atOnce
    this.#waitingLimit = waitingLimit
  }

  /** Runs `task` when its turn comes; answers undefined at once when too many wait already. */
  async take<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#running < this.#atOnce) this.#running += 1
    else if (this.#waiting.length < this.#waitingLimit) await new Promise<void>((go) => this.#waiting.push(go))
    else return undefined
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
