// Applies one call to many items with limited concurrency and collects the failures.
import { Semaphore } from '@bowline/base/semaphore'

export interface Failed<T> {
  readonly item: T
  readonly error: unknown
}

/** Browsers open about six connections per host; the rest are left for other requests. */
const MAX_CONCURRENT = 4

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
  const semaphore = new Semaphore(MAX_CONCURRENT, items.length)
  let done = 0
  const failures = await Promise.all(
    items.map((item) =>
      semaphore.run(async () => {
        const failure = await work(item).then(
          () => undefined,
          (error: unknown) => ({ item, error }),
        )
        done += 1
        onDone(done)
        return failure
      }),
    ),
  )
  return failures.filter((failure) => failure !== undefined)
}
