import { describe, expect, it } from 'vitest'
import { type Layout, paneIds, splitPane, withShare, withoutPane } from './layout.ts'

const one: Layout = { kind: 'pane', id: 'a' }
const two = splitPane(one, 'a', 'row', 'b')
const three = splitPane(two, 'b', 'column', 'c')

describe('the panes of a tab', () => {
  it('splits a pane in halves, in place', () => {
    expect(paneIds(three)).toEqual(['a', 'b', 'c'])
    expect(three).toMatchObject({ direction: 'row', share: 0.5, second: { direction: 'column' } })
    expect(paneIds(splitPane(three, 'a', 'row', 'd'))).toEqual(['a', 'd', 'b', 'c'])
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
