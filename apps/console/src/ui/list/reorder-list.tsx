// A reorderable list. Each item has a handle: drag it, or move it with the arrow keys, Home and End. Pointer events
// rather than native drag and drop, which does not exist on touch screens.
import { GripVertical } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { uiMessages } from '../messages.ts'
import classes from './reorder-list.module.css'

interface ReorderListProps<Item> {
  /** Accessible name of the list. */
  readonly label: string
  readonly items: readonly Item[]
  readonly itemKey: (item: Item) => string
  readonly renderItem: (item: Item, index: number) => ReactNode
  /** Accessible name of an item's handle. */
  readonly handleLabel: (index: number) => string
  /** Absent: the order cannot be changed. */
  readonly onMove?: ((from: number, to: number) => void) | undefined
  /** Highlights an item, for example the one that decided. */
  readonly marked?: string | undefined
}

interface Drag {
  readonly from: number
  readonly to: number
}

export function ReorderList<Item>(props: ReorderListProps<Item>) {
  const { label, items, itemKey, renderItem, handleLabel, onMove, marked } = props
  const [drag, setDrag] = useState<Drag>()
  const list = useRef<HTMLOListElement>(null)
  /** Key of the item whose handle gets the focus after a move. */
  const followed = useRef<string>(undefined)

  useEffect(() => {
    if (followed.current === undefined) return
    const item = list.current?.children[items.findIndex((each) => itemKey(each) === followed.current)]
    item?.querySelector<HTMLElement>('[data-handle]')?.focus()
    followed.current = undefined
  }, [items, itemKey])

  const move = (from: number, to: number) => {
    const item = items[from]
    const target = Math.max(0, Math.min(items.length - 1, to))
    if (!item || target === from) return
    followed.current = itemKey(item)
    onMove?.(from, target)
  }
  const onKey = (event: KeyboardEvent, index: number) => {
    const targets: Record<string, number> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: items.length - 1 }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    move(index, target)
  }
  const indexAt = (y: number, from: number): number => {
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect())
    const before = rows.filter(({ top, height }, index) => index !== from && top + height / 2 < y).length
    return before
  }
  return (
    <ol ref={list} aria-label={label} className={classes['list']}>
      {items.map((item, index) => (
        <li
          key={itemKey(item)}
          className={classes['item']}
          data-dragged={drag?.from === index || undefined}
          data-drop={dropSide(drag, index)}
          data-marked={marked === itemKey(item) || undefined}
        >
          {onMove ? (
            <button
              data-tip={uiMessages.reorderHint}
              type="button"
              data-handle
              aria-label={handleLabel(index)}
              className={classes['handle']}
              onKeyDown={(event) => onKey(event, index)}
              onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
                event.currentTarget.setPointerCapture(event.pointerId)
                setDrag({ from: index, to: index })
              }}
              onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event.clientY, drag.from) })}
              onPointerUp={() => {
                if (drag) move(drag.from, drag.to)
                setDrag(undefined)
              }}
              onPointerCancel={() => setDrag(undefined)}
            >
              <GripVertical size={16} aria-hidden />
            </button>
          ) : null}
          <div className={classes['body']}>{renderItem(item, index)}</div>
        </li>
      ))}
    </ol>
  )
}

/** On which side of the target item the dragged one would land. */
function dropSide(drag: Drag | undefined, index: number): 'above' | 'below' | undefined {
  if (!drag || drag.to === drag.from || index !== drag.to) return undefined
  return drag.to < drag.from ? 'above' : 'below'
}
