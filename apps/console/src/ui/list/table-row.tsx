// A row of a table. It renders again only when its own properties change: selecting one row must not draw all others.
import { type ReactNode, memo } from 'react'
import type { Column } from './column.ts'
import { Check } from './check.tsx'
import classes from './data-table.module.css'

interface TableRowProps<Row> {
  readonly row: Row
  readonly rowKey: string
  /** For screen readers, counted with the header; absent: the rows are all there are. */
  readonly position: number | undefined
  readonly columns: readonly Column<Row>[]
  readonly renderActions: ((row: Row) => ReactNode) | undefined
  /** Label of the row's checkbox; absent: rows are not selected. */
  readonly label: string | undefined
  readonly isSelected: boolean
  readonly onToggle: (key: string, range: boolean) => void
  /** A key was pressed on the row's link. @returns true when handled */
  readonly onRowKey: (row: Row, key: string) => boolean
}

function TableRowOf<Row>(props: TableRowProps<Row>) {
  const { row, rowKey, position, columns, renderActions, label, isSelected, onToggle, onRowKey } = props
  const isSelectable = label !== undefined
  return (
    <tr
      className={classes['row']}
      aria-rowindex={position}
      onKeyDown={(event) => {
        // Single keys act where no control of its own would take them (WCAG 2.1.4).
        const onLink = event.target instanceof HTMLAnchorElement && event.target.closest('[data-primary]')
        if (!onLink || event.ctrlKey || event.metaKey || event.altKey) return
        if (event.key.toLowerCase() === 'x' && isSelectable) onToggle(rowKey, event.shiftKey)
        else if (!onRowKey(row, event.key)) return
        event.preventDefault()
        event.stopPropagation()
      }}
      aria-selected={isSelectable ? isSelected : undefined}
      data-selected={isSelected || undefined}
    >
      {isSelectable ? (
        <td className={classes['select']}>
          <Check
            label={label}
            checked={isSelected}
            onChange={(event) =>
              onToggle(rowKey, (event.nativeEvent as Event & { readonly shiftKey?: boolean }).shiftKey === true)
            }
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
  )
}

// `memo` loses the type parameter.
export const TableRow = memo(TableRowOf) as typeof TableRowOf
