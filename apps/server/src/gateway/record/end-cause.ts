// Why a connection ended, as its session row says. Several things end at once when one fails (a device that is removed
// loses its link, and the client its socket): the cause that explains the others is the one to store.
import type { LinkCause } from '@bowline/link/api'
import type { CloseCause } from '@bowline/ssh/api'
import type { SessionCause } from '../../sessions/service.ts'
import { quoted } from './device-words.ts'

/** Where causes come from, the most telling first. */
const RANKING = [
  /** An administrator, policy or this server ended the connection. */
  'ended',
  /** A firewall rule refused the login. */
  'refused',
  /** The device's link or its side of the login was lost. */
  'lost',
  /** What the transport saw. */
  'transport',
] as const

type Source = (typeof RANKING)[number]

/** @returns the highest ranking of the causes that are known */
export function highestRanked(
  causes: Readonly<Record<'transport', SessionCause> & Partial<Record<Source, SessionCause | undefined>>>,
): SessionCause {
  for (const source of RANKING) {
    const cause = causes[source]
    if (cause) return cause
  }
  return causes.transport
}

/** Why a device's link or login has ended; the device's own text is quoted. */
export function deviceLost({ by, reason, message, fromPeer }: LinkCause, device: string): SessionCause {
  return { by: by === 'user' ? 'agent' : by, reason, message: fromPeer ? quoted(device, message) : message }
}

/** Why a session that must be recorded cannot go on. @param message the recorder's reason; may be empty */
export function notRecorded(message: string): SessionCause {
  const rule = 'Sessions of this namespace must be recorded, and this one cannot be.'
  return { by: 'policy', reason: 'recording', message: `${rule} ${message}`.trim() }
}

/** The transport's cause. @param stage how far the login came */
export function transportCause(cause: CloseCause, stage: 'authenticated' | 'refused' | 'none'): SessionCause {
  if (stage === 'refused') return { by: 'user', reason: 'login-failed', message: 'No credential was accepted.' }
  if (cause.by !== 'peer') return { by: 'gateway', reason: cause.reason, message: cause.message }
  // The text that clients send with SSH_DISCONNECT_BY_APPLICATION adds nothing.
  const message = cause.reason === 'disconnect' ? 'The person ended the connection.' : cause.message
  return { by: 'user', reason: cause.reason, message }
}
