// Actor that ended a session, with a link to the audit entry that names the administrator.
import type { Session } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../../core/context.tsx'
import { sessionsMessages as texts } from '../messages.ts'
import { endedBy } from './ended-because.ts'

interface EndedByProps {
  readonly session: Session
  readonly closed: NonNullable<Session['closed']>
}

/** The actor in words. Which administrator ended the session is in the audit log, for those who may read it. */
export function EndedBy({ session, closed }: EndedByProps) {
  const mayReadAudit = useMay('auditRead')
  return (
    <>
      {endedBy(closed)}
      {closed.by === 'admin' && closed.reason === 'closed' && mayReadAudit ? (
        <>
          {' · '}
          <Link to="/audit" search={{ page: 1, q: session.uid, action: 'session.close' }}>
            {texts.auditLog}
          </Link>
        </>
      ) : null}
    </>
  )
}
