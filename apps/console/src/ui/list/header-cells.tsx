// Cells of a table's header: sorting, and selecting the page.
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { Check } from './check.tsx'
import { uiMessages } from '../messages.ts'
import type { Column, Sort } from './column.ts'
import type { Selection } from './selection.ts'
import classes from './data-table.module.css'

interface SelectAllProps<Row> {
  readonly selection: Selection<Row>
  /** Counts rows of this page only. */
  readonly rowKeys: readonly string[]
}

export function SelectAll<Row>({ selection: { keys, onChange }, rowKeys }: SelectAllProps<Row>) {
  const chosen = rowKeys.filter((key) => keys.has(key)).length
  return (
    <th className={classes['select']}>
      <Check
        label={uiMessages.selectAll}
        checked={chosen > 0 && chosen === rowKeys.length}
        indeterminate={chosen > 0 && chosen < rowKeys.length}
        onChange={(event) => onChange(new Set(event.currentTarget.checked ? rowKeys : []))}
      />
    </th>
  )
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
}

export function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { sortBy } = column
  const style = column.width === undefined ? {} : { style: { width: column.width } }
  if (sortBy === undefined || !onSort) {
    return (
      <th scope="col" data-wide={column.wideOnly} {...style}>
        {column.header}
      </th>
    )
  }
  const order = sort?.by === sortBy ? sort.order : undefined
  const Icon = order === undefined ? ChevronsUpDown : order === 'asc' ? ArrowUp : ArrowDown
  const direction = order === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" data-wide={column.wideOnly} aria-sort={order === undefined ? 'none' : direction} {...style}>
      <button
        type="button"
        className={classes['sort']}
        data-active={order !== undefined}
        title={uiMessages.sortBy(column.header)}
        onClick={() => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' })}
      >
        {column.header}
        <Icon size={13} aria-hidden />
      </button>
    </th>
  )
}
