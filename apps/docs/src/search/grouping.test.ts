// Tests of grouping search hits by section and page.
import { describe, expect, it } from 'vitest'
import { groupHits } from './grouping.ts'
import type { Hit } from './hit.ts'

const hit = (objectID: string, lvl0: string | null, lvl1: string, type: Hit['type'] = 'content'): Hit => ({
  objectID,
  url: `/docs/${objectID}`,
  type,
  content: null,
  hierarchy: { lvl0, lvl1 },
})
const summary = (hits: readonly Hit[]): unknown =>
  groupHits(hits).map((group) => [group.title, group.hits.map(({ objectID, __child }) => `${objectID} ${__child}`)])

describe('hits', () => {
  it('groups hits by lvl0, in the order of the best hit of each', () => {
    const hits = [hit('a', 'Use', 'Tags'), hit('b', 'Run', 'Ports'), hit('c', 'Use', 'Keys')]
    expect(summary(hits)).toEqual([
      ['Use', ['a none', 'c none']],
      ['Run', ['b none']],
    ])
  })

  it('sub-groups hits by lvl1: the page first, its parts below it', () => {
    const hits = [
      hit('text', 'Use', 'Tags'),
      hit('other', 'Use', 'Keys', 'lvl1'),
      hit('page', 'Use', 'Tags', 'lvl1'),
      hit('heading', 'Use', 'Tags', 'lvl2'),
    ]
    expect(summary(hits)).toEqual([['Use', ['page none', 'text middle', 'heading last', 'other none']]])
  })

  it('keeps the 5 best hits of a group', () => {
    const hits = Array.from({ length: 8 }, (_, i) => hit(`h${i}`, 'Use', `Page ${i}`))
    expect(summary(hits)).toEqual([['Use', ['h0 none', 'h1 none', 'h2 none', 'h3 none', 'h4 none']]])
  })

  it('groups hits without a section under the documentation', () => {
    expect(summary([hit('a', null, 'Search')])).toEqual([['Documentation', ['a none']]])
  })
})
