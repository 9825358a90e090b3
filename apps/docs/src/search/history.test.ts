// Tests of recent and favourite searches.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Kept, forget, promote, readHistory, remember } from './history.ts'

const page = (name: string): Kept => ({
  objectID: name,
  url: `/docs/${name}`,
  type: 'lvl1',
  hierarchy: { lvl0: 'Overview', lvl1: name },
  content: null,
})
const names = (list: readonly Kept[]): string[] => list.map(({ objectID }) => objectID)
const numbered = (count: number, from = 0): Kept[] => Array.from({ length: count }, (_, i) => page(`p${from + i}`))

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
  return () => vi.unstubAllGlobals()
})

describe('search history', () => {
  it('keeps the 7 most recent searches, the latest first', () => {
    numbered(9).forEach(remember)
    expect(names(readHistory().recent)).toEqual(['p8', 'p7', 'p6', 'p5', 'p4', 'p3', 'p2'])
  })

  it('keeps 4 recent searches when there is a favorite, which is not among them', () => {
    numbered(7).forEach(remember)
    promote(page('p3'))
    expect(names(readHistory().recent)).toEqual(['p6', 'p5', 'p4', 'p2'])
    expect(names(readHistory().favorites)).toEqual(['p3'])
  })

  it('keeps 10 favorites and replaces the oldest by an eleventh', () => {
    numbered(11).forEach(promote)
    expect(names(readHistory().favorites)).toEqual(['p10', 'p9', 'p8', 'p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1'])
  })

  it('lists each search once, at its latest position', () => {
    for (const name of ['a', 'b', 'a']) remember(page(name))
    expect(names(readHistory().recent)).toEqual(['a', 'b'])
  })

  it('keeps the position of a favorite that is opened again', () => {
    promote(page('a'))
    remember(page('a'))
    expect(readHistory()).toEqual({ recent: [], favorites: [page('a')] })
  })

  it('stores the page of a paragraph hit', () => {
    remember({ objectID: 'x', url: '/docs/faq#which', type: 'content', hierarchy: { lvl1: 'FAQ' } })
    expect(readHistory().recent).toEqual([
      { objectID: 'x', url: '/docs/faq', type: 'lvl1', hierarchy: { lvl1: 'FAQ' }, content: null },
    ])
  })

  it('forgets a removed search', () => {
    ;['a', 'b'].map(page).forEach(remember)
    forget('recent', page('a'))
    expect(names(readHistory().recent)).toEqual(['b'])
  })

  it('returns an empty history when the stored one cannot be parsed', () => {
    localStorage.setItem('docs-search-recent', '{"not": "a list"}')
    localStorage.setItem('docs-search-favorites', 'not JSON')
    expect(readHistory()).toEqual({ recent: [], favorites: [] })
  })
})
