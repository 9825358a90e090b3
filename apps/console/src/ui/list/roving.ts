// Keyboard in a grid: it is one Tab stop, and keys move inside. Arrow keys (j and k too) go between rows, left and right
// between the controls of a row, Home and End to the first and last row.
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'

const CONTROLS = 'a[href], button:not([disabled]), input:not([disabled])'
const PRIMARY = '[data-primary] a'

/** Moves the focus into the first grid of the page, to the row where it was last. */
export function focusList(options?: FocusOptions): void {
  const controls = document.querySelector('main [role="grid"]')?.querySelectorAll<HTMLElement>(CONTROLS) ?? []
  // Links are Tab stops without an attribute.
  ;[...controls].find(({ tabIndex }) => tabIndex === 0)?.focus(options)
}

interface Roving {
  readonly onKeyDown: (event: KeyboardEvent<HTMLTableElement>) => void
  readonly onFocus: (event: { readonly target: EventTarget }) => void
}

/**
 * @param table the grid
 * @param isOn false: every control stays a Tab stop of its own
 */
export function useRoving(table: RefObject<HTMLTableElement | null>, isOn: boolean): Roving {
  const active = useRef<HTMLElement>(undefined)
  const arrange = (): void => {
    if (!isOn || !table.current) return
    const controls = [...table.current.querySelectorAll<HTMLElement>(CONTROLS)]
    if (!active.current || !controls.includes(active.current)) {
      active.current = table.current.querySelector<HTMLElement>(`tbody ${PRIMARY}`) ?? controls[0]
    }
    for (const control of controls) {
      const tabIndex = control === active.current ? 0 : -1
      // Even the same number would have the browser compute styles anew.
      if (control.tabIndex !== tabIndex) control.tabIndex = tabIndex
    }
  }
  // After every render: rows and their controls come and go.
  useEffect(arrange)

  const focus = (element: HTMLElement | null | undefined): void => {
    if (!element) return
    element.focus()
    element.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  return {
    onFocus({ target }) {
      if (!isOn || !(target instanceof HTMLElement) || !target.matches(CONTROLS)) return
      active.current = target
      arrange()
    },
    onKeyDown(event) {
      const { target, key } = event
      const typing = target instanceof HTMLInputElement && target.type !== 'checkbox'
      if (!isOn || event.ctrlKey || event.metaKey || event.altKey || typing || !(target instanceof HTMLElement)) return
      const row = target.closest('tr')
      const rows = [...(table.current?.querySelectorAll('tr') ?? [])]
      const place = rows.findIndex((each) => each === row)
      if (!row || place < 0) return
      const first = rows.findIndex((each) => each.closest('tbody'))
      const go = (index: number): void => {
        const next = rows[Math.max(0, Math.min(index, rows.length - 1))]
        focus(next?.querySelector<HTMLElement>(PRIMARY) ?? next?.querySelector<HTMLElement>(CONTROLS))
        event.preventDefault()
      }
      if (key === 'ArrowDown' || key === 'j') go(place + 1)
      else if (key === 'ArrowUp' || (key === 'k' && place > first)) go(place - 1)
      else if (key === 'Home') go(first)
      else if (key === 'End') go(rows.length - 1)
      else if (key === 'ArrowRight' || key === 'ArrowLeft') {
        const controls = [...row.querySelectorAll<HTMLElement>(CONTROLS)]
        const isForward = (key === 'ArrowRight') !== (document.documentElement.dir === 'rtl')
        focus(controls[controls.indexOf(target) + (isForward ? 1 : -1)])
        event.preventDefault()
      }
    },
  }
}

/**
 * When a page arrives, the list begins at its top, and the first row gets the focus if nothing else has it, so that
 * single keys work at once.
 * @param isReady the rows of a grid are on the screen
 * @param visit changes when another page of the list arrives
 */
export function useFocusOnArrival(
  table: RefObject<HTMLTableElement | null>,
  isReady: boolean,
  visit: number | undefined,
): void {
  const done = useRef<{ readonly visit: number | undefined }>(undefined)
  useEffect(() => {
    if (!isReady || (done.current && done.current.visit === visit)) return
    // In the frame that draws the rows: both need their layout, which would be made here and now otherwise.
    const frame = requestAnimationFrame(() => {
      // The first page of a list begins at the top by itself.
      if (done.current) table.current?.parentElement?.scrollTo(0, 0)
      done.current = { visit }
      if (document.activeElement !== document.body) return
      // Not on touch screens, where a focus without a keyboard only draws a ring.
      if (!matchMedia('(hover: hover)').matches) return
      table.current?.querySelector<HTMLElement>(`tbody ${PRIMARY}`)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [table, isReady, visit])
}
