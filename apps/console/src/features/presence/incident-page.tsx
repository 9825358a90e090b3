// One incident: what happened, and its devices, those that are away first.
import { ApiError } from '@bowline/contract/client'
import type { Incident, IncidentDevice } from '@bowline/contract/operations/fleet/presence'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { PlugZap } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Skeleton, Stack } from '../../ui/kit.ts'
import type { Column } from '../../ui/list/column.ts'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Fact, FactColumns, Facts } from '../../ui/page/facts.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatCount, formatMoment } from '../../ui/text/numbers.ts'
import { IncidentStateBadge, incidentLine } from './incident-text.tsx'
import { causeText, presenceMessages } from './messages.ts'
import { INCIDENTS_PER_PAGE, incidentDevicesQuery, incidentQuery } from './queries.ts'
import cells from '../../ui/list/cells.module.css'

const route = getRouteApi('/app/incidents/$id')
const texts = presenceMessages.incidents
const { facts, columns: headers } = texts
const TRAIL = <BackLink to="/incidents" label={texts.back} />

const COLUMNS: readonly Column<IncidentDevice>[] = [
  {
    id: 'device',
    header: headers.device,
    cell: ({ uid, name }) => (
      <Link to="/devices/$uid" params={{ uid }} className={cells['primary']}>
        {name}
      </Link>
    ),
  },
  { id: 'left', header: headers.left, width: '14rem', cell: ({ left_at }) => formatMoment(left_at) },
  {
    id: 'back',
    header: headers.back,
    width: '14rem',
    cell: ({ back_at }) => (back_at === null ? presenceMessages.ofDevice.stillAway : formatMoment(back_at)),
  },
  { id: 'cause', header: headers.cause, width: '14rem', wideOnly: true, cell: ({ cause }) => causeText(cause) },
]

export function IncidentPage() {
  const { api } = useRuntime()
  const { id } = route.useParams()
  const query = useQuery(incidentQuery(api, id))
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <Page title={texts.gone} trail={TRAIL}>
        <EmptyState icon={<PlugZap size={24} />} text={texts.goneText} />
      </Page>
    )
  }
  if (query.data) return <KnownIncident incident={query.data} />
  return (
    <Page title={texts.title} trail={TRAIL}>
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={200} />
      )}
    </Page>
  )
}

function KnownIncident({ incident }: { readonly incident: Incident }) {
  const { api } = useRuntime()
  const { page } = route.useSearch()
  const navigate = route.useNavigate()
  const { id } = incident
  const devices = useQuery(incidentDevicesQuery(api, id, page))
  const network = incident.kind === 'server' ? texts.serverNetwork : texts.unknownNetwork
  return (
    <Page
      title={incidentLine(incident)}
      trail={TRAIL}
      mark={<IncidentStateBadge incident={incident} />}
      actions={
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/devices" search={{ incident: id }} />}>
          {texts.toList}
        </Button>
      }
    >
      <Stack gap="md">
        <FactColumns>
          <Facts title={facts.title}>
            <Fact name={facts.cause}>{causeText(incident.cause)}</Fact>
            <Fact name={facts.network}>{incident.network === null ? network : <code>{incident.network}</code>}</Fact>
            <Fact name={facts.devices}>{formatCount(incident.devices)}</Fact>
            <Fact name={facts.away}>{formatCount(incident.away)}</Fact>
            <Fact name={facts.started}>{formatMoment(incident.started_at)}</Fact>
            <Fact name={facts.last}>{formatMoment(incident.last_at)}</Fact>
            {incident.ended_at === null ? null : <Fact name={facts.ended}>{formatMoment(incident.ended_at)}</Fact>}
          </Facts>
        </FactColumns>
        <PagedTable
          list={devices}
          failed={texts.devicesFailed}
          label={texts.devices}
          columns={COLUMNS}
          rowKey={({ uid }) => uid}
          page={page}
          perPage={INCIDENTS_PER_PAGE}
          renderPageLink={(to, children, label, className) => (
            <Link to="/incidents/$id" params={{ id }} search={{ page: to }} aria-label={label} className={className}>
              {children}
            </Link>
          )}
          onPageGone={(last) => void navigate({ search: { page: last }, replace: true })}
          empty={<EmptyState icon={<PlugZap size={24} />} title={texts.gone} text={texts.goneText} />}
        />
      </Stack>
    </Page>
  )
}
