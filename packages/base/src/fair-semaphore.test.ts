import { describe, expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

/** Acquires `count` permits for a source; `granted` and `evicted` fill in as they are. */
function acquire(semaphore: FairSemaphore, source: string, count: number, granted: string[]) {
  const releases: (() => void)[] = []
  const evicted: number[] = []
  for (let index = 0; index < count; index += 1) {
    void semaphore.acquire(source).then((release) => {
      if (!release) return evicted.push(index)
      granted.push(source)
      return releases.push(release)
    })
  }
  return { releases, evicted }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('fair semaphore', () => {
  test('grants waiting sources their permits by turns', async () => {
    const semaphore = new FairSemaphore(1, 100)
    const granted: string[] = []
    const flood = acquire(semaphore, 'flood', 5, granted)
    const honest = acquire(semaphore, 'honest', 2, granted)
    for (let round = 0; round < 7; round += 1) {
      await settled()
      ;(flood.releases.shift() ?? honest.releases.shift())?.()
    }
    expect(granted).toEqual(['flood', 'flood', 'honest', 'flood', 'honest', 'flood', 'flood'])
    expect(semaphore.idle).toBe(true)
  })

  test('evicts the newest task of the source with the most waiting when the queue is full', async () => {
    const semaphore = new FairSemaphore(1, 4)
    const granted: string[] = []
    const flood = acquire(semaphore, 'flood', 5, granted)
    const honest = acquire(semaphore, 'honest', 1, granted)
    await settled()
    expect(flood.evicted).toEqual([4])
    flood.releases[0]?.()
    await settled()
    flood.releases[1]?.()
    await settled()
    expect(honest.releases).toHaveLength(1)
  })

  test('refuses a source that has as many waiting as any other when the queue is full', async () => {
    const semaphore = new FairSemaphore(1, 4)
    const { evicted } = acquire(semaphore, 'flood', 7, [])
    await settled()
    expect(evicted).toEqual([5, 6])
  })

  test('counts a permit that is released twice once', async () => {
    const semaphore = new FairSemaphore(1, 4)
    const granted: string[] = []
    const { releases } = acquire(semaphore, 'one', 3, granted)
    await settled()
    releases[0]?.()
    releases[0]?.()
    await settled()
    expect(granted).toHaveLength(2)
  })
})
