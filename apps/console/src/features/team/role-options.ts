// Roles that somebody may grant: up to their own, never owner.
import { ROLES, type Role, hasAuthorityOver } from '@bowline/contract/roles'
import { teamMessages as texts } from './messages.ts'

/** Select options, lowest role first. `actor`: '' for somebody without a role. */
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
