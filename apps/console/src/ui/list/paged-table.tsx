// Body of a list page: the load error with a retry, the rows, and the pager.
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, startTransition, useDeferredValue, useEffect, useState } from 'react'
import type { ListPage } from '../../live/apply-events.ts'
import { nextTask } from '../../platform/next-task.ts'
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

/** A list has been on the screen since the console was loaded: later ones appear in one piece. */
let hasDrawn = false

/** Rows of the first list that are drawn before the others: as many as most screens show. */
const FIRST_ROWS = 12

/** Whoever reloads a page or comes back to it may be further down: nothing is missing there when the browser scrolls. */
function beginsAtTop(): boolean {
  const [visit] = performance.getEntriesByType('navigation')
  return visit instanceof PerformanceNavigationTiming && visit.type === 'navigate'
}

export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { list, embedded = false, failed, page, perPage, renderPageLink, onPageGone, ...table } = props
  // Drawing many rows at once takes long on a slow machine: it gives way to input and to the frame before it. So does the
  // first list of the console, whose answer may be there before the frame is.
  const mayDraw = useDeferredValue(true, hasDrawn)
  const [isWhole, setWhole] = useState(() => hasDrawn || !beginsAtTop())
  const latest = useDeferredValue(list.data)
  const data = mayDraw ? latest : undefined
  const hasRows = data !== undefined
  useEffect(() => {
    hasDrawn ||= hasRows
    if (!hasRows) return
    // Behind the frame of the first ones, which would wait for the others otherwise.
    const frame = requestAnimationFrame(() => void nextTask().then(() => startTransition(() => setWhole(true))))
    return () => cancelAnimationFrame(frame)
  }, [hasRows])
  const isPrevious = useDeferredValue(list.isPlaceholderData)
  // The page of the rows on the screen: those of the previous one keep their places until the next one is there.
  const [shownPage, setShownPage] = useState(page)
  if (shownPage !== page && !list.isPlaceholderData && data === list.data) setShownPage(page)
  const total = data?.total ?? 0
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const isBeyondEnd = data !== undefined && !isPrevious && page > lastPage
  useEffect(() => {
    if (isBeyondEnd) onPageGone(lastPage)
  })
  return (
    <>
      {list.isError ? <ErrorPanel title={failed} error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.isError && !data ? null : (
        <DataTable
          grid={!embedded}
          {...table}
          rows={isBeyondEnd ? undefined : isWhole ? data?.items : data?.items.slice(0, FIRST_ROWS)}
          part={{ total, before: (shownPage - 1) * perPage }}
          stale={isPrevious}
        />
      )}
      <Pager
        key={table.visit}
        list={table.label}
        page={page}
        perPage={perPage}
        total={total}
        renderLink={renderPageLink}
      />
    </>
  )
}
