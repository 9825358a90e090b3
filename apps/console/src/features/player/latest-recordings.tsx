// The sessions that were recorded last, where nothing is searched for yet.
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TextSearch } from 'lucide-react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { sessionsMessages } from '../sessions/messages.ts'
import { sessionListQuery } from '../sessions/queries.ts'
import { sessionFilter } from '../sessions/search.ts'
import { SessionDuration } from '../sessions/session-cells.tsx'
import { SessionActivity } from '../sessions/session-identity.tsx'
import { nameOf } from '../sessions/session-name.ts'
import { playerMessages } from './messages.ts'
import classes from './player.module.css'

const texts = playerMessages.recordings
const LATEST = { page: 1, perPage: 10, filter: sessionFilter({ recorded: 'yes' }) } as const

export function LatestRecordings() {
  const { api } = useRuntime()
  const mayPlay = useMay('sessionPlay')
  const query = useQuery({ ...sessionListQuery(api, LATEST), enabled: mayPlay })
  const all = (
    <Link to="/sessions" search={{ recorded: 'yes', page: 1 }}>
      {texts.all}
    </Link>
  )
  if (!mayPlay) return <Nothing />
  if (query.isPending) return <Skeleton height={200} />
  if (query.isError && !query.data) {
    return <ErrorPanel title={sessionsMessages.loadFailed} error={query.error} onRetry={() => void query.refetch()} />
  }
  if (query.data.total === 0) return <Nothing />
  return (
    <SectionCard title={texts.latest} actions={all}>
      <ol className={classes['latest']} aria-label={texts.latest}>
        {query.data.items.map((session) => (
          <li key={session.uid}>
            <Recording session={session} />
          </li>
        ))}
      </ol>
    </SectionCard>
  )
}

function Nothing() {
  return <EmptyState icon={<TextSearch size={24} />} title={texts.empty} text={texts.emptyText} />
}

function Recording({ session }: { readonly session: Session }) {
  return (
    <Link
      to="/sessions/$uid/play/$seat"
      params={{ uid: session.uid, seat: String(session.events.seats[0] ?? 0) }}
      className={classes['hit'] ?? ''}
    >
      <span className={classes['hitFacts']}>
        <span className={classes['hitWho']}>{nameOf(session)}</span>
        {session.person ? <span>{session.person.name}</span> : null}
        <TimeAgo time={session.started_at} />
        <SessionDuration session={session} />
      </span>
      <SessionActivity session={session} />
    </Link>
  )
}
