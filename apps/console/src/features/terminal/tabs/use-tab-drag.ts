// Drag of tabs by mouse or pen: the tab follows the pointer from place to place. Fingers scroll the bar.
import { type PointerEvent, useState } from 'react'

/** Pointer travel before a press becomes a drag, CSS pixels. */
const SLACK = 6

interface TabDrag {
  /** The dragged tab. */
  readonly dragged: string | undefined
  readonly begin: (id: string, event: PointerEvent<HTMLElement>) => void
}

/** @param onMove called with the index under the pointer */
export function useTabDrag(onMove: (id: string, to: number) => void): TabDrag {
  const [dragged, setDragged] = useState<string>()
  return {
    dragged,
    begin(id, { button, pointerType, clientX: from, currentTarget }) {
      const bar = currentTarget.closest('[role=tablist]')
      if (button !== 0 || pointerType === 'touch' || !bar) return
      const over = new AbortController()
      const { signal } = over
      let isDrag = false
      const stop = () => {
        over.abort()
        setDragged(undefined)
      }
      // On the window, because the tab's element moves within the bar and would lose a captured pointer.
      addEventListener(
        'pointermove',
        ({ clientX }) => {
          isDrag ||= Math.abs(clientX - from) > SLACK
          if (!isDrag) return
          setDragged(id)
          onMove(id, placeAt(bar, id, clientX))
        },
        { signal },
      )
      addEventListener('pointerup', stop, { signal })
      addEventListener('pointercancel', stop, { signal })
    },
  }
}

/** Number of other tabs whose middle is before a point. */
function placeAt(bar: Element, id: string, x: number): number {
  const others = [...bar.querySelectorAll('[role=tab]')].filter((tab) => tab.id !== id)
  return others.filter((tab) => {
    const { left, width } = tab.getBoundingClientRect()
    return left + width / 2 < x
  }).length
}
