// Layout of a tab's panes: a binary tree of splits. Pure functions.

export interface PaneLayout {
  readonly kind: 'pane'
  readonly id: string
}

export interface SplitLayout {
  readonly kind: 'split'
  readonly id: string
  /** `row`: side by side. */
  readonly direction: 'row' | 'column'
  /** Share of the first child, 0 to 1. */
  readonly share: number
  readonly first: Layout
  readonly second: Layout
}

export type Layout = PaneLayout | SplitLayout

const MIN_SHARE = 0.1

/** Ids of the panes, in reading order. */
export function paneIds(layout: Layout): string[] {
  return layout.kind === 'pane' ? [layout.id] : [...paneIds(layout.first), ...paneIds(layout.second)]
}

/** Splits a pane in half with another one. */
export function splitPane(layout: Layout, id: string, direction: SplitLayout['direction'], added: string): Layout {
  return placeBeside(layout, id, direction === 'row' ? 'right' : 'bottom', { kind: 'pane', id: added })
}

/** Edges of a pane that another one can be put at. */
export const EDGES = ['left', 'right', 'top', 'bottom'] as const
export type Edge = (typeof EDGES)[number]

/**
 * Halves a pane, and puts other panes into the half at an edge.
 * @param moved may have no pane of the layout
 */
export function placeBeside(layout: Layout, id: string, edge: Edge, moved: Layout): Layout {
  const isFirst = edge === 'left' || edge === 'top'
  const direction = edge === 'left' || edge === 'right' ? 'row' : 'column'
  const taken = new Set([...splitIds(layout), ...splitIds(moved)])
  let name = `split ${paneIds(moved)[0]}`
  // Splits are named after the pane they were made for, which may have been moved since.
  while (taken.has(name)) name += ' again'
  const place = (part: Layout): Layout => {
    if (part.kind === 'split') return { ...part, first: place(part.first), second: place(part.second) }
    if (part.id !== id) return part
    const [first, second] = isFirst ? [moved, part] : [part, moved]
    return { kind: 'split', id: name, direction, share: 0.5, first, second }
  }
  return place(layout)
}

function splitIds(layout: Layout): string[] {
  return layout.kind === 'pane' ? [] : [layout.id, ...splitIds(layout.first), ...splitIds(layout.second)]
}

/** Removes a pane, whose sibling takes its room; undefined when it was the last. */
export function withoutPane(layout: Layout, id: string): Layout | undefined {
  if (layout.kind === 'pane') return layout.id === id ? undefined : layout
  const first = withoutPane(layout.first, id)
  const second = withoutPane(layout.second, id)
  return first && second ? { ...layout, first, second } : (first ?? second)
}

/** Moves the divider of a split; both sides keep a minimum size. */
export function withShare(layout: Layout, id: string, share: number): Layout {
  if (layout.kind === 'pane') return layout
  const kept = Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share))
  if (layout.id === id) return { ...layout, share: kept }
  return { ...layout, first: withShare(layout.first, id, share), second: withShare(layout.second, id, share) }
}

/** Panes of the same size, halved along the longer side of wide windows first; undefined for none. */
export function tiles(ids: readonly string[], direction: SplitLayout['direction'] = 'row'): Layout | undefined {
  const [first] = ids
  if (first === undefined) return undefined
  if (ids.length === 1) return { kind: 'pane', id: first }
  const half = Math.ceil(ids.length / 2)
  const across = direction === 'row' ? 'column' : 'row'
  const [one, two] = [tiles(ids.slice(0, half), across), tiles(ids.slice(half), across)]
  if (!one || !two) return one ?? two
  return {
    kind: 'split',
    id: `split ${ids[half]} in tiles`,
    direction,
    share: half / ids.length,
    first: one,
    second: two,
  }
}
