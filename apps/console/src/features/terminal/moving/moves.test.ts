import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EDGES, type Layout, paneIds, splitPane } from '../layout/layout.ts'
import type { Tab, WorkspaceState } from '../tab.ts'
import { withMoved } from './moves.ts'

const tab = (id: string, layout: Layout): Tab => ({ id, name: undefined, layout, focused: paneIds(layout)[0] ?? '' })
const pane = (id: string): Layout => ({ kind: 'pane', id })
const two = splitPane(pane('a'), 'a', 'row', 'b')
const STATE: WorkspaceState = { tabs: [tab('one', two), tab('two', pane('c'))], active: 'one' }
const newTab = () => 'new'
const panesOf = ({ tabs }: WorkspaceState) => tabs.map(({ id, layout }) => [id, ...paneIds(layout)])

describe('moving', () => {
  it('puts a pane at each edge of another', () => {
    const layouts = EDGES.map((edge) => withMoved(STATE, { pane: 'c' }, { beside: 'a', edge }, newTab))
    expect(layouts.map(panesOf)).toEqual([
      [['one', 'c', 'a', 'b']],
      [['one', 'a', 'c', 'b']],
      [['one', 'c', 'a', 'b']],
      [['one', 'a', 'c', 'b']],
    ])
    const directions = layouts.map(({ tabs: [first] }) =>
      first?.layout.kind === 'split' && first.layout.first.kind === 'split' ? first.layout.first.direction : '',
    )
    expect(directions).toEqual(['row', 'row', 'column', 'column'])
    expect(layouts[0]).toMatchObject({ active: 'one', tabs: [{ focused: 'c' }] })
  })

  it('gives a pane a tab of its own, beside the one it leaves', () => {
    const moved = withMoved(STATE, { pane: 'a' }, 'own-tab', newTab)
    expect(panesOf(moved)).toEqual([
      ['one', 'b'],
      ['new', 'a'],
      ['two', 'c'],
    ])
    expect(moved).toMatchObject({ active: 'new', tabs: [{ focused: 'b' }, { focused: 'a' }, {}] })
    expect(withMoved(STATE, { pane: 'c' }, 'own-tab', newTab)).toBe(STATE)
  })

  it('puts all panes of a tab beside a pane', () => {
    const moved = withMoved(STATE, { tab: 'one' }, { beside: 'c', edge: 'right' }, newTab)
    expect(panesOf(moved)).toEqual([['two', 'c', 'a', 'b']])
    expect(moved).toMatchObject({ active: 'two', tabs: [{ focused: 'a' }] })
    expect(withMoved(STATE, { tab: 'one' }, { beside: 'a', edge: 'left' }, newTab)).toBe(STATE)
  })

  it('loses no pane, and names every split once, whatever is moved', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const move = fc.tuple(
      fc.constantFrom(...ids),
      fc.constantFrom(...ids),
      fc.constantFrom(...EDGES, 'own-tab' as const),
    )
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        let count = 0
        let state: WorkspaceState = { tabs: ids.map((id) => tab(`tab ${id}`, pane(id))), active: 'tab a' }
        for (const [what, beside, edge] of moves) {
          const place = edge === 'own-tab' ? edge : { beside, edge }
          state = withMoved(state, { pane: what }, place, () => `new ${(count += 1)}`)
          for (const { layout, focused } of state.tabs) {
            expect(new Set(splitIds(layout)).size).toBe(splitIds(layout).length)
            expect(paneIds(layout)).toContain(focused)
          }
        }
        expect(state.tabs.flatMap(({ layout }) => paneIds(layout)).toSorted()).toEqual(ids)
        expect(state.tabs.map(({ id }) => id)).toContain(state.active)
      }),
    )
  })
})

function splitIds(layout: Layout): string[] {
  return layout.kind === 'pane' ? [] : [layout.id, ...splitIds(layout.first), ...splitIds(layout.second)]
}
