// The open terminals: tabs with panes. They live outside React, so that navigating away ends nothing; they end with the
// person's session. A reload restores tabs and panes and goes on with their sessions, as long as the server keeps them.
import type { Runtime } from '../../core/runtime.ts'
import { guardUnload } from '../../platform/unload-guard.ts'
import { type Store, createStore } from '../../platform/store.ts'
import type { KeyCredential } from './connection/credential.ts'
import type { PasteRisk } from './input/judge-paste.ts'
import { fromSaved, saveTabs, readTabs, toSaved } from './saved-tabs.ts'
import { type Layout, type SplitLayout, paneIds, splitPane, withShare, withoutPane } from './pane/layout.ts'
import { type KeptSession, type Pane, type PaneDevice, createPane } from './pane/pane.ts'
import { terminalSettings } from './screen/settings.ts'

export interface Tab {
  readonly id: string
  readonly layout: Layout
  /** The focused pane. */
  readonly focused: string
}

export interface WorkspaceState {
  readonly tabs: readonly Tab[]
  readonly active: string | undefined
}

export interface Workspace {
  readonly state: Store<WorkspaceState>
  /** The private key loaded last: it signs for every terminal of the person. */
  readonly key: Store<KeyCredential | undefined>
  pane(id: string): Pane | undefined
  /** Opens a tab for a device. */
  open(device: PaneDevice): Pane
  activate(tab: string): void
  focus(pane: string): void
  split(pane: string, direction: SplitLayout['direction']): void
  resize(split: string, share: number): void
  closePane(pane: string): void
  closeTab(tab: string): void
  /** The console's colour scheme changed. */
  setDark(isDark: boolean): void
  /** Installs a key handler that runs before the terminals' own. @returns uninstall */
  interceptKeys(onKey: OnKey): () => void
}

/** @returns true when handled */
type OnKey = (pane: Pane, event: KeyboardEvent) => boolean

/** Room for the screens of all panes in the session storage, which holds 5 million characters in browsers. */
const SNAPSHOT_CHARACTERS = 3_000_000

const workspaces = new WeakMap<Runtime, Workspace>()

export function workspaceOf(runtime: Runtime): Workspace {
  const known = workspaces.get(runtime) ?? createWorkspace(runtime)
  workspaces.set(runtime, known)
  return known
}

function createWorkspace(runtime: Runtime): Workspace {
  const panes = new Map<string, Pane>()
  const state = createStore<WorkspaceState>({ tabs: [], active: undefined })
  const key = createStore<KeyCredential | undefined>(undefined)
  const acceptedRisks = new Map<string, Set<PasteRisk>>()
  let isDark = false
  let tabCount = 0
  let onKey: OnKey | undefined

  const change = (id: string, to: (tab: Tab) => Tab): void =>
    state.set({ ...state.get(), tabs: state.get().tabs.map((tab) => (tab.id === id ? to(tab) : tab)) })
  const tabOf = (pane: string): Tab | undefined => state.get().tabs.find(({ layout }) => paneIds(layout).includes(pane))

  function add(device: PaneDevice): Pane {
    const key = (of: Pane, event: KeyboardEvent) => onKey?.(of, event) ?? false
    const pane = createPane({ runtime, device, isDark, key, acceptedRisks: risksOf })
    panes.set(pane.id, pane)
    return pane
  }

  function risksOf(pane: string): Set<PasteRisk> {
    const tab = tabOf(pane)?.id ?? ''
    const risks = acceptedRisks.get(tab) ?? new Set()
    acceptedRisks.set(tab, risks)
    return risks
  }

  function remove(ids: readonly string[]): void {
    for (const id of ids) {
      panes.get(id)?.close()
      panes.delete(id)
    }
  }

  const workspace: Workspace = {
    state,
    key,
    pane: (id) => panes.get(id),
    open(device) {
      const pane = add(device)
      tabCount += 1
      const tab: Tab = { id: `tab-${tabCount}`, layout: { kind: 'pane', id: pane.id }, focused: pane.id }
      state.set({ tabs: [...state.get().tabs, tab], active: tab.id })
      return pane
    },
    activate: (id) => state.set({ ...state.get(), active: id }),
    focus(id) {
      const tab = tabOf(id)
      if (tab && tab.focused !== id) change(tab.id, (one) => ({ ...one, focused: id }))
    },
    split(id, direction) {
      const tab = tabOf(id)
      const pane = panes.get(id)
      if (!tab || !pane) return
      const added = add(pane.device)
      change(tab.id, (one) => ({
        ...one,
        layout: splitPane(one.layout, id, direction, added.id),
        focused: added.id,
      }))
      const access = pane.access()
      if (access && pane.state.get().kind === 'running') added.connect(access)
    },
    resize(split, share) {
      for (const tab of state.get().tabs) {
        const layout = withShare(tab.layout, split, share)
        if (layout !== tab.layout) change(tab.id, (one) => ({ ...one, layout }))
      }
    },
    closePane(id) {
      const tab = tabOf(id)
      if (!tab) return
      const layout = withoutPane(tab.layout, id)
      if (!layout) return workspace.closeTab(tab.id)
      const [focused = ''] = paneIds(layout)
      change(tab.id, (one) => ({ ...one, layout, focused }))
      remove([id])
    },
    closeTab(id) {
      const { tabs, active } = state.get()
      const at = tabs.findIndex((tab) => tab.id === id)
      const tab = tabs[at]
      if (!tab) return
      const remaining = tabs.filter((one) => one.id !== id)
      const next = active === id ? (remaining[at] ?? remaining[at - 1])?.id : active
      state.set({ tabs: remaining, active: next })
      remove(paneIds(tab.layout))
      acceptedRisks.delete(id)
    },
    setDark(dark) {
      isDark = dark
      applySettings()
    },
    interceptKeys(take) {
      onKey = take
      return () => {
        if (onKey === take) onKey = undefined
      }
    },
  }

  function applySettings(): void {
    for (const pane of panes.values()) pane.screen.apply(terminalSettings.get(), isDark)
  }
  terminalSettings.subscribe(applySettings)

  /** @param sessionOf the session to store with a pane */
  function save(sessionOf?: (pane: string) => KeptSession | undefined): boolean {
    const { tabs, active } = state.get()
    const deviceOf = (pane: string) => panes.get(pane)?.device
    const saved = tabs.flatMap(({ layout, focused }) => toSaved(layout, focused, deviceOf, sessionOf) ?? [])
    return saveTabs({ owner, active: tabs.findIndex(({ id }) => id === active), tabs: saved })
  }
  const keep = (): void => void save()

  /** The page goes away, perhaps to be loaded again: the sessions wait for it. */
  function suspend(): void {
    const room = SNAPSHOT_CHARACTERS / Math.max(1, panes.size)
    const kept = new Map([...panes].map(([id, pane]) => [id, pane.suspend(room)]))
    if (save((id) => kept.get(id))) return
    // The storage is smaller than usual: the sessions matter more than what their screens showed.
    save((id) => {
      const session = kept.get(id)
      return session && { ...session, snapshot: { ...session.snapshot, output: '' } }
    })
  }

  /** Restores the tabs from before a reload. */
  function restore(): void {
    const saved = readTabs(owner)
    if (!saved) return
    const tabs = saved.tabs.map((savedLayout): Tab => {
      let focused = ''
      const layout = fromSaved(savedLayout, ({ device, isFocused, session }) => {
        const pane = add(device)
        if (session) pane.resume(session)
        if (isFocused) focused = pane.id
        return pane.id
      })
      tabCount += 1
      return { id: `tab-${tabCount}`, layout, focused: focused || (paneIds(layout)[0] ?? '') }
    })
    state.set({ tabs, active: (tabs[saved.active] ?? tabs[0])?.id })
    // What lets anybody go on with a session is stored no longer than needed.
    keep()
  }

  // Another person, or another namespace, must not see these terminals or use the key.
  let owner = ownerOf(runtime)
  runtime.session.state.subscribe(() => {
    const next = ownerOf(runtime)
    if (next === owner) return
    const isFirst = owner === ''
    owner = next
    if (isFirst) return restore()
    const { tabs } = state.get()
    state.set({ tabs: [], active: undefined })
    remove(tabs.flatMap(({ layout }) => paneIds(layout)))
    key.set(undefined)
  })
  restore()
  state.subscribe(keep)
  addEventListener('pagehide', suspend)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) keep()
  })
  addEventListener('online', () => {
    for (const pane of panes.values()) pane.remote()?.reconnectNow()
  })
  guardUnload(() => [...panes.values()].some((pane) => ['running', 'reconnecting'].includes(pane.state.get().kind)))
  return workspace
}

function ownerOf({ session }: Runtime): string {
  const state = session.state.get()
  return state.kind === 'signed-in' ? `${state.person.id} ${state.person.tenant}` : ''
}
