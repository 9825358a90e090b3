// Cells of the sessions list.
import type { Session } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../core/context.tsx'
import { Badge } from '../../ui/kit.ts'
import { formatDuration } from '../../ui/text/numbers.ts'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { useNow } from '../../ui/text/ticker.ts'
import { endedBecause } from './cause/ended-because.ts'
import { durationOf } from './duration.ts'
import { PlayLink } from './actions/play-link.tsx'
import { PreviewButton } from './preview/preview-button.tsx'
import { sessionsMessages as texts } from './messages.ts'
import { nameOf } from './session-name.ts'
import { WatchedBy } from './watched-by.tsx'
import cells from '../../ui/list/cells.module.css'
import classes from './sessions.module.css'

export function SessionTarget({ session }: { readonly session: Session }) {
  const { active, authenticated, recorded } = session
  const mayPlay = useMay('sessionPlay', session.device)
  return (
    <span className={classes['target']}>
      <StatusDot on={active} label={active ? texts.active : texts.ended} />
      <Link to="/sessions/$uid" params={{ uid: session.uid }} className={cells['primary']} title={nameOf(session)}>
        {nameOf(session)}
      </Link>
      {authenticated ? null : (
        <Badge size="sm" variant="light" color={active ? 'gray' : 'red'} className={classes['badge'] ?? ''}>
          {active ? texts.signingIn : texts.signInFailed}
        </Badge>
      )}
      <WatchedBy watchers={session.watchers} short />
      {recorded && mayPlay ? (
        <>
          <PlayLink session={session} />
          <PreviewButton session={session} />
        </>
      ) : null}
      {recorded && !mayPlay ? (
        <Badge size="sm" variant="default" className={classes['badge'] ?? ''}>
          {texts.recordedMark}
        </Badge>
      ) : null}
    </span>
  )
}

export function SessionDuration({ session }: { readonly session: Session }) {
  const nowMs = useNow()
  return <span className={cells['number']}>{formatDuration(durationOf(session, nowMs))}</span>
}

export function SessionEnd({ session }: { readonly session: Session }) {
  if (session.active) return <span className={classes['running']}>{texts.running}</span>
  const why = endedBecause(session.closed)
  return (
    <span className={classes['end']} title={why}>
      {why}
    </span>
  )
}
