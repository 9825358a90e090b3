// The last sessions of a device.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Text } from '../../../ui/kit.ts'
import { SectionCard } from '../../../ui/page/section-card.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { sessionsMessages } from '../../sessions/messages.ts'
import { sessionListQuery } from '../../sessions/queries.ts'
import { sessionFilter } from '../../sessions/search.ts'
import { SessionEnd, SessionTarget } from '../../sessions/session-cells.tsx'
import { devicesMessages as texts } from '../messages.ts'
import classes from './device-page.module.css'

const SHOWN = 5

export function DeviceSessions({ uid }: { readonly uid: DeviceUid }) {
  const { api } = useRuntime()
  const filter = sessionFilter({ device: uid })
  // Each row says when its session started; the order of the list, by last seen, changes with every byte of those that run.
  const query = useQuery(sessionListQuery(api, { page: 1, perPage: SHOWN, filter, sort: 'started_at' }))
  const all = (
    <Link to="/sessions" search={{ device: uid }} className={classes['all']}>
      {texts.allSessions}
    </Link>
  )
  return (
    <SectionCard title={texts.lastSessions} {...(query.data?.total ? { actions: all } : {})}>
      {query.isError && !query.data ? (
        <ErrorPanel title={sessionsMessages.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.noSessions}
        </Text>
      ) : null}
      <ul className={classes['sessions']}>
        {query.data?.items.map((session) => (
          <li key={session.uid} className={classes['session']}>
            <SessionTarget session={session} />
            <Text size="xs" c="dimmed">
              <TimeAgo time={session.started_at} />
            </Text>
            <Text size="xs" component="div">
              <SessionEnd session={session} />
            </Text>
          </li>
        ))}
      </ul>
    </SectionCard>
  )
}
