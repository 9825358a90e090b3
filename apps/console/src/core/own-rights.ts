// When the console learns anew what the signed-in person may do.
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Person } from '../auth/session.ts'

/** Whether an event may be about what the person may do: their role, or one of the namespace's own. */
export function mayChangeRights(event: LiveEvent, { id, grants }: Pick<Person, 'id' | 'grants'>): boolean {
  if (event.type === 'member.changed') return event.member.id === id
  // A tag was renamed, or a role of many members has changed.
  return event.type === 'reset' && grants.length > 0
}
