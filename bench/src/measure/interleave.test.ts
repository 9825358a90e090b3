import { expect, it } from 'vitest'
import { interleave } from './interleave.ts'

it('warms up, then measures all candidates in every round, rotating the first one', async () => {
  const order: string[] = []
  const candidate = (name: string) => ({ name, measure: async () => order.push(name) })
  const values = await interleave([candidate('a'), candidate('b'), candidate('c')], 3)
  expect(order.join('')).toBe('abcabcbcacab')
  expect(Object.fromEntries(values)).toEqual({ a: [4, 9, 11], b: [5, 7, 12], c: [6, 8, 10] })
})

it('discards the warm-up round', async () => {
  const values = await interleave([{ name: 'a', measure: async () => 1 }], 0)
  expect(values.get('a')).toEqual([])
})
