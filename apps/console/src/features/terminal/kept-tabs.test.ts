import { DeviceUid } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { fromKept, toKept } from './kept-tabs.ts'
import { type Layout, paneIds, splitPane, withShare } from './pane/layout.ts'

const device = (id: string) => ({ uid: DeviceUid.parse('a'.repeat(64)), name: `device of ${id}`, namespace: 'lab' })
const one: Layout = { kind: 'pane', id: 'a' }
const two = splitPane(one, 'a', 'row', 'b')
const three = withShare(splitPane(splitPane(two, 'b', 'column', 'c'), 'b', 'row', 'd'), 'split c', 0.7)

describe('the terminals of a page that is loaded again', () => {
  it('stand as they stood, with panes of their own', () => {
    const kept = toKept(three, 'c', device)
    if (!kept) throw new Error('nothing is kept')
    const names = new Map<string, string>()
    const focused: string[] = []
    const again = fromKept(kept, (pane) => {
      const id = `new-${names.size}`
      names.set(id, pane.device.name)
      if (pane.isFocused) focused.push(id)
      return id
    })
    expect(paneIds(again).map((id) => names.get(id))).toEqual(paneIds(three).map((id) => device(id).name))
    expect(focused).toEqual(['new-3'])
    expect(again).toMatchObject({ direction: 'row', second: { direction: 'column', share: 0.7 } })
  })

  it('can be split and resized on: no two splits share a name', () => {
    const kept = toKept(three, 'c', device)
    let count = 0
    const again = kept && fromKept(kept, () => `new-${(count += 1)}`)
    const ids = (layout: Layout | undefined): string[] =>
      layout?.kind === 'split' ? [layout.id, ...ids(layout.first), ...ids(layout.second)] : []
    expect(new Set(ids(again)).size).toBe(3)
  })

  it('keep nothing else of a pane than its device', () => {
    const secret = { ...device('a'), password: 'secret' }
    expect(JSON.stringify(toKept(one, 'a', () => secret))).not.toContain('secret')
  })

  it('are not kept with a pane that is closed already', () => {
    expect(toKept(two, 'a', (id) => (id === 'b' ? undefined : device(id)))).toBeUndefined()
  })
})
