// Keeps the focus in a list whose items go away under it: the item that takes the place of the one with the focus gets
// it, else the list itself. Without this, accepting a device throws people who use the keyboard back to the page's start.
import { type FocusEvent, type HTMLAttributes, useEffect, useRef } from 'react'

interface FocusKeeperProps extends HTMLAttributes<HTMLDivElement> {
  /** CSS selector of an item. */
  readonly item: string
  /** CSS selector of what gets the focus inside of an item. */
  readonly target: string
}

interface Held {
  readonly element: Element
  readonly index: number
}

export function FocusKeeper({ item, target, children, ...others }: FocusKeeperProps) {
  const list = useRef<HTMLDivElement>(null)
  const held = useRef<Held>(undefined)

  const hold = ({ target: element }: FocusEvent) => {
    const items = [...(list.current?.querySelectorAll(item) ?? [])]
    const index = items.findIndex((each) => each.contains(element))
    held.current = index < 0 ? undefined : { element, index }
  }
  // After every change of the list: nothing else tells that an element with the focus was taken out.
  useEffect(() => {
    if (!held.current || held.current.element.isConnected || document.activeElement !== document.body) return
    const items = list.current?.querySelectorAll(item)
    const next = items?.[Math.min(held.current.index, items.length - 1)]?.querySelector<HTMLElement>(target)
    held.current = undefined
    ;(next ?? list.current)?.focus()
  })
  return (
    <div ref={list} tabIndex={-1} onFocus={hold} {...others}>
      {children}
    </div>
  )
}
