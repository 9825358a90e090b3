// The table of every list page: a table on wide screens, cards on narrow ones, from one markup. The first column holds
// the row's link; arrow keys (or j and k) move between those links, Home and End jump.
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { FocusKeeper } from './focus-keeper.tsx'
import { Checkbox, Skeleton } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import classes from './data-table.module.css'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** The API's sort field; absent: the column is not sortable. */
  readonly sortBy?: string
  /** CSS width. */
  readonly width?: string
  /** On phones the cell takes the whole width, without its header. */
  readonly block?: true
  /** Hidden below 75 em. */
  readonly wideOnly?: true
}

export interface Sort {
  readonly by: string
  readonly order: 'asc' | 'desc'
}

export interface Selection<Row> {
  /** Keys of the selected rows. */
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  /** Label of a row's checkbox. */
  readonly label: (row: Row) => string
}

export interface DataTableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** undefined until the first answer. */
  readonly rows: readonly Row[] | undefined
  readonly rowKey: (row: Row) => string
  readonly renderActions?: (row: Row) => ReactNode
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  /** Enables row selection, for bulk actions. */
  readonly selection?: Selection<Row>
  /** A key was pressed on a row's link. @returns true when handled */
  readonly onRowKey?: (row: Row, key: string) => boolean
  /** The rows are those of the previous page, while the next one loads. */
  readonly stale?: boolean
  /** Shown when there are no rows. */
  readonly empty: ReactNode
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']
const NEXT_KEYS = new Set(['ArrowDown', 'j'])
const PREVIOUS_KEYS = new Set(['ArrowUp', 'k'])

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, stale, empty } = props
  return (
    <FocusKeeper
      item="tbody tr"
      target="[data-primary] a"
      className={classes['frame']}
      data-stale={stale}
      aria-busy={rows === undefined || stale}
    >
      {rows?.length === 0 ? empty : <Table {...props} />}
    </FocusKeeper>
  )
}

function Table<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, renderActions, sort, onSort, onRowKey, selection } = props
  const toggle = (key: string) => {
    if (!selection) return
    const keys = new Set(selection.keys)
    if (!keys.delete(key)) keys.add(key)
    selection.onChange(keys)
  }
  return (
    <table aria-label={label} className={classes['table']}>
      <caption className={classes['hidden']}>
        {uiMessages.keysHint} {selection ? uiMessages.selectKeysHint : ''}
      </caption>
      <thead>
        <tr>
          {selection && rows ? <SelectAll selection={selection} rowKeys={rows.map((row) => rowKey(row))} /> : null}
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
          {renderActions ? (
            <th className={classes['actionsHead']}>
              <span className={classes['hidden']}>{uiMessages.actions}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {rows
          ? rows.map((row) => (
              <tr
                key={rowKey(row)}
                className={classes['row']}
                onKeyDown={(event) => {
                  moveBetweenRows(event)
                  if (event.defaultPrevented || !isRowLink(event)) return
                  if (event.key === 'x' && selection) toggle(rowKey(row))
                  else if (!onRowKey?.(row, event.key)) return
                  event.preventDefault()
                }}
                data-selected={selection?.keys.has(rowKey(row)) || undefined}
              >
                {selection ? (
                  <td className={classes['select']}>
                    <Checkbox
                      size="xs"
                      aria-label={selection.label(row)}
                      checked={selection.keys.has(rowKey(row))}
                      onChange={() => toggle(rowKey(row))}
                    />
                  </td>
                ) : null}
                {columns.map((column, index) => (
                  <td
                    key={column.id}
                    data-label={column.header}
                    data-primary={index === 0 || undefined}
                    data-block={column.block}
                    data-wide={column.wideOnly}
                  >
                    {column.cell(row)}
                  </td>
                ))}
                {renderActions ? (
                  <td className={classes['actions']}>
                    <div>{renderActions(row)}</div>
                  </td>
                ) : null}
              </tr>
            ))
          : SKELETON_ROWS.map((key) => (
              <tr key={key} className={classes['row']}>
                <td colSpan={columns.length + (renderActions ? 1 : 0) + (selection ? 1 : 0)}>
                  <Skeleton height={18} radius="sm" />
                </td>
              </tr>
            ))}
      </tbody>
    </table>
  )
}

interface SelectAllProps<Row> {
  readonly selection: Selection<Row>
  /** Counts rows of this page only. */
  readonly rowKeys: readonly string[]
}

function SelectAll<Row>({ selection: { keys, onChange }, rowKeys }: SelectAllProps<Row>) {
  const chosen = rowKeys.filter((key) => keys.has(key)).length
  return (
    <th className={classes['select']}>
      <Checkbox
        size="xs"
        aria-label={uiMessages.selectAll}
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

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
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

/** True when the event comes from the row's own link, where single-key shortcuts are allowed (WCAG 2.1.4). */
function isRowLink(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLAnchorElement && event.target.closest('[data-primary]') !== null
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableRowElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !isRowLink(event)) return
  const links = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[data-primary] a') ?? [])]
  const index = links.findIndex((link) => link === event.target)
  let next = -1
  if (NEXT_KEYS.has(event.key)) next = Math.min(index + 1, links.length - 1)
  else if (PREVIOUS_KEYS.has(event.key)) next = Math.max(index - 1, 0)
  else if (event.key === 'Home') next = 0
  else if (event.key === 'End') next = links.length - 1
  if (next < 0) return
  event.preventDefault()
  links[next]?.focus()
}
