// Counters of the namespace; each links to the list it counts.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { deviceListQuery, statsQuery } from '../../core/devices/queries.ts'
import { dashboardMessages as texts } from './messages.ts'
import classes from './dashboard.module.css'

const IN_TROUBLE = {
  status: 'accepted',
  page: 1,
  perPage: 1,
  sort: 'last_seen',
  order: 'desc',
  words: '',
  trouble: 'any',
} as const

export function StatCards() {
  const { api } = useRuntime()
  const { data: inTrouble } = useQuery(deviceListQuery(api, IN_TROUBLE))
  const query = useQuery(statsQuery(api))
  const { data: stats } = query
  if (query.isError && !stats) {
    return <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
  }
  const number = (count: number | undefined) => (
    <span className={classes['number']}>{count === undefined ? '–' : formatCount(count)}</span>
  )
  return (
    <section aria-label={texts.counters} className={classes['cards']} aria-busy={stats === undefined}>
      <Link to="/devices" search={{ presence: 'online' }} className={classes['card']}>
        <span className={classes['label']}>{texts.online}</span>
        <span className={classes['value']}>
          {number(stats?.devices.online)}
          {stats ? (
            <span className={classes['of']}>{texts.ofRegistered(formatCount(stats.devices.registered))}</span>
          ) : null}
        </span>
        {stats && stats.containers.registered > 0 ? (
          <span className={classes['of']}>
            {texts.containers(formatCount(stats.containers.online), formatCount(stats.containers.registered))}
          </span>
        ) : null}
      </Link>
      <Link
        to="/devices"
        search={{ status: 'pending' }}
        className={classes['card']}
        data-attention={(stats?.devices.pending ?? 0) > 0 || undefined}
      >
        <span className={classes['label']}>{texts.pending}</span>
        <span className={classes['value']}>{number(stats?.devices.pending)}</span>
      </Link>
      <Link
        to="/devices"
        search={{ trouble: 'any' }}
        className={classes['card']}
        data-attention={(inTrouble?.total ?? 0) > 0 || undefined}
      >
        <span className={classes['label']}>{texts.inTrouble}</span>
        <span className={classes['value']}>{number(inTrouble?.total)}</span>
      </Link>
      <Link to="/sessions" search={{ state: 'active' }} className={classes['card']}>
        <span className={classes['label']}>{texts.active}</span>
        <span className={classes['value']}>{number(stats?.activeSessions)}</span>
      </Link>
      <Link to="/devices" search={{ status: 'rejected' }} className={classes['card']}>
        <span className={classes['label']}>{texts.rejected}</span>
        <span className={classes['value']}>{number(stats?.devices.rejected)}</span>
      </Link>
    </section>
  )
}
