import { DeviceUid } from '@bowline/contract/schemas/common'
import { describe, expect, it, vi } from 'vitest'
import { fromSaved, readTabs, saveTabs, toSaved } from './saved-tabs.ts'
import { type Layout, paneIds, splitPane, withShare } from './layout/layout.ts'

const device = (id: string) => ({ uid: DeviceUid.parse('a'.repeat(64)), name: `device of ${id}`, namespace: 'lab' })
const one: Layout = { kind: 'pane', id: 'a' }
const two = splitPane(one, 'a', 'row', 'b')
const three = withShare(splitPane(splitPane(two, 'b', 'column', 'c'), 'b', 'row', 'd'), 'split c', 0.7)

describe('the terminals of a page that is loaded again', () => {
  it('restores the layout with new panes', () => {
    const saved = toSaved(three, 'c', device)
    if (!saved) throw new Error('nothing is saved')
    const names = new Map<string, string>()
    const focused: string[] = []
    const again = fromSaved(saved, (pane) => {
      const id = `new-${names.size}`
      names.set(id, pane.device.name)
      if (pane.isFocused) focused.push(id)
      return id
    })
    expect(paneIds(again).map((id) => names.get(id))).toEqual(paneIds(three).map((id) => device(id).name))
    expect(focused).toEqual(['new-3'])
    expect(again).toMatchObject({ direction: 'row', second: { direction: 'column', share: 0.7 } })
  })

  it('splits and resizes restored panes without duplicate split names', () => {
    const saved = toSaved(three, 'c', device)
    let count = 0
    const again = saved && fromSaved(saved, () => `new-${(count += 1)}`)
    const ids = (layout: Layout | undefined): string[] =>
      layout?.kind === 'split' ? [layout.id, ...ids(layout.first), ...ids(layout.second)] : []
    expect(new Set(ids(again)).size).toBe(3)
  })

  it('stores nothing about a pane but its device', () => {
    const secret = { ...device('a'), password: 'secret' }
    expect(JSON.stringify(toSaved(one, 'a', () => secret))).not.toContain('secret')
  })

  it('stores sessions only when asked to, and reads them back with every byte', () => {
    const session = {
      username: 'pi',
      title: 'vim',
      suspended: {
        session: 's',
        token: 't',
        seconds: 60,
        shown: 7,
        input: { offset: 3, bytes: Uint8Array.of(0, 127, 128, 255) },
      },
      snapshot: { output: '\u001B[1mé', columns: 80, rows: 24 },
    }
    const tab = toSaved(one, 'a', device, () => session)
    if (!tab) throw new Error('nothing is saved')
    const store = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, value: string) => store.set(key, value),
      removeItem: (key: string) => store.delete(key),
    })
    saveTabs({ owner: 'me', active: 0, tabs: [{ name: 'mine', layout: tab }] })
    const [saved] = readTabs('me')?.tabs ?? []
    expect(saved?.name).toBe('mine')
    expect(saved?.layout.kind === 'pane' && saved.layout.session).toEqual(session)
    expect(JSON.stringify(toSaved(one, 'a', device))).not.toContain('session')
    // The next person at this browser gets none of it, not even what is stored.
    expect(readTabs('another person')).toBeUndefined()
    expect(store.size).toBe(0)
    vi.unstubAllGlobals()
  })

  it('stores no tab with a pane that is already closed', () => {
    expect(toSaved(two, 'a', (id) => (id === 'b' ? undefined : device(id)))).toBeUndefined()
  })
})
