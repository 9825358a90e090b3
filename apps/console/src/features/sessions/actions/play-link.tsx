// Link from a session to its recording, which is watched live while the session runs.
import type { Session } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { CirclePlay, Eye } from 'lucide-react'
import { nameOf } from '../session-name.ts'
import { sessionsMessages as texts } from '../messages.ts'
import classes from './play-link.module.css'

/** Renders nothing for sessions without a recording. @param seat default: the session's first */
export function PlayLink({ session, seat }: { readonly session: Session; readonly seat?: number }) {
  if (!session.recorded) return null
  const Icon = session.active ? Eye : CirclePlay
  const first = seat ?? session.events.seats[0] ?? 0
  return (
    <Link
      to="/sessions/$uid/play/$seat"
      params={{ uid: session.uid, seat: String(first) }}
      className={classes['link']}
      aria-label={session.active ? texts.watchLinkOf(nameOf(session)) : texts.playLinkOf(nameOf(session))}
    >
      <Icon size={15} aria-hidden />
      {session.active ? texts.watchLink : texts.playLink}
    </Link>
  )
}
