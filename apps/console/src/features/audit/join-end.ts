// Text of an audit entry about somebody who is no longer in the terminal of another person.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { auditMessages as texts } from './messages.ts'

/**
 * Names the person where the server ended it, such as at the end of the session: the entry's actor is not who was in the
 * terminal then.
 *
 * @returns undefined for other entries
 */
export function describeJoinEnd({
  action,
  actor,
  details: { person },
}: Pick<AuditEntry, 'action' | 'actor' | 'details'>): string | undefined {
  if (action !== 'session.join-end' || actor.type !== 'system' || typeof person !== 'string') return undefined
  return texts.joinEnded(person)
}
