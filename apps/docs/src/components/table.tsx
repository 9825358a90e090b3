// A table that scrolls sideways where it is wider than the page.
import { type ComponentProps, type ReactElement, useEffect, useRef, useState } from 'react'

/** The keyboard stops only at a table that scrolls: its arrows scroll it (WCAG 2.1.1). */
export function Table(props: ComponentProps<'table'>): ReactElement {
  const table = useRef<HTMLTableElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const { current } = table
    if (!current) return
    const observer = new ResizeObserver(() => setScrolls(current.scrollWidth > current.clientWidth))
    observer.observe(current)
    for (const part of current.children) observer.observe(part)
    return () => observer.disconnect()
  }, [])
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard (WCAG 2.1.1)
  return <table {...props} ref={table} tabIndex={scrolls ? 0 : undefined} />
}
