// Page of a recording, or of a session that is watched while it runs: its session, its verification, and the player once its length is known.
import type { SessionUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { recentSessions } from '../../core/recent/recent.ts'
import { useRemembered } from '../../core/recent/use-remembered.ts'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Loader } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { sessionsMessages } from '../sessions/messages.ts'
import { sessionQuery } from '../sessions/queries.ts'
import { DownloadMenu } from './view/download-menu.tsx'
import { EndButton } from '../sessions/actions/end-button.tsx'
import { JoinButton } from '../sessions/actions/join-button.tsx'
import { deviceOf, nameOf } from '../sessions/session-name.ts'
import { WatchedBy } from '../sessions/watched-by.tsx'
import { playerMessages as texts } from './messages.ts'
import { isFileTransfer } from './engine/session-marks.ts'
import { FilesView } from './view/files-view.tsx'
import { PlayerView } from './view/player-view.tsx'
import classes from './player.module.css'
import { recordingIndexQuery, verdictQuery } from './queries.ts'
import type { PlaySearch } from './search.ts'
import { VerdictBadge } from './view/verdict-badge.tsx'

interface PlayerPageProps {
  readonly uid: SessionUid
  readonly seat: string
  readonly search: PlaySearch
}

export function PlayerPage({ uid, seat, search }: PlayerPageProps) {
  const { api } = useRuntime()
  const session = useQuery(sessionQuery(api, uid))
  useRemembered(recentSessions, session.data && { uid, name: nameOf(session.data) })
  const may = useMay('sessionPlay', session.data?.device)
  const index = useQuery({ ...recordingIndexQuery(api, { uid, seat }), enabled: may })
  const state = index.data?.state
  const verdict = useQuery({ ...verdictQuery(api, { uid, seat }, state ?? ''), enabled: state !== undefined })
  const failed = [session, index].find(({ isError, data }) => isError && !data)
  const who = session.data ? nameOf(session.data) : uid.slice(0, 12)
  // The page of a session that ends while it is watched stays as it is, and becomes that of its recording.
  const live = session.data?.active === true && (state === 'recording' || !may) ? session.data : undefined
  const seats = session.data?.events.seats ?? []
  return (
    <Page
      title={live ? texts.liveTitle(live.username, deviceOf(live)) : texts.title(who)}
      trail={<BackLink to="/sessions" label={texts.back} />}
      mark={
        <>
          {live ? <StatusDot on label={sessionsMessages.active} text /> : null}
          {state ? <VerdictBadge verdict={verdict.data} failed={verdict.isError} /> : null}
          <WatchedBy watchers={session.data?.watchers} />
        </>
      }
      actions={
        <>
          {session.data ? <JoinButton session={session.data} /> : null}
          {session.data ? <EndButton session={session.data} /> : null}
          {index.data ? <DownloadMenu uid={uid} seat={seat} /> : null}
        </>
      }
    >
      {index.data ? (
        <p className={classes['facts']}>
          {texts.started} <TimeAgo time={index.data.started_at} />
          {session.data?.person ? ` · ${session.data.person.name}` : null}
          {seats.length > 1 ? (
            <nav aria-label={texts.seats} className={classes['seats']}>
              {seats.map((other) => (
                <Link
                  key={other}
                  to="/sessions/$uid/play/$seat"
                  params={{ uid, seat: String(other) }}
                  activeProps={{ 'aria-current': 'page' }}
                >
                  {texts.seat(other)}
                </Link>
              ))}
            </nav>
          ) : null}
        </p>
      ) : null}
      {verdict.data?.result === 'tampered' ? (
        <Callout tone="warn" title={texts.tamperedTitle} urgent>
          {verdict.data.message}
        </Callout>
      ) : null}
      {state === 'truncated' || state === 'interrupted' ? <Callout tone="note">{texts[state]}</Callout> : null}
      {failed ? (
        <ErrorPanel title={texts.loadFailed} error={failed.error} onRetry={() => failed.refetch()} />
      ) : session.data && !may ? (
        <EmptyState
          icon={<Lock size={24} />}
          title={live ? texts.noWatching : texts.noPlaying}
          text={texts.noPlayingText}
        />
      ) : session.data && index.data ? (
        isFileTransfer(session.data, Number(seat)) ? (
          <FilesView session={session.data} seat={seat} index={index.data} />
        ) : (
          <PlayerView session={session.data} seat={seat} index={index.data} search={search} />
        )
      ) : (
        <div className={classes['loading']}>
          <Loader size="sm" aria-label={texts.loading} />
        </div>
      )}
    </Page>
  )
}
