// Live list of the namespace's sessions.
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX, SquareTerminal } from 'lucide-react'
import { useCallback } from 'react'
import { useRuntime } from '../../core/context.tsx'
import type { Column } from '../../ui/list/data-table.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { sessionsMessages as texts } from './messages.ts'
import { SESSIONS_PER_PAGE, sessionListQuery } from './queries.ts'
import { type SessionsSearch, isFiltered, sessionListOf } from './search.ts'
import { SessionFilters } from './session-filters.tsx'
import { SessionDuration, SessionEnd, SessionTarget, SessionType } from './session-cells.tsx'
import cells from '../../ui/list/cells.module.css'

const COLUMNS: readonly Column<Session>[] = [
  { id: 'target', header: texts.columns.target, cell: (session) => <SessionTarget session={session} /> },
  {
    id: 'from',
    header: texts.columns.from,
    cell: (session) => <span className={cells['whole']}>{session.ip_address}</span>,
  },
  { id: 'type', header: texts.columns.type, cell: (session) => <SessionType session={session} /> },
  { id: 'started', header: texts.columns.started, cell: (session) => <TimeAgo time={session.started_at} /> },
  { id: 'duration', header: texts.columns.duration, cell: (session) => <SessionDuration session={session} /> },
  { id: 'end', header: texts.columns.end, cell: (session) => <SessionEnd session={session} /> },
]

export function SessionsPage({ search }: { readonly search: SessionsSearch }) {
  const { api } = useRuntime()
  const navigate = useNavigate({ from: '/sessions' })
  const list = useQuery(sessionListQuery(api, sessionListOf(search)))
  const choose = (change: Partial<SessionsSearch>) =>
    void navigate({ search: { ...search, ...change, page: 1 }, replace: true })
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate],
  )
  return (
    <Page title={texts.title}>
      {isFiltered(search) || (list.data?.total ?? 0) > 0 ? (
        <SessionFilters
          search={search}
          onChoose={choose}
          onClear={() => void navigate({ search: { page: 1 }, replace: true })}
          onSearch={searchFor}
        />
      ) : null}
      <PagedTable
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={(session) => session.uid}
        page={search.page}
        perPage={SESSIONS_PER_PAGE}
        onPageGone={(page) => void navigate({ search: { ...search, page }, replace: true })}
        renderPageLink={(page, children, label, className) => (
          <Link to="/sessions" search={{ ...search, page }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={
          isFiltered(search) ? (
            <EmptyState icon={<SearchX size={24} />} title={texts.noMatches} text={texts.noMatchesText} />
          ) : (
            <EmptyState icon={<SquareTerminal size={24} />} title={texts.empty} text={texts.emptyText}>
              <Link to="/devices">{texts.toDevices}</Link>
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
