// The sessions that were recorded last, where nothing is searched for yet.
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SearchX, TextSearch } from 'lucide-react'
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
import { isFiltered } from './recording-filters.tsx'
import type { RecordingsSearch } from './search.ts'
import classes from './player.module.css'

const texts = playerMessages.recordings

/** @param search limits them, and goes with the link to all */
export function LatestRecordings({ search }: { readonly search: RecordingsSearch }) {
  const { device, person, from, to } = search
  const { api } = useRuntime()
  const mayPlay = useMay('sessionPlay')
  const narrowing = { recorded: 'yes', device, person, from, to } as const
  const list = { page: 1, perPage: 10, filter: sessionFilter(narrowing) } as const
  const query = useQuery({ ...sessionListQuery(api, list), enabled: mayPlay })
  const all = (
    <Link to="/sessions" search={{ ...narrowing, page: 1 }}>
      {texts.all}
    </Link>
  )
  if (!mayPlay) return <Nothing />
  if (query.isPending) return <Skeleton height={200} />
  if (query.isError && !query.data) {
    return <ErrorPanel title={sessionsMessages.loadFailed} error={query.error} onRetry={() => void query.refetch()} />
  }
  if (query.data.total === 0) return isFiltered(search) ? <NoMatch /> : <Nothing />
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

function NoMatch() {
  return <EmptyState icon={<SearchX size={24} />} title={texts.noMatch} text={texts.noMatchText} />
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
