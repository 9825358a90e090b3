// The table of every list page: a table on wide screens, cards on narrow ones, from one markup. The first column holds
// the row's link. A list with pages, and a table whose rows have keys of their own, is a grid: one Tab stop, arrow keys
// inside.
import { columnOrderingFeature, columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { type ReactNode, useMemo, useRef } from 'react'
import type { Column, Sort } from './column.ts'
import { FocusKeeper } from './focus-keeper.tsx'
import { Skeleton } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { HeaderCell, SelectAll } from './header-cells.tsx'
import { useFocusOnArrival, useRoving } from './roving.ts'
import { type Selection, useToggle } from './selection.ts'
import { TableRow } from './table-row.tsx'
import { useHandler } from '../../platform/use-handler.ts'
import edges from '../page/edges.module.css'
import classes from './data-table.module.css'

export type { Column, Sort } from './column.ts'
export type { Selection } from './selection.ts'

export interface DataTableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Ids of the visible columns, in order; absent: all. */
  readonly visible?: readonly string[]
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
  /** One Tab stop, and keys that move inside, though rows have no keys of their own. */
  readonly grid?: boolean
  /** The keys of `onRowKey` in words, for screen readers. */
  readonly keysHint?: string
  /** Scrolls in its own frame, below its header: for lists with many rows or columns. */
  readonly scrolls?: boolean
  /** The rows are those of the previous page, while the next one loads. */
  readonly stale?: boolean
  /** Rows of the whole list, and those before this page; absent: the rows are all there are. */
  readonly part?: { readonly total: number; readonly before: number }
  /** Changes with the page of the list: it begins at its top, and takes the focus as if the table were new. */
  readonly visit?: number
  /** Shown when there are no rows. */
  readonly empty: ReactNode
}

/** Counted with the rows by screen readers. */
const HEADER_ROWS = 1
const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']
const FEATURES = tableFeatures({ columnVisibilityFeature, columnOrderingFeature })

/** What the model of the table holds for a row. */
interface Item<Row> {
  readonly row: Row
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, stale, empty, scrolls } = props
  return (
    <FocusKeeper
      item="tbody tr"
      target="[data-primary] a"
      className={classes['frame']}
      data-scrolls={(scrolls && rows?.length !== 0) || undefined}
      data-stale={stale}
      aria-busy={rows === undefined || stale}
    >
      {rows?.length === 0 ? empty : <Table {...props} />}
    </FocusKeeper>
  )
}

/** The visible columns in their order, and the rows with their keys. */
function useModel<Row>({ columns, visible, rows, rowKey }: DataTableProps<Row>) {
  const definitions = useMemo(() => columns.map(({ id }) => ({ id })), [columns])
  const items = useMemo((): Item<Row>[] => rows?.map((row) => ({ row })) ?? [], [rows])
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({ id }) => [id, visible === undefined || visible.includes(id)])),
    [columns, visible],
  )
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data: items,
    getRowId: ({ row }: Item<Row>) => rowKey(row),
    state: { columnVisibility, columnOrder: [...(visible ?? [])] },
  })
  const order = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join(' ')
  // The same array as long as the same columns are shown, so that rows need not be drawn again.
  const shown = useMemo(() => {
    const known = new Map(columns.map((column) => [column.id, column]))
    return order.split(' ').flatMap((id) => known.get(id) ?? [])
  }, [columns, order])
  return {
    columns: shown,
    rows: rows && table.getRowModel().rows.map(({ id, original }) => ({ key: id, row: original.row })),
  }
}

function Table<Row>(props: DataTableProps<Row>) {
  const { label, renderActions, sort, onSort, onRowKey, selection, keysHint, part, visit, grid = false } = props
  const { columns, rows } = useModel(props)
  const element = useRef<HTMLTableElement>(null)
  const isGrid = grid || selection !== undefined || onRowKey !== undefined
  const roving = useRoving(element, isGrid)
  useFocusOnArrival(element, isGrid && rows !== undefined, visit)
  const toggle = useToggle(
    selection,
    useMemo(() => rows?.map(({ key }) => key) ?? [], [rows]),
  )
  const onToggle = useHandler(toggle)
  const onKey = useHandler((row: Row, key: string) => onRowKey?.(row, key) ?? false)
  const width = columns.length + (renderActions ? 1 : 0) + (selection ? 1 : 0)
  return (
    <table
      ref={element}
      role={isGrid ? 'grid' : undefined}
      aria-label={label}
      aria-multiselectable={selection ? true : undefined}
      aria-rowcount={part ? part.total + HEADER_ROWS : undefined}
      className={classes['table']}
      {...roving}
    >
      <caption className={classes['hidden']}>
        {isGrid ? uiMessages.keysHint : ''} {selection ? uiMessages.selectKeysHint : ''} {keysHint ?? ''}
      </caption>
      <thead>
        <tr className={`${edges['edges']} ${edges['onPhones']}`}>
          {selection && rows ? <SelectAll selection={selection} rowKeys={rows.map(({ key }) => key)} /> : null}
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
          ? rows.map(({ key, row }, at) => (
              <TableRow
                key={key}
                row={row}
                rowKey={key}
                position={part ? part.before + HEADER_ROWS + at + 1 : undefined}
                columns={columns}
                renderActions={renderActions}
                label={selection?.label(row)}
                isSelected={selection?.keys.has(key) ?? false}
                onToggle={onToggle}
                onRowKey={onKey}
              />
            ))
          : SKELETON_ROWS.map((key) => (
              <tr key={key} className={classes['row']}>
                <td colSpan={width}>
                  <Skeleton height={18} radius="sm" />
                </td>
              </tr>
            ))}
      </tbody>
    </table>
  )
}
