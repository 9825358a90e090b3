// Dragging panes by their header, and tabs, over the panes on the screen. Mouse and pen; fingers scroll, and have the menu.
import type { PointerEvent } from 'react'
import { createStore } from '../../../platform/store.ts'
import type { Edge } from '../layout/layout.ts'
import type { Moved, Place } from './moves.ts'

/** Pointer travel before a press becomes a drag, CSS pixels. */
export const SLACK = 6

/** The place under the pointer while something is dragged; undefined where it would stay as it is. */
export const dragPlace = createStore<Place | undefined>(undefined)

/**
 * The place at a point of the page.
 * @param own panes that are dragged
 * @param overTabs what the tab bar is for; undefined: no place
 */
export function placeAt(x: number, y: number, own: readonly string[], overTabs: Place | undefined): Place | undefined {
  const under = document.elementFromPoint(x, y)
  if (under?.closest('[data-tab-bar]')) return overTabs
  const pane = under?.closest<HTMLElement>('[data-pane]')
  const beside = pane?.dataset['pane']
  if (!pane || beside === undefined || own.includes(beside)) return undefined
  return { beside, edge: nearestEdge(pane.getBoundingClientRect(), x, y) }
}

/** The edge that a point of a box is nearest to, in shares of its size. */
export function nearestEdge({ left, top, width, height }: Omit<DOMRect, 'toJSON'>, x: number, y: number): Edge {
  const across = (x - left) / width
  const down = (y - top) / height
  const distances: readonly [Edge, number][] = [
    ['left', across],
    ['right', 1 - across],
    ['top', down],
    ['bottom', 1 - down],
  ]
  return distances.reduce((best, next) => (next[1] < best[1] ? next : best))[0]
}

/** Begins to drag a pane by its header. */
export function dragPane(
  pane: string,
  { button, pointerType, clientX, clientY, target }: PointerEvent<HTMLElement>,
  onDrop: (moved: Moved, place: Place) => void,
): void {
  if (button !== 0 || pointerType === 'touch') return
  if (target instanceof Element && target.closest('button, a, input')) return
  let isDrag = false
  followPointer({
    move(x, y) {
      isDrag ||= Math.hypot(x - clientX, y - clientY) > SLACK
      if (isDrag) dragPlace.set(samePlace(placeAt(x, y, [pane], 'own-tab')))
    },
    drop() {
      const place = dragPlace.get()
      if (place) onDrop({ pane }, place)
    },
  })
}

/** Keeps the value where it means the same, so that nothing is drawn again. */
export function samePlace(place: Place | undefined): Place | undefined {
  const before = dragPlace.get()
  if (typeof before !== 'object' || typeof place !== 'object') return place
  return before.beside === place.beside && before.edge === place.edge ? before : place
}

interface Following {
  readonly move: (x: number, y: number) => void
  readonly drop: () => void
  /** Dropped or not. */
  readonly ended?: () => void
}

/** Follows the pressed pointer until it is released; Escape, and what the system takes, drop nothing. */
export function followPointer({ move, drop, ended }: Following): void {
  const over = new AbortController()
  const options = { signal: over.signal, capture: true }
  const end = (): void => {
    over.abort()
    dragPlace.set(undefined)
    ended?.()
  }
  // On the window, because what is dragged may move in the page and would lose a captured pointer.
  addEventListener('pointermove', ({ clientX, clientY }) => move(clientX, clientY), options)
  addEventListener(
    'pointerup',
    () => {
      drop()
      end()
    },
    options,
  )
  addEventListener('pointercancel', end, options)
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      end()
    },
    options,
  )
}
