// Selecting rows of a table: one, or with Shift all from the last one to this one.
import { useRef } from 'react'

export interface Selection<Row> {
  /** Keys of the selected rows. */
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  /** Label of a row's checkbox. */
  readonly label: (row: Row) => string
}

/**
 * @param order keys of the visible rows
 * @returns selects or deselects a row; with `range` the rows between the last one and this one take its new state
 */
export function useToggle<Row>(
  selection: Selection<Row> | undefined,
  order: readonly string[],
): (key: string, range: boolean) => void {
  const last = useRef<string>(undefined)
  return (key, range) => {
    if (!selection) return
    const keys = toggled(selection.keys, order, { key, from: range ? last.current : undefined })
    last.current = key
    selection.onChange(keys)
  }
}

/**
 * The selection after a row was toggled. Pure.
 * @param from the other end of a range; undefined, or no longer visible: only the row itself
 */
export function toggled(
  selected: ReadonlySet<string>,
  order: readonly string[],
  { key, from }: { readonly key: string; readonly from: string | undefined },
): ReadonlySet<string> {
  const keys = new Set(selected)
  const chosen = !selected.has(key)
  const [start, end] = [from === undefined ? -1 : order.indexOf(from), order.indexOf(key)]
  const range = start < 0 || end < 0 ? [key] : order.slice(Math.min(start, end), Math.max(start, end) + 1)
  for (const each of range) {
    if (chosen) keys.add(each)
    else keys.delete(each)
  }
  return keys
}
