import { expect, it } from 'vitest'
import { summarise } from './profile.ts'

const node = (id: number, functionName: string, url = '') => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
})

it('sums own time by function without idle time, most expensive first', () => {
  const profile = {
    nodes: [
      node(1, '(idle)'),
      node(2, '(garbage collector)'),
      node(3, 'seal', 'file:///home/x/packages/ssh/src/seal.ts'),
      // The same function called from elsewhere.
      node(4, 'seal', 'file:///home/x/packages/ssh/src/seal.ts'),
    ],
    samples: [1, 2, 3, 4, 1],
    timeDeltas: [5_000, 1_000, 2_000, 1_000, 9_000],
  }
  expect(summarise(profile)).toEqual([
    { where: 'seal packages/ssh/src/seal.ts:10', milliseconds: 3, share: 0.75 },
    { where: '(garbage collector)', milliseconds: 1, share: 0.25 },
  ])
})

it('returns nothing for an idle process', () => {
  expect(summarise({ nodes: [node(1, '(idle)')], samples: [1], timeDeltas: [5] })).toEqual([])
})
