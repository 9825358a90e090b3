// Live list of the namespace's sessions.
import { SESSION_SORTS } from '@bowline/contract/operations/sessions'
import { SESSION_GROUPINGS, type Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX, SquareTerminal } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useListExport } from '../../core/use-list-export.ts'
import { DisplayMenu } from '../../ui/controls/display-menu.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Page } from '../../ui/page/page.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { EndSession } from './actions/end-session.tsx'
import { useEndKey } from './actions/use-end-key.ts'
import { sessionsMessages as texts } from './messages.ts'
import { savedQuery } from '../views/saved-query.ts'
import { ViewsMenu } from '../views/views-menu.tsx'
import {
  SESSIONS_PER_PAGE,
  SESSION_PAGE_SIZES,
  type SessionListQuery,
  openSessionExport,
  sessionListQuery,
} from './queries.ts'
import {
  DEFAULT_SORT,
  SAVED,
  SessionsSearch,
  groupedBy,
  isFiltered,
  narrowedTo,
  sessionGroupsOf,
  sessionListOf,
} from './search.ts'
import { SESSION_COLUMNS, rememberColumns, visibleColumns } from './session-columns.tsx'
import { SessionGroups } from './session-groups.tsx'
import { SessionFilters } from './session-filters.tsx'
import { SessionPresets } from './session-presets.tsx'
import bar from '../../ui/controls/choice-menu.module.css'

export function SessionsPage({ search }: { readonly search: SessionsSearch }) {
  const { api } = useRuntime()
  const navigate = useNavigate({ from: '/sessions' })
  const shown = sessionListOf(search)
  const groups = sessionGroupsOf(search)
  const [remembered, setRemembered] = useState(() => visibleColumns({}))
  const columns = search.cols ? visibleColumns(search) : remembered
  const exportAll = useListExport({
    name: 'sessions',
    open: (format) => openSessionExport(api, shown, format),
    failed: texts.exportFailed,
  })
  const open = (next: SessionsSearch) => void navigate({ search: next, replace: true })
  // Another list, not a narrower one: Back returns from it.
  const group = (by: SessionsSearch['group']) => void navigate({ search: groupedBy(search, by) })
  const choose = (change: Partial<SessionsSearch>) => open({ ...search, ...change, page: 1 })
  const show = (ids: readonly string[] | undefined) => {
    const chosen = rememberColumns(ids)
    setRemembered(chosen)
    // A view brings its columns in the address: what is chosen now replaces them.
    if (search.cols) open({ ...search, cols: [...chosen] })
  }
  const searchFor = useCallback(
    (words: string) => {
      const q = words === '' ? undefined : words
      void navigate({ search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate],
  )
  return (
    <Page title={texts.title}>
      <SessionPresets search={search}>
        <div className={bar['tools']}>
          <ViewsMenu
            list="sessions"
            query={savedQuery(search, SAVED)}
            columns={columns}
            onOpen={(query) => void navigate({ search: SessionsSearch.parse(query) })}
          />
          <DisplayMenu
            columns={groups ? [] : SESSION_COLUMNS}
            visible={columns}
            onShow={show}
            sizes={SESSION_PAGE_SIZES}
            size={search.size ?? SESSIONS_PER_PAGE}
            onSize={(size) => choose({ size: size === SESSIONS_PER_PAGE ? undefined : size })}
            onExport={exportAll}
            grouping={{
              names: texts.groups.by,
              chosen: search.group,
              onChoose: (id) => group(SESSION_GROUPINGS.find((known) => known === id)),
            }}
          />
          <SearchField label={texts.search} words={search.q ?? ''} onSearch={searchFor} />
        </div>
      </SessionPresets>
      <SessionFilters
        search={search}
        onChoose={choose}
        onClear={() => open(narrowedTo(search, {}))}
        onUngroup={() => group(undefined)}
      />
      {groups ? (
        <SessionGroups search={search} shown={groups} onOpen={open} empty={<NoSessions search={search} />} />
      ) : (
        <SessionTable search={search} shown={shown} columns={columns} onOpen={open} />
      )}
    </Page>
  )
}

interface SessionTableProps {
  readonly search: SessionsSearch
  /** The list of the search. */
  readonly shown: SessionListQuery
  /** Ids of the visible ones. */
  readonly columns: readonly string[]
  /** Replaces the search. */
  readonly onOpen: (search: SessionsSearch) => void
}

function SessionTable({ search, shown, columns, onOpen }: SessionTableProps) {
  const { api } = useRuntime()
  const list = useQuery(sessionListQuery(api, shown))
  const [ending, setEnding] = useState<Session>()
  const [isAsking, setAsking] = useState(false)
  const onRowKey = useEndKey((session) => {
    setEnding(session)
    setAsking(true)
  })
  return (
    <>
      {ending ? <EndSession session={ending} opened={isAsking} onClose={() => setAsking(false)} /> : null}
      <PagedTable
        onRowKey={onRowKey}
        keysHint={texts.rowKeys}
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={SESSION_COLUMNS}
        visible={columns}
        scrolls
        rowKey={(session) => session.uid}
        sort={{ by: shown.sort ?? DEFAULT_SORT, order: shown.order ?? 'desc' }}
        onSort={({ by, order }) =>
          onOpen({ ...search, sort: SESSION_SORTS.find((known) => known === by), order, page: 1 })
        }
        page={search.page}
        perPage={search.size ?? SESSIONS_PER_PAGE}
        onPageGone={(page) => onOpen({ ...search, page })}
        renderPageLink={(page, children, label, className) => (
          <Link to="/sessions" search={{ ...search, page }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<NoSessions search={search} />}
      />
    </>
  )
}

function NoSessions({ search }: { readonly search: SessionsSearch }) {
  return isFiltered(search) ? (
    <EmptyState icon={<SearchX size={24} />} title={texts.noMatches} text={texts.noMatchesText} />
  ) : (
    <EmptyState icon={<SquareTerminal size={24} />} title={texts.empty} text={texts.emptyText}>
      <Link to="/devices">{texts.toDevices}</Link>
    </EmptyState>
  )
}
