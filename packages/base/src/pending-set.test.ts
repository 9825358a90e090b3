import { expect, it } from 'vitest'
import { PendingSet } from './pending-set.ts'

it('drains what is tracked, also what is tracked meanwhile, and reports what failed', async () => {
  const failures: unknown[] = []
  const pending = new PendingSet((error) => failures.push(error))
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  pending.track(first.promise)
  const drained = pending.drain()
  pending.track(second.promise)
  first.resolve()
  second.reject(new Error('lost'))
  await drained
  expect(pending.size).toBe(0)
  expect(failures).toEqual([new Error('lost')])
})
