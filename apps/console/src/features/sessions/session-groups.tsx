// The sessions page, grouped: devices or people with their numbers of sessions, each a link to its sessions.
import { SESSION_GROUP_SORTS } from '@bowline/contract/operations/sessions'
import type { SessionGroup, SessionGrouping } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useRuntime } from '../../core/context.tsx'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { uiMessages } from '../../ui/messages.ts'
import { sessionsMessages } from './messages.ts'
import { type SessionGroupQuery, sessionGroupsQuery } from './queries.ts'
import { type SessionsSearch, openedGroup } from './search.ts'
import cells from '../../ui/list/cells.module.css'
import classes from './sessions.module.css'

const texts = sessionsMessages.groups

interface SessionGroupsProps {
  readonly search: SessionsSearch
  /** The groups of the search. */
  readonly shown: SessionGroupQuery
  /** Replaces the search. */
  readonly onOpen: (search: SessionsSearch) => void
  /** In place of rows, when there are none. */
  readonly empty: ReactNode
}

export function SessionGroups({ search, shown, onOpen, empty }: SessionGroupsProps) {
  const { api } = useRuntime()
  const list = useQuery(sessionGroupsQuery(api, shown))
  const columns = useMemo(() => columnsOf(shown.by, search), [shown.by, search])
  return (
    <PagedTable
      key={shown.by}
      label={texts.tables[shown.by]}
      list={list}
      failed={texts.failed}
      columns={columns}
      scrolls
      rowKey={({ device, person }) => device?.uid ?? person?.id ?? 'unknown'}
      sort={{ by: shown.sort, order: shown.order }}
      onSort={({ by, order }) =>
        onOpen({ ...search, rank: SESSION_GROUP_SORTS.find((known) => known === by), order, page: 1 })
      }
      page={shown.page}
      perPage={shown.perPage}
      onPageGone={(page) => onOpen({ ...search, page })}
      renderPageLink={(page, children, label, className) => (
        <Link to="/sessions" search={{ ...search, page }} aria-label={label} className={className}>
          {children}
        </Link>
      )}
      empty={empty}
    />
  )
}

function columnsOf(by: SessionGrouping, search: SessionsSearch): readonly Column<SessionGroup>[] {
  return [
    { id: 'group', header: texts.columns[by], cell: (group) => <GroupName group={group} search={search} /> },
    {
      id: 'sessions',
      header: texts.columns.sessions,
      sortBy: 'sessions',
      width: '9rem',
      cell: ({ sessions }) => <span className={cells['number']}>{formatCount(sessions)}</span>,
    },
    {
      id: 'active',
      header: texts.columns.active,
      sortBy: 'active',
      width: '9rem',
      cell: ({ active }) => (
        <span className={`${cells['number']} ${active > 0 ? classes['running'] : ''}`}>{formatCount(active)}</span>
      ),
    },
    {
      id: 'last',
      header: texts.columns.last,
      sortBy: 'last_started_at',
      width: '10rem',
      cell: ({ last_started_at: time }) => <TimeAgo time={time} />,
    },
  ]
}

function GroupName({ group, search }: { readonly group: SessionGroup; readonly search: SessionsSearch }) {
  const { device, person } = group
  const name = device?.name ?? person?.name ?? sessionsMessages.unknownPerson
  return (
    <span className={classes['target']}>
      {device ? <StatusDot on={device.online} label={device.online ? uiMessages.online : uiMessages.offline} /> : null}
      <Link to="/sessions" search={openedGroup(search, group)} className={cells['primary']} title={texts.open(name)}>
        {name}
      </Link>
    </span>
  )
}
