import { describe, expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

/** Runs the reactions of promises that have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('runs only as many tasks at once as there are permits, first come, first served', async () => {
  const semaphore = new Semaphore(2, 10)
  const tasks = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const all = tasks.map(({ promise }, index) =>
    semaphore.run(() => {
      started.push(index)
      return promise
    }),
  )
  await settled()
  expect(started).toEqual([0, 1])
  tasks[1]?.resolve()
  await all[1]
  await settled()
  expect(started).toEqual([0, 1, 2])
  for (const { resolve } of tasks) resolve()
  await Promise.all(all)
  expect(semaphore.idle).toBe(true)
})

it('refuses at once what the queue has no room for, and grants again afterwards', async () => {
  const semaphore = new Semaphore(1, 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = semaphore.run(() => promise)
  const waiting = semaphore.run(() => Promise.resolve('waited'))
  expect(await semaphore.run(() => Promise.resolve('refused'))).toBe(undefined)
  resolve()
  await running
  expect(await waiting).toBe('waited')
  expect(await semaphore.run(() => Promise.resolve('after'))).toBe('after')
})

it('releases the permit of a task that fails', async () => {
  const semaphore = new Semaphore(1, 1)
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await semaphore.run(() => Promise.resolve('next'))).toBe('next')
})

it('counts a permit that is released twice once', async () => {
  const semaphore = new Semaphore(1, 2)
  const release = await semaphore.acquire()
  const next = [semaphore.acquire(), semaphore.acquire()]
  let granted = 0
  for (const acquired of next) void acquired.then(() => (granted += 1))
  release?.()
  release?.()
  await settled()
  expect(granted).toBe(1)
})

/** Acquires `count` permits for a source; `granted` and `evicted` fill in as they are. */
function acquire(semaphore: Semaphore, source: string, count: number, granted: string[]) {
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

it('lets a task that is aborted leave the queue, whose place another one takes', async () => {
  const semaphore = new Semaphore(1, 1)
  const release = await semaphore.acquire()
  const closed = new AbortController()
  const left = semaphore.acquire('', closed.signal)
  closed.abort()
  expect(await left).toBe(undefined)
  expect(await semaphore.acquire('', closed.signal)).toBe(undefined)
  const next = semaphore.acquire()
  release?.()
  ;(await next)?.()
  expect(semaphore.idle).toBe(true)
})

describe('a semaphore of several sources', () => {
  it('grants waiting sources their permits by turns', async () => {
    const semaphore = new Semaphore(1, 100)
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

  it('evicts the newest task of the source with the most waiting when the queue is full', async () => {
    const semaphore = new Semaphore(1, 4)
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

  it('refuses a source that has as many waiting as any other when the queue is full', async () => {
    const semaphore = new Semaphore(1, 4)
    const { evicted } = acquire(semaphore, 'flood', 7, [])
    await settled()
    expect(evicted).toEqual([5, 6])
  })
})
