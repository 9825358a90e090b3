// Keeps the focus in a list whose items disappear: it moves to the item that takes the place of the focused one,
// otherwise to the list itself. Without this, accepting a device sends keyboard users back to the top of the page.
import { type FocusEvent, type HTMLAttributes, useEffect, useRef } from 'react'

interface FocusKeeperProps extends HTMLAttributes<HTMLDivElement> {
  /** CSS selector of an item. */
  readonly item: string
  /** CSS selector of the focusable element inside an item. */
  readonly target: string
}

interface FocusedItem {
  readonly element: Element
  readonly index: number
}

export function FocusKeeper({ item, target, children, ...others }: FocusKeeperProps) {
  const list = useRef<HTMLDivElement>(null)
  const focused = useRef<FocusedItem>(undefined)

  const remember = ({ target: element }: FocusEvent) => {
    const items = [...(list.current?.querySelectorAll(item) ?? [])]
    const index = items.findIndex((each) => each.contains(element))
    focused.current = index < 0 ? undefined : { element, index }
  }
  // Runs after every change of the list: no event reports that a focused element was removed.
  useEffect(() => {
    if (!focused.current || focused.current.element.isConnected || document.activeElement !== document.body) return
    const items = list.current?.querySelectorAll(item)
    const next = items?.[Math.min(focused.current.index, items.length - 1)]?.querySelector<HTMLElement>(target)
    focused.current = undefined
    ;(next ?? list.current)?.focus()
  })
  return (
    <div ref={list} tabIndex={-1} onFocus={remember} {...others}>
      {children}
    </div>
  )
}
