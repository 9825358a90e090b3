import { expect, it } from 'vitest'
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
  for (const acquired of next) void acquired?.then(() => (granted += 1))
  release?.()
  release?.()
  await settled()
  expect(granted).toBe(1)
})
