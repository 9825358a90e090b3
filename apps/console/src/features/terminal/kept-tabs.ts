// Stores the tabs whenever they change, suspends their sessions when the page goes away, and restores both.
import type { Store } from '../../platform/store.ts'
import { type Layout, paneIds } from './layout/layout.ts'
import type { PaneDevice } from './pane/pane-session.ts'
import type { KeptSession, Pane } from './pane/pane.ts'
import {
  type SavedTab,
  type SavedTabs,
  fromSaved,
  readTabs,
  saveTabs,
  tabsAsText,
  tabsOf,
  toSaved,
} from './saved-tabs.ts'
import type { Tab, WorkspaceState } from './tab.ts'

export interface TabKeeper {
  /** Makes tabs of new panes from a stored one. */
  rebuild(saved: SavedTab): Tab
  /** The tab without its sessions; undefined when one of its panes is closed. */
  savedOf(tab: Tab): SavedTab | undefined
  /** Suspends the sessions of a tab. @returns the tab with them, for another window */
  handOver(tab: Tab): string
  /** Makes tabs of those that another window has left. */
  takeOver(tabs: string): readonly Tab[]
  /** Restores the tabs from before a reload, once it is known whose they are. */
  restore(): void
}

export interface TabKeeperParts {
  readonly state: Store<WorkspaceState>
  readonly panes: ReadonlyMap<string, Pane>
  readonly add: (device: PaneDevice) => Pane
  readonly nextTab: () => string
  readonly owner: () => string
  /** Gets the tabs with their sessions when the page goes away. */
  readonly left: (tabs: string) => void
}

/** Room for the screens of all panes in the session storage, which holds 5 million characters in browsers. */
const SNAPSHOT_CHARACTERS = 3_000_000

export function createTabKeeper({ state, panes, add, nextTab, owner, left }: TabKeeperParts): TabKeeper {
  const deviceOf = (pane: string) => panes.get(pane)?.device

  function saved(
    { layout, focused, name }: Tab,
    sessionOf?: (pane: string) => KeptSession | undefined,
  ): SavedTab | undefined {
    const kept = toSaved(layout, focused, deviceOf, sessionOf)
    return kept && { name, layout: kept }
  }

  /** @param sessionOf the session to store with a pane */
  function stored(
    sessionOf?: (pane: string) => KeptSession | undefined,
    { tabs, active }: WorkspaceState = state.get(),
  ): SavedTabs {
    const at = tabs.findIndex(({ id }) => id === active)
    const suspendedAt = sessionOf && Date.now()
    const kept = tabs.flatMap((tab) => saved(tab, sessionOf) ?? [])
    return { owner: owner(), active: at, suspendedAt, tabs: kept }
  }

  function save(sessionOf?: (pane: string) => KeptSession | undefined): boolean {
    return saveTabs(stored(sessionOf))
  }

  /** The page goes away, perhaps to be loaded again: the sessions wait for it. */
  function suspend(): void {
    const room = SNAPSHOT_CHARACTERS / Math.max(1, panes.size)
    const kept = new Map([...panes].map(([id, pane]) => [id, pane.suspend(room)]))
    left(tabsAsText(stored((id) => kept.get(id))))
    if (save((id) => kept.get(id))) return
    // The storage is smaller than usual: the sessions matter more than what their screens showed.
    save((id) => {
      const session = kept.get(id)
      return session && { ...session, snapshot: { ...session.snapshot, output: '' } }
    })
  }

  function rebuild({ name, layout: from }: SavedTab): Tab {
    let focused = ''
    const layout: Layout = fromSaved(from, ({ device, isFocused, session }) => {
      const pane = add(device)
      if (session) pane.resume(session)
      if (isFocused) focused = pane.id
      return pane.id
    })
    return { id: nextTab(), name, layout, focused: focused || (paneIds(layout)[0] ?? '') }
  }

  state.subscribe(() => void save())
  addEventListener('pagehide', suspend)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) save()
  })
  return {
    rebuild,
    savedOf: (tab) => saved(tab),
    handOver(tab) {
      const ids = paneIds(tab.layout)
      const kept = new Map(ids.map((id) => [id, panes.get(id)?.suspend(SNAPSHOT_CHARACTERS / ids.length)]))
      return tabsAsText(stored((id) => kept.get(id), { tabs: [tab], active: tab.id }))
    },
    takeOver: (text) => tabsOf(text, owner())?.tabs.map(rebuild) ?? [],
    restore() {
      const earlier = owner() === '' ? undefined : readTabs(owner())
      if (!earlier) return
      const tabs = earlier.tabs.map(rebuild)
      // Stores the tabs anew: what authorizes a resumption is stored no longer than needed.
      state.set({ tabs, active: (tabs[earlier.active] ?? tabs[0])?.id })
    },
  }
}
