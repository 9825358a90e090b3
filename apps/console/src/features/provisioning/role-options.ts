// Roles that provisioning can give, as select options.
import { ProvisionedRole } from '@bowline/contract/schemas/scim'
import type { z } from 'zod'
import { provisioningMessages as texts } from './messages.ts'

/** Lowest first. */
export const roleOptions = ProvisionedRole.options
  .toReversed()
  .map((role) => ({ value: role, label: texts.roles[role] }))

/** The role of a select's value. */
export function roleOf(value: string): z.infer<typeof ProvisionedRole> {
  return ProvisionedRole.parse(value)
}
