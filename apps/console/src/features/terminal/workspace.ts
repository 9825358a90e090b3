// The open terminals: tabs with panes. They live outside React, so that navigating away ends nothing; they end with the
// person's session. A reload restores tabs and panes and goes on with their sessions, as long as the server keeps them.
import type { Runtime } from '../../core/runtime.ts'
import { guardUnload } from '../../platform/unload-guard.ts'
import { type Store, createStore } from '../../platform/store.ts'
import type { KeyCredential } from './connection/credential.ts'
import type { PasteRisk } from './input/judge-paste.ts'
import { type Broadcast, createBroadcast } from './broadcast/broadcast.ts'
import { createTabKeeper } from './kept-tabs.ts'
import { type Moved, type Place, withMoved } from './moving/moves.ts'
import type { SavedTab } from './saved-tabs.ts'
import type { Tab, WorkspaceState } from './tab.ts'
import { movedTab, tabName } from './tabs/tab-changes.ts'
import { type SplitLayout, paneIds, splitPane, tiles, withShare, withoutPane } from './layout/layout.ts'
import type { Access, PaneDevice } from './pane/pane-session.ts'
import { type Pane, createPane } from './pane/pane.ts'
import { createTerminalWindows, isReturnable, leaveToOpener } from './windows/windows.ts'
import { terminalSettings } from './screen/settings.ts'

export interface Workspace {
  readonly state: Store<WorkspaceState>
  /** Panes whose bell rang while nobody looked. */
  readonly rung: Store<readonly string[]>
  readonly broadcast: Broadcast
  /** Devices that one sign-in is asked for, to open a terminal on each that is online. */
  readonly wanted: Store<readonly WantedDevice[]>
  /** Pane that a snippet is chosen for. */
  readonly snippetsFor: Store<string | undefined>
  /** What a place is asked for, to move it there. */
  readonly moving: Store<Moved | undefined>
  /** The private key loaded last: it signs for every terminal of the person. */
  readonly key: Store<KeyCredential | undefined>
  pane(id: string): Pane | undefined
  /** With what the person has signed in to an open terminal of a device, the one with the focus before others. */
  accessOn(device: string): Access | undefined
  /** Whether a terminal of a device is open. */
  isOpenOn(device: string): boolean
  /** Opens a tab for a device. */
  open(device: PaneDevice): Pane
  /** Shows the terminal of a device that waits for its sign-in. @returns false when there is none */
  showWaiting(device: string): boolean
  /** Opens terminals of several devices, and signs in on each. */
  openAll(devices: readonly PaneDevice[], arrangement: Arrangement, signIn: (pane: Pane) => void): void
  activate(tab: string): void
  /** @param name '' for the device's */
  rename(tab: string, name: string): void
  /** @param to index in the tab bar */
  move(tab: string, to: number): void
  /** Moves a pane or a tab; sessions and screens stay as they are. */
  moveTo(moved: Moved, place: Place): void
  /** Moves a pane or a tab to a window of its own, which goes on with its sessions. @returns false when the browser forbids it */
  popOut(moved: Moved): boolean
  /** Opens the same panes in another tab, signed in where this page knows how. */
  duplicate(tab: string): void
  /** Opens the tab that was closed last. */
  reopen(): void
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

export interface WantedDevice extends PaneDevice {
  readonly online: boolean
}

/** A tab for each device, or a pane for each in one tab. */
export type Arrangement = 'tabs' | 'panes'

/** @returns true when handled */
type OnKey = (pane: Pane, event: KeyboardEvent) => boolean

/** A pane is asked for its sign-in, and nothing was sent yet. */
const WAITING: ReadonlySet<string> = new Set(['preparing', 'locked', 'form'])
/** A pane has signed in, and its session goes on. */
const OPEN: ReadonlySet<string> = new Set(['running', 'reconnecting'])
/** Closed tabs that can be opened again. */
const MAX_CLOSED = 10

const workspaces = new WeakMap<Runtime, Workspace>()

export function workspaceOf(runtime: Runtime): Workspace {
  const known = workspaces.get(runtime) ?? createWorkspace(runtime)
  workspaces.set(runtime, known)
  return known
}

function createWorkspace(runtime: Runtime): Workspace {
  const panes = new Map<string, Pane>()
  const state = createStore<WorkspaceState>({ tabs: [], active: undefined })
  const rung = createStore<readonly string[]>([])
  const key = createStore<KeyCredential | undefined>(undefined)
  const acceptedRisks = new Map<string, Set<PasteRisk>>()
  let isDark = false
  let tabCount = 0
  const closed: SavedTab[] = []
  let onKey: OnKey | undefined

  const change = (id: string, to: (tab: Tab) => Tab): void =>
    state.set({ ...state.get(), tabs: state.get().tabs.map((tab) => (tab.id === id ? to(tab) : tab)) })
  const tabOf = (pane: string): Tab | undefined => state.get().tabs.find(({ layout }) => paneIds(layout).includes(pane))

  const openOn = (device: string): Pane[] =>
    [...panes.values()].filter((pane) => pane.device.uid === device && OPEN.has(pane.state.get().kind))

  function add(device: PaneDevice): Pane {
    const key = (of: Pane, event: KeyboardEvent) => onKey?.(of, event) ?? false
    const pane = createPane({
      runtime,
      device,
      isDark,
      key,
      acceptedRisks: risksOf,
      broadcastTargets: (of) => broadcast.targetsOf(of).flatMap((id) => panes.get(id) ?? []),
    })
    panes.set(pane.id, pane)
    pane.state.subscribe(() => broadcast.check())
    pane.signals.isRung.subscribe(markRung)
    return pane
  }

  const broadcast = createBroadcast(
    () => {
      const { tabs, active } = state.get()
      const tab = tabs.find(({ id }) => id === active)
      return tab && { id: tab.id, panes: paneIds(tab.layout) }
    },
    (id) => {
      const pane = panes.get(id)
      return pane && { isRunning: () => pane.state.get().kind === 'running', send: (bytes) => pane.send(bytes) }
    },
  )
  state.subscribe(() => broadcast.check())
  const nextTab = (): string => `tab-${(tabCount += 1)}`
  const append = (tab: Tab): void =>
    state.set({ tabs: [...state.get().tabs, tab], active: tab.id, canReopen: closed.length > 0 })
  const keeper = createTabKeeper({ state, panes, add, nextTab, owner: () => owner, left: leaveToOpener })
  const windows = createTerminalWindows((tabs) => keeper.takeOver(tabs).forEach(append))

  /** Signs in on a new pane as on another one. */
  function connectLike(from: string, to: string): void {
    const pane = panes.get(from)
    const access = pane?.access()
    if (access && pane?.state.get().kind === 'running') panes.get(to)?.connect(access)
  }

  function risksOf(pane: string): Set<PasteRisk> {
    const tab = tabOf(pane)?.id ?? ''
    const risks = acceptedRisks.get(tab) ?? new Set()
    acceptedRisks.set(tab, risks)
    return risks
  }

  function markRung(): void {
    rung.set([...panes.values()].filter(({ signals }) => signals.isRung.get()).map(({ id }) => id))
  }

  function remove(ids: readonly string[]): void {
    for (const id of ids) {
      panes.get(id)?.close()
      panes.delete(id)
    }
    markRung()
  }

  /** Ends what is in a tab, unless it was handed over. */
  function drop({ id, layout }: Tab): void {
    const { tabs, active } = state.get()
    const at = tabs.findIndex((tab) => tab.id === id)
    const remaining = tabs.filter((one) => one.id !== id)
    const next = active === id ? (remaining[at] ?? remaining[at - 1])?.id : active
    state.set({ tabs: remaining, active: next, canReopen: closed.length > 0 })
    remove(paneIds(layout))
    acceptedRisks.delete(id)
  }

  const workspace: Workspace = {
    state,
    rung,
    broadcast,
    wanted: createStore<readonly WantedDevice[]>([]),
    snippetsFor: createStore<string | undefined>(undefined),
    moving: createStore<Moved | undefined>(undefined),
    key,
    pane: (id) => panes.get(id),
    isOpenOn: (device) => openOn(device).length > 0,
    accessOn(device) {
      const { tabs, active } = state.get()
      const focused = tabs.find(({ id }) => id === active)?.focused
      // A terminal that an earlier page began, or that is another person's, has none.
      const known = openOn(device).filter((pane) => pane.access() !== undefined)
      return (known.find(({ id }) => id === focused) ?? known[0])?.access()
    },
    open(device) {
      const pane = add(device)
      append({ id: nextTab(), name: undefined, layout: { kind: 'pane', id: pane.id }, focused: pane.id })
      return pane
    },
    showWaiting(device) {
      const waiting = [...panes.values()].find(
        (pane) => pane.device.uid === device && WAITING.has(pane.state.get().kind),
      )
      const tab = waiting && tabOf(waiting.id)
      if (!tab) return false
      workspace.focus(waiting.id)
      workspace.activate(tab.id)
      return true
    },
    openAll(devices, arrangement, signIn) {
      const added = devices.map(add)
      if (arrangement === 'panes') {
        const ids = added.map(({ id }) => id)
        const layout = tiles(ids)
        if (layout) append({ id: nextTab(), name: undefined, layout, focused: ids[0] ?? '' })
      } else {
        for (const { id } of added)
          append({ id: nextTab(), name: undefined, layout: { kind: 'pane', id }, focused: id })
        const first = state.get().tabs.at(-added.length)
        state.set({ ...state.get(), active: first?.id })
      }
      for (const pane of added) signIn(pane)
    },
    activate: (id) => state.set({ ...state.get(), active: id }),
    rename: (id, name) => change(id, (tab) => ({ ...tab, name: tabName(name) })),
    move: (id, to) => state.set({ ...state.get(), tabs: movedTab(state.get().tabs, id, to) }),
    moveTo(moved, place) {
      state.set(withMoved(state.get(), moved, place, nextTab))
      for (const id of acceptedRisks.keys()) {
        if (!state.get().tabs.some((tab) => tab.id === id)) acceptedRisks.delete(id)
      }
    },
    popOut(moved) {
      const opened = windows.open()
      if (!opened) return false
      if ('pane' in moved) workspace.moveTo(moved, 'own-tab')
      const tab = 'tab' in moved ? state.get().tabs.find(({ id }) => id === moved.tab) : tabOf(moved.pane)
      if (!tab) return false
      opened.show(keeper.handOver(tab))
      drop(tab)
      return true
    },
    duplicate(id) {
      const tab = state.get().tabs.find((one) => one.id === id)
      const saved = tab && keeper.savedOf(tab)
      if (!saved) return
      const copy = keeper.rebuild(saved)
      append(copy)
      const added = paneIds(copy.layout)
      for (const [at, pane] of paneIds(tab.layout).entries()) connectLike(pane, added[at] ?? '')
    },
    reopen() {
      const saved = closed.pop()
      if (saved) append(keeper.rebuild(saved))
    },
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
      connectLike(id, added.id)
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
      const tab = state.get().tabs.find((one) => one.id === id)
      if (!tab) return
      const saved = keeper.savedOf(tab)
      if (saved) closed.push(saved)
      if (closed.length > MAX_CLOSED) closed.shift()
      drop(tab)
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

  // Another person, or another namespace, must not see these terminals or use the key.
  let owner = ownerOf(runtime)
  runtime.session.state.subscribe(() => {
    const next = ownerOf(runtime)
    if (next === owner) return
    const isFirst = owner === ''
    owner = next
    if (isFirst) return keeper.restore()
    const { tabs } = state.get()
    closed.length = 0
    workspace.wanted.set([])
    workspace.snippetsFor.set(undefined)
    workspace.moving.set(undefined)
    state.set({ tabs: [], active: undefined })
    remove(tabs.flatMap(({ layout }) => paneIds(layout)))
    key.set(undefined)
  })
  keeper.restore()
  addEventListener('offline', () => {
    for (const pane of panes.values()) pane.remote()?.doubt()
  })
  addEventListener('online', () => {
    for (const pane of panes.values()) pane.remote()?.reconnectNow()
  })
  // A window of terminals leaves them to the page that opened it.
  guardUnload(() => !isReturnable() && [...panes.values()].some((pane) => OPEN.has(pane.state.get().kind)))
  return workspace
}

/** Whose the terminals are; '' for nobody. */
export function ownerOf({ session }: Runtime): string {
  const state = session.state.get()
  return state.kind === 'signed-in' ? `${state.person.id} ${state.person.tenant}` : ''
}
