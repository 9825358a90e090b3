// Roles that somebody may grant: those up to their own, owner never.
import { ROLES, type Role, hasAuthorityOver } from '@bowline/contract/roles'
import { teamMessages as texts } from './messages.ts'

/** Options of a choice of roles, the lowest first. `actor`: '' for somebody without one. */
export function roleOptions(actor: Role | ''): { value: Role; label: string }[] {
  if (actor === '') return []
  return ROLES.filter((role) => hasAuthorityOver(actor, role)).map((role) => ({
    value: role,
    label: texts.roles[role],
  }))
}

export function toRole(text: string): Role | undefined {
  return ROLES.find((role) => role === text)
}
