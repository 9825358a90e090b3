// A bound on how many tasks run at once that many sources share: waiting tasks are served round-robin by source,
// and a full queue evicts a task of the source with the most waiting, so that no source can keep the others out. For
// small queues: with a full one, each new task scans all waiting sources.

interface Waiter {
  /** @param release undefined: evicted */
  resolve(release: (() => void) | undefined): void
}

export class FairSemaphore {
  readonly #permits: number
  readonly #queueLimit: number
  /** Waiters by source; sources in the order of their turns. */
  readonly #sources = new Map<string, Waiter[]>()
  #waiting = 0
  #held = 0

  /**
   * @param permits tasks that run at once
   * @param queueLimit tasks of all sources together that may wait for a permit
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
   * Waits for a permit.
   * @returns releases the permit (calling it twice is harmless); undefined when the queue is full or the task is evicted
   */
  acquire(source: string): Promise<(() => void) | undefined> {
    if (this.#held < this.#permits) {
      this.#held += 1
      return Promise.resolve(this.#releaser())
    }
    if (this.#waiting >= this.#queueLimit && !this.#evictFor(source)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const waiters = this.#sources.get(source) ?? []
      this.#sources.set(source, waiters)
      waiters.push({ resolve })
      this.#waiting += 1
    })
  }

  /** Evicts the newest task of the source with the most waiting. @returns false when `source` has no fewer itself */
  #evictFor(source: string): boolean {
    let longest: [string, Waiter[]] | undefined
    for (const entry of this.#sources) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry
    const own = this.#sources.get(source)?.length ?? 0
    if (!longest || own + 1 >= longest[1].length) return false
    const evicted = longest[1].pop()
    this.#waiting -= 1
    evicted?.resolve(undefined)
    return true
  }

  /** Takes the next waiter: of the source whose turn it is, which then goes to the end. */
  #next(): Waiter | undefined {
    for (const [source, waiters] of this.#sources) {
      const waiter = waiters.shift()
      this.#sources.delete(source)
      if (waiters.length > 0) this.#sources.set(source, waiters)
      if (waiter) this.#waiting -= 1
      return waiter
    }
    return undefined
  }

  #releaser(): () => void {
    let released = false
    return () => {
      if (released) return
      released = true
      const next = this.#next()
      if (next) next.resolve(this.#releaser())
      else this.#held -= 1
    }
  }
}
