// Moving panes and tabs: what becomes of the layouts. Pure functions; the panes themselves, with their screens and sessions,
// stay what they are.
import { type Edge, type Layout, paneIds, placeBeside, withoutPane } from '../layout/layout.ts'
import type { Tab, WorkspaceState } from '../tab.ts'

/** What is moved: a pane, or a tab with all of its panes. */
export type Moved = { readonly pane: string } | { readonly tab: string }

/** Where to: at an edge of a pane, or into a tab of its own. */
export type Place = { readonly beside: string; readonly edge: Edge } | 'own-tab'

/** Whether a pane could be anywhere else. */
export function hasPlaces({ tabs }: WorkspaceState): boolean {
  return tabs.length > 1 || tabs.some(({ layout }) => layout.kind === 'split')
}

/**
 * Moves a pane, or the panes of a tab, and shows where they are.
 * @param newTab id of a tab that may have to be made
 * @returns the state as it is where nothing is to be done
 */
export function withMoved(state: WorkspaceState, moved: Moved, place: Place, newTab: () => string): WorkspaceState {
  const from = state.tabs.find(({ id, layout }) =>
    'tab' in moved ? id === moved.tab : paneIds(layout).includes(moved.pane),
  )
  if (!from) return state
  const part: Layout = 'tab' in moved ? from.layout : { kind: 'pane', id: moved.pane }
  const focused = 'tab' in moved ? from.focused : moved.pane
  const rest = 'tab' in moved ? undefined : withoutPane(from.layout, moved.pane)
  if (place === 'own-tab') {
    if (!rest) return state
    const own: Tab = { id: newTab(), name: undefined, layout: part, focused }
    const tabs = state.tabs.flatMap((tab) => (tab.id === from.id ? [withLayout(tab, rest), own] : [tab]))
    return { ...state, tabs, active: own.id }
  }
  const to = state.tabs.find(({ layout }) => paneIds(layout).includes(place.beside))
  if (!to || paneIds(part).includes(place.beside)) return state
  const base = to.id === from.id ? rest : to.layout
  if (!base) return state
  const target: Tab = { ...to, layout: placeBeside(base, place.beside, place.edge, part), focused }
  const tabs = state.tabs.flatMap((tab) => {
    if (tab.id === to.id) return [target]
    if (tab.id !== from.id) return [tab]
    return rest ? [withLayout(tab, rest)] : []
  })
  return { ...state, tabs, active: target.id }
}

function withLayout(tab: Tab, layout: Layout): Tab {
  const ids = paneIds(layout)
  return { ...tab, layout, focused: ids.includes(tab.focused) ? tab.focused : (ids[0] ?? '') }
}
