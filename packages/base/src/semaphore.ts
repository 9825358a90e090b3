// A bound on how many tasks run at once, and on how many wait: expensive work cannot take over the machine, and a flood
// of it is refused instead of queued without end. Where several sources share it, their waiting tasks are served
// round-robin, and a full queue evicts a task of the source with the most waiting: no source keeps the others out. For
// queues of up to some hundred sources: each eviction scans them.

/** @param release undefined: evicted */
type Waiter = (release: (() => void) | undefined) => void

export class Semaphore {
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
   * Waits for a permit; tasks of one source get theirs in order.
   * @param signal aborted when nobody wants the result any more: the task leaves the queue
   * @returns releases the permit (calling it twice is harmless); undefined when the queue is full or the task is evicted
   *   or aborted
   */
  acquire(source = '', signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined)
    if (this.#held < this.#permits) {
      this.#held += 1
      return Promise.resolve(this.#releaser())
    }
    if (this.#waiting >= this.#queueLimit && !this.#evictFor(source)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const leave = (): void => this.#leave(source, waiter)
      const waiter: Waiter = (release) => {
        signal?.removeEventListener('abort', leave)
        resolve(release)
      }
      signal?.addEventListener('abort', leave)
      const waiters = this.#sources.get(source) ?? []
      this.#sources.set(source, waiters)
      waiters.push(waiter)
      this.#waiting += 1
    })
  }

  /**
   * Runs `task` with a permit.
   * @returns what the task resolves with; undefined when the queue is full or the task is evicted
   */
  async run<T>(task: () => Promise<T>, source = ''): Promise<T | undefined> {
    const release = await this.acquire(source)
    if (!release) return undefined
    try {
      return await task()
    } finally {
      release()
    }
  }

  /** Evicts the newest task of the source with the most waiting. @returns false when `source` has no fewer itself */
  #evictFor(source: string): boolean {
    let longest: Waiter[] = []
    for (const waiters of this.#sources.values()) if (waiters.length > longest.length) longest = waiters
    const own = this.#sources.get(source)?.length ?? 0
    if (own + 1 >= longest.length) return false
    this.#waiting -= 1
    longest.pop()?.(undefined)
    return true
  }

  #leave(source: string, waiter: Waiter): void {
    const others = this.#sources.get(source)?.filter((one) => one !== waiter) ?? []
    if (others.length > 0) this.#sources.set(source, others)
    else this.#sources.delete(source)
    this.#waiting -= 1
    waiter(undefined)
  }

  /** Takes the next waiter: of the source whose turn it is, which then goes to the end. */
  #next(): Waiter | undefined {
    for (const [source, waiters] of this.#sources) {
      const waiter = waiters.shift()
      this.#sources.delete(source)
      if (waiters.length > 0) this.#sources.set(source, waiters)
      this.#waiting -= 1
      return waiter
    }
    return undefined
  }

  /** A released permit passes to the next waiter. */
  #releaser(): () => void {
    let released = false
    return () => {
      if (released) return
      released = true
      const next = this.#next()
      if (next) next(this.#releaser())
      else this.#held -= 1
    }
  }
}
