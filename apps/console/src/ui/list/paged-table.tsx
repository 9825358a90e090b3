// Body of a list page: the load error with a retry, the rows, and the pager.
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import type { ListPage } from '../../live/apply-events.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ErrorPanel } from '../feedback/error-panel.tsx'
import { Pager } from './pager.tsx'

interface PagedTableProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'stale' | 'part' | 'grid'> {
  readonly list: UseQueryResult<ListPage<Row>>
  /** One list among other things on its page: it does not take the focus on arrival. */
  readonly embedded?: boolean
  /** "The devices could not be loaded." */
  readonly failed: string
  readonly page: number
  readonly perPage: number
  /** Renders a link to a page of the list. */
  readonly renderPageLink: (page: number, children: ReactNode, label: string, className: string) => ReactNode
  /** The page no longer exists because rows are gone: this is the last one. */
  readonly onPageGone: (lastPage: number) => void
}

export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { list, embedded = false, failed, page, perPage, renderPageLink, onPageGone, ...table } = props
  const total = list.data?.total ?? 0
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const isBeyondEnd = list.data !== undefined && !list.isPlaceholderData && page > lastPage
  useEffect(() => {
    if (isBeyondEnd) onPageGone(lastPage)
  })
  return (
    <>
      {list.isError ? <ErrorPanel title={failed} error={list.error} onRetry={() => void list.refetch()} /> : null}
      {list.isError && !list.data ? null : (
        <DataTable
          grid={!embedded}
          {...table}
          rows={isBeyondEnd ? undefined : list.data?.items}
          part={{ total, before: (page - 1) * perPage }}
          stale={list.isPlaceholderData}
        />
      )}
      <Pager list={table.label} page={page} perPage={perPage} total={total} renderLink={renderPageLink} />
    </>
  )
}
