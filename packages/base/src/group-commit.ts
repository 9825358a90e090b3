// Writes that arrive together are done together: one batch is under way at a time, and those that arrive meanwhile form
// the next one. A single write never waits; ten thousand cost a few statements.

export interface GroupCommitOptions<In> {
  /** Items in one batch. */
  readonly most: number
  /** Items with the same key are never in one batch: the later one follows in a later batch. */
  readonly keyOf: (item: In) => string
}

interface Waiting<In, Out> {
  readonly item: In
  readonly resolve: (result: Out) => void
  readonly reject: (error: unknown) => void
}

export class GroupCommit<In, Out> {
  readonly #write: (items: readonly In[]) => Promise<readonly Out[]>
  readonly #options: GroupCommitOptions<In>
  #waiting: Waiting<In, Out>[] = []
  #isWriting = false

  /** @param write resolves with one result for each item, in their order; what it rejects with, each item rejects with */
  constructor(write: (items: readonly In[]) => Promise<readonly Out[]>, options: GroupCommitOptions<In>) {
    this.#write = write
    this.#options = options
  }

  /** Resolves with the result of this item. */
  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isWriting) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isWriting = true
    // Others of this turn of the event loop come into the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      try {
        const results = await this.#write(batch.map(({ item }) => item))
        if (results.length !== batch.length) throw new Error('a batch must have one result for each item')
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Out)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }

  #take(): Waiting<In, Out>[] {
    const { most, keyOf } = this.#options
    const batch = new Map<string, Waiting<In, Out>>()
    const later: Waiting<In, Out>[] = []
    for (const waiting of this.#waiting) {
      const key = keyOf(waiting.item)
      if (batch.size < most && !batch.has(key)) batch.set(key, waiting)
      else later.push(waiting)
    }
    this.#waiting = later
    return [...batch.values()]
  }
}
