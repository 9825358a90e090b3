// Permissions of the signed-in person, and when the console refreshes them.
import { type Permission, grantsGive, roleMay } from '@bowline/contract/roles'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Person } from '../auth/session.ts'

/** Whether an event may be about what the person may do: their role, or one of the namespace's own. */
export function mayChangeRights(event: LiveEvent, { id, grants }: Pick<Person, 'id' | 'grants'>): boolean {
  if (event.type === 'member.changed') return event.member.id === id
  // A tag was renamed, or a role of many members has changed.
  return event.type === 'reset' && grants.length > 0
}

/** Whether a person has a permission in the whole namespace, by their role or one of the namespace's own. */
export function holds({ role, grants }: Pick<Person, 'role' | 'grants'>, permission: Permission): boolean {
  return role !== '' && (roleMay(role, permission) || grantsGive(grants, permission))
}
