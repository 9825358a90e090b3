// The sessions that were recorded last, where nothing is searched for yet.
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX, TextSearch } from 'lucide-react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Checkbox, Skeleton } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatExactMoment } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { sessionsMessages } from '../sessions/messages.ts'
import { recordingListQuery } from '../sessions/queries.ts'
import { sessionFilter } from '../sessions/search.ts'
import { RecordingSummary, isFilesOnly } from '../sessions/recording/recording-summary.tsx'
import { nameOf } from '../sessions/session-name.ts'
import { playerMessages } from './messages.ts'
import { isFiltered } from './recording-filters.tsx'
import type { RecordingsSearch } from './search.ts'
import { Thumbnail } from './thumbnail.tsx'
import classes from './player.module.css'

const texts = playerMessages.recordings
const LATEST = 10

/** @param search limits them, and goes with the link to all */
export function LatestRecordings({ search }: { readonly search: RecordingsSearch }) {
  const { device, person, from, to } = search
  const { api } = useRuntime()
  const mayPlay = useMay('sessionPlay')
  const narrowing = { recorded: 'yes', device, person, from, to } as const
  const navigate = useNavigate()
  const list = { perPage: LATEST, filter: sessionFilter({ device, person, from, to }) }
  const query = useQuery({ ...recordingListQuery(api, list), enabled: mayPlay })
  const all = (
    <Link to="/sessions" search={{ ...narrowing, page: 1 }}>
      {texts.all}
    </Link>
  )
  if (!mayPlay) return <Nothing />
  if (query.isPending) return <Skeleton height={200} />
  if (query.isError && !query.data) {
    return <ErrorPanel title={texts.listFailed} error={query.error} onRetry={() => query.refetch()} />
  }
  if (query.data.total === 0) return isFiltered(search) ? <NoMatch /> : <Nothing />
  return (
    <SectionCard title={texts.latest} actions={all}>
      <Checkbox
        mb="sm"
        label={texts.screens}
        description={texts.screensNoted}
        checked={search.screens === 'yes'}
        onChange={(event) =>
          void navigate({
            to: '/recordings',
            search: { ...search, screens: event.currentTarget.checked ? 'yes' : undefined },
            replace: true,
          })
        }
      />
      <ol className={classes['latest']} aria-label={texts.latest}>
        {query.data.items.map((recording) => (
          <li key={`${recording.session} ${recording.seat}`}>
            <Recording recording={recording} hasScreen={search.screens === 'yes'} />
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

interface RecordingProps {
  readonly recording: ListedRecording
  readonly hasScreen: boolean
}

function Recording({ recording, hasScreen }: RecordingProps) {
  const { session, seat, person, started_at: started, state, command } = recording
  const isFiles = isFilesOnly(recording)
  return (
    <div className={classes['recording']}>
      {hasScreen ? <Thumbnail recording={recording} /> : null}
      <div className={classes['recordingText']}>
        <Link
          to="/sessions/$uid/play/$seat"
          params={{ uid: session, seat: String(seat) }}
          className={classes['recordingName'] ?? ''}
        >
          {nameOf(recording)}
        </Link>
        <span className={classes['hitFacts']}>
          {isFiles ? <span>{texts.files}</span> : command === '' ? <span>{texts.shell}</span> : null}
          {state === 'recording' ? <span>{sessionsMessages.running}</span> : null}
          {seat > 0 ? <span>{sessionsMessages.seat(seat)}</span> : null}
          {person ? <span>{person.name}</span> : null}
          <span>{formatExactMoment(started)}</span>
          <TimeAgo time={started} />
        </span>
        {command === '' || isFiles ? null : <code className={classes['recordingCommand']}>{command}</code>}
        <RecordingSummary recording={recording} />
      </div>
    </div>
  )
}
