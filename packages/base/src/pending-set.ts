// Background promises, tracked so that a shutdown can wait for them.

export class PendingSet {
  readonly #failed: (error: unknown) => void
  readonly #settled: () => void
  readonly #pending = new Set<Promise<void>>()

  /**
   * @param failed called with what a tracked promise rejects with
   * @param settled called after each that has settled
   */
  constructor(failed: (error: unknown) => void, settled: () => void = () => undefined) {
    this.#failed = failed
    this.#settled = settled
  }

  get size(): number {
    return this.#pending.size
  }

  /** Keeps a promise until it settles. */
  track(work: Promise<void>): void {
    const tracked = work.catch(this.#failed).finally(() => {
      this.#pending.delete(tracked)
      this.#settled()
    })
    this.#pending.add(tracked)
  }

  /** Resolves when everything tracked, also meanwhile, has settled. */
  async drain(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }
}
