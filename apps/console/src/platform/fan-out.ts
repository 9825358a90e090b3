// Applies one call to many items with limited concurrency and collects the failures.

export interface Failed<T> {
  readonly item: T
  readonly error: unknown
}

/** Browsers open about six connections per host; the rest are left for other requests. */
const AT_ONCE = 4

/**
 * Calls `work` for each item.
 * @param onDone called after each, with how many are done
 * @returns what failed, in the order of the items
 */
export async function fanOut<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  onDone: (count: number) => void = () => {},
): Promise<Failed<T>[]> {
  const failed = new Map<number, Failed<T>>()
  const queue = [...items.entries()]
  let done = 0
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, item] = next
      await work(item).catch((error: unknown) => failed.set(index, { item, error }))
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return [...failed.entries()].sort(([a], [b]) => a - b).map(([, failure]) => failure)
}
