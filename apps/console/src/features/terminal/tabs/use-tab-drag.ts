// Drag of tabs by mouse or pen: the tab follows the pointer from place to place, or goes into a pane. Fingers scroll the bar.
import { type PointerEvent, useState } from 'react'
import { SLACK, dragPlace, followPointer, placeAt, samePlace } from '../moving/drag.ts'
import type { Place } from '../moving/moves.ts'

interface TabDrag {
  /** The dragged tab. */
  readonly dragged: string | undefined
  readonly begin: (id: string, event: PointerEvent<HTMLElement>) => void
}

export interface TabDragTargets {
  /** Called with the index under the pointer. */
  readonly onMove: (id: string, to: number) => void
  /** The tab was dropped on a pane. */
  readonly onDrop: (id: string, place: Place) => void
  /** Panes of a tab. */
  readonly panesOf: (id: string) => readonly string[]
}

export function useTabDrag({ onMove, onDrop, panesOf }: TabDragTargets): TabDrag {
  const [dragged, setDragged] = useState<string>()
  return {
    dragged,
    begin(id, { button, pointerType, clientX: fromX, clientY: fromY, currentTarget }) {
      const bar = currentTarget.closest('[role=tablist]')
      if (button !== 0 || pointerType === 'touch' || !bar) return
      let isDrag = false
      followPointer({
        move(x, y) {
          isDrag ||= Math.hypot(x - fromX, y - fromY) > SLACK
          if (!isDrag) return
          setDragged(id)
          const place = placeAt(x, y, panesOf(id), undefined)
          dragPlace.set(samePlace(place))
          if (!place) onMove(id, indexAt(bar, id, x))
        },
        drop() {
          const place = dragPlace.get()
          if (place) onDrop(id, place)
        },
        ended: () => setDragged(undefined),
      })
    },
  }
}

/** Number of other tabs whose middle is before a point. */
function indexAt(bar: Element, id: string, x: number): number {
  const others = [...bar.querySelectorAll('[role=tab]')].filter((tab) => tab.id !== id)
  return others.filter((tab) => {
    const { left, width } = tab.getBoundingClientRect()
    return left + width / 2 < x
  }).length
}
