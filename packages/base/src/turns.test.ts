import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('lets so many go on in a turn of the event loop, in order', async () => {
  const turn = createTurns(2)
  const done: number[] = []
  const all = [1, 2, 3, 4, 5].map((number) => turn().then(() => void done.push(number)))
  await Promise.resolve()
  await Promise.resolve()
  expect(done).toEqual([1, 2])
  await nextTurn()
  expect(done).toEqual([1, 2, 3, 4])
  await Promise.all(all)
  expect(done).toEqual([1, 2, 3, 4, 5])
  // Nobody waits any more: the next one goes on at once.
  await nextTurn()
  const late = turn().then(() => done.push(6))
  await Promise.resolve()
  await Promise.resolve()
  expect(done).toContain(6)
  await late
})
