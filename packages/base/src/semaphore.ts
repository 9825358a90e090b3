// A bound on how many tasks run at once, and on how many wait: expensive work cannot take over the machine, and a flood
// of it is refused instead of queued without end.

export class Semaphore {
  readonly #permits: number
  readonly #queueLimit: number
  readonly #waiting: (() => void)[] = []
  #held = 0

  /**
   * @param permits tasks that run at once
   * @param queueLimit tasks that may wait for a permit
   */
  constructor(permits: number, queueLimit: number) {
    this.#permits = permits
    this.#queueLimit = queueLimit
  }

  /** Whether nothing runs and nothing waits. */
  get idle(): boolean {
    return this.#held === 0
  }

  /**
   * Waits for a permit, first come, first served.
   * @returns releases the permit (calling it twice is harmless); undefined at once when the queue is full
   */
  acquire(): Promise<() => void> | undefined {
    if (this.#held < this.#permits) {
      this.#held += 1
      return Promise.resolve(this.#releaser())
    }
    if (this.#waiting.length >= this.#queueLimit) return undefined
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.#releaser())))
  }

  /**
   * Runs `task` with a permit.
   * @returns what the task resolves with; undefined at once when the queue is full
   */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    const acquired = this.acquire()
    if (acquired === undefined) return undefined
    const release = await acquired
    try {
      return await task()
    } finally {
      release()
    }
  }

  /** A released permit passes to the first in the queue. */
  #releaser(): () => void {
    let released = false
    return () => {
      if (released) return
      released = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#held -= 1
    }
  }
}
