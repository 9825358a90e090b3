// Columns of a table and their order.
import type { ReactNode } from 'react'

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
