// All incidents of the last 30 days.
import type { Incident } from '@bowline/contract/operations/fleet/presence'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { PlugZap } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import type { Column } from '../../ui/list/column.ts'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { IncidentStateBadge, incidentLine } from './incident-text.tsx'
import { causeText, presenceMessages } from './messages.ts'
import { INCIDENTS_PER_PAGE, incidentListQuery } from './queries.ts'
import cells from '../../ui/list/cells.module.css'

const route = getRouteApi('/app/incidents')
const texts = presenceMessages.incidents
const { columns: headers } = texts

const COLUMNS: readonly Column<Incident>[] = [
  {
    id: 'incident',
    header: headers.incident,
    cell: (incident) => (
      <Link to="/incidents/$id" params={{ id: incident.id }} className={cells['primary']}>
        {incidentLine(incident)}
      </Link>
    ),
  },
  {
    id: 'state',
    header: headers.state,
    width: '14rem',
    cell: (incident) => <IncidentStateBadge incident={incident} />,
  },
  { id: 'cause', header: headers.cause, width: '14rem', wideOnly: true, cell: ({ cause }) => causeText(cause) },
  { id: 'started', header: headers.started, width: '9rem', cell: ({ started_at }) => <TimeAgo time={started_at} /> },
]

export function IncidentsPage() {
  const { api } = useRuntime()
  const { page, state } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(incidentListQuery(api, { state, page }))
  return (
    <Page title={texts.title}>
      <TabBar
        label={texts.stateLabel}
        tabs={(['all', 'open', 'over'] as const).map((one) => ({
          key: one,
          label: texts.states[one],
          active: one === state,
          render: (inner, properties) => (
            <Link to="/incidents" search={{ state: one }} {...properties}>
              {inner}
            </Link>
          ),
        }))}
      />
      <PagedTable
        list={list}
        failed={texts.loadFailed}
        label={texts.table}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        page={page}
        perPage={INCIDENTS_PER_PAGE}
        renderPageLink={(to, children, label, className) => (
          <Link to="/incidents" search={{ state, page: to }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        onPageGone={(last) => void navigate({ search: { state, page: last }, replace: true })}
        empty={
          <EmptyState
            icon={<PlugZap size={24} />}
            title={state === 'open' ? texts.noneOpen : texts.none}
            text={texts.noneText}
          />
        }
      />
    </Page>
  )
}
