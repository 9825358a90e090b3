// The newest incidents, on the overview; the open ones come first.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { IncidentStateBadge, incidentLine } from './incident-text.tsx'
import { presenceMessages } from './messages.ts'
import { incidentListQuery } from './queries.ts'
import classes from './presence.module.css'

const texts = presenceMessages.incidents
const READ = 10
const SHOWN = 5

export function IncidentsPanel() {
  const { api } = useRuntime()
  const query = useQuery(incidentListQuery(api, { state: 'all', page: 1, perPage: READ }))
  const all = (
    <Link to="/incidents" className={classes['all']}>
      {texts.all}
    </Link>
  )
  const items = query.data?.items ?? []
  const shown = [...items.filter(({ away }) => away > 0), ...items.filter(({ away }) => away === 0)].slice(0, SHOWN)
  return (
    <SectionCard title={texts.title} actions={all}>
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={80} /> : null}
      {query.data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : null}
      <ul className={classes['list']}>
        {shown.map((incident) => (
          <li key={incident.id}>
            <Link to="/incidents/$id" params={{ id: incident.id }} className={classes['line']}>
              {incidentLine(incident)}
            </Link>
            <span className={classes['state']}>
              <IncidentStateBadge incident={incident} />
              <Text size="xs" c="dimmed" component="span">
                <TimeAgo time={incident.started_at} />
              </Text>
              <Link
                to="/devices"
                search={{ incident: incident.id }}
                aria-label={texts.devicesOf(incidentLine(incident))}
                className={classes['all']}
              >
                {texts.devicesShort}
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </SectionCard>
  )
}
