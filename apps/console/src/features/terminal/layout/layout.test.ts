import { describe, expect, it } from 'vitest'
import { type Layout, paneIds, splitPane, tiles, withShare, withoutPane } from './layout.ts'

const one: Layout = { kind: 'pane', id: 'a' }
const two = splitPane(one, 'a', 'row', 'b')
const three = splitPane(two, 'b', 'column', 'c')

describe('the panes of a tab', () => {
  it('splits a pane in halves, in place', () => {
    expect(paneIds(three)).toEqual(['a', 'b', 'c'])
    expect(three).toMatchObject({ direction: 'row', share: 0.5, second: { direction: 'column' } })
    expect(paneIds(splitPane(three, 'a', 'row', 'd'))).toEqual(['a', 'd', 'b', 'c'])
  })

  it('tiles any number of panes in reading order, all of the same size', () => {
    const areas = (layout: Layout, area = 1): number[] =>
      layout.kind === 'pane'
        ? [area]
        : [...areas(layout.first, area * layout.share), ...areas(layout.second, area * (1 - layout.share))]
    for (const count of [1, 2, 3, 5, 20]) {
      const ids = Array.from({ length: count }, (_, at) => `p${at}`)
      const layout = tiles(ids)
      if (!layout) throw new Error('no layout')
      expect(paneIds(layout)).toEqual(ids)
      for (const area of areas(layout)) expect(area).toBeCloseTo(1 / count)
    }
    expect(tiles([])).toBeUndefined()
  })

  it('gives the room of a closed pane to its neighbour', () => {
    expect(withoutPane(three, 'b')).toMatchObject({ first: { id: 'a' }, second: { id: 'c' } })
    expect(withoutPane(two, 'a')).toEqual({ kind: 'pane', id: 'b' })
    expect(withoutPane(one, 'a')).toBeUndefined()
  })

  it('keeps a minimum size whatever is dragged', () => {
    const id = three.kind === 'split' ? three.id : ''
    expect(withShare(three, id, 0.02)).toMatchObject({ share: 0.1 })
    expect(withShare(three, id, 0.7)).toMatchObject({ share: 0.7 })
    expect(withShare(three, id, 2)).toMatchObject({ share: 0.9 })
  })
})
