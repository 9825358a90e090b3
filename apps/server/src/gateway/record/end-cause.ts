// Selects the end cause stored in the session row. One failure causes several ends (a removed device loses its link, and
// the client its socket): the root cause is stored.
import type { LinkCause } from '@bowline/link/api'
import type { CloseCause } from '@bowline/ssh/api'
import type { Grant } from '../../firewall/rules.ts'
import type { SessionCause } from '../../sessions/service.ts'
import { quoted } from './device-text.ts'

/** Sources of causes, the most specific first. */
const RANKING = [
  /** An administrator, policy or this server ended the connection. */
  'ended',
  /** A firewall rule refused the login. */
  'refused',
  /** The device's link or its side of the login was lost. */
  'lost',
  /** The transport's own cause. */
  'transport',
] as const

type Source = (typeof RANKING)[number]

/** @returns the highest ranking of the known causes */
export function highestRanked(
  causes: Readonly<Record<'transport', SessionCause> & Partial<Record<Source, SessionCause | undefined>>>,
): SessionCause {
  for (const source of RANKING) {
    const cause = causes[source]
    if (cause) return cause
  }
  return causes.transport
}

/** Cause of a lost link or login; the device's own text is quoted. */
export function deviceLost({ by, reason, message, fromPeer }: LinkCause, device: string): SessionCause {
  return { by: by === 'user' ? 'agent' : by, reason, message: fromPeer ? quoted(device, message) : message }
}

/** Cause for a session whose required recording failed. @param message the recorder's reason; may be empty */
export function notRecorded(message: string): SessionCause {
  const rule = 'Sessions of this namespace must be recorded, and this one cannot be.'
  return { by: 'policy', reason: 'recording', message: `${rule} ${message}`.trim() }
}

/**
 * The cause as the device learns it: it ends the processes of a session that an administrator or a policy has closed; of others
 * they may go on.
 */
export function causeForDevice({ by, reason, message }: SessionCause): LinkCause {
  if (by === 'admin' || by === 'policy') return { by, reason, message }
  return { by: 'gateway', reason: 'login-closed', message }
}

/** The transport's cause. @param stage outcome of the login */
export function transportCause(cause: CloseCause, stage: 'authenticated' | 'refused' | 'none'): SessionCause {
  if (stage === 'refused') return { by: 'user', reason: 'login-failed', message: 'Authentication failed.' }
  if (cause.by !== 'peer') return { by: 'gateway', reason: cause.reason, message: cause.message }
  // The text that clients send with SSH_DISCONNECT_BY_APPLICATION adds nothing.
  const message = cause.reason === 'disconnect' ? 'The client closed the connection.' : cause.message
  return { by: 'user', reason: cause.reason, message }
}

/** For the row; the client receives less. */
export function refusedByRule(rule: number | undefined): SessionCause {
  return { by: 'policy', reason: 'firewall', message: `Firewall rule ${rule} refuses the connection.` }
}

/** Of a session that was open by an approved access request alone. @param now milliseconds since the epoch */
export function grantOver({ expiresAt }: Pick<Grant, 'expiresAt'>, now: number): SessionCause {
  return expiresAt <= now
    ? { by: 'policy', reason: 'access-expired', message: 'The time of the approved access is over.' }
    : { by: 'policy', reason: 'access-ended', message: 'The approved access has been ended early.' }
}
