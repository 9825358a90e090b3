// Link from a session to its recording.
import type { Session } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { CirclePlay } from 'lucide-react'
import { nameOf } from './session-name.ts'
import { sessionsMessages as texts } from './messages.ts'
import classes from './play-link.module.css'

/** Renders nothing for sessions without a recording. @param seat default: the session's first */
export function PlayLink({ session, seat }: { readonly session: Session; readonly seat?: number }) {
  if (!session.recorded) return null
  const first = seat ?? session.events.seats[0] ?? 0
  return (
    <Link
      to="/sessions/$uid/play/$seat"
      params={{ uid: session.uid, seat: String(first) }}
      className={classes['link']}
      aria-label={texts.playLinkOf(nameOf(session))}
    >
      <CirclePlay size={15} aria-hidden />
      {texts.playLink}
    </Link>
  )
}
