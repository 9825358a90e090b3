import { expect, it } from 'vitest'
import { fanOut } from './fan-out.ts'

it('handles every item a few at a time and lists the failures in order', async () => {
  let running = 0
  let most = 0
  const counts: number[] = []
  const failed = await fanOut(
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    async (item) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (item % 4 === 0) throw new Error(`no ${item}`)
    },
    (count) => counts.push(count),
  )
  expect(failed.map(({ item, error }) => `${item} ${String(error)}`)).toEqual(['4 Error: no 4', '8 Error: no 8'])
  expect(most).toBe(4)
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})
