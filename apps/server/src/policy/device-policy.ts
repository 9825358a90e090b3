// A device's name and tags decide which firewall rules and public keys apply to it, so changing them is a change of
// policy.
import { deviceAccess } from '../access-requests/ending.ts'
import { deviceRules } from '../firewall/policy.ts'
import type { TenantContext } from '../context.ts'
import { deviceKeys } from '../public-keys/policy.ts'
import { deviceRoles } from '../roles/tags.ts'
import { requirePolicyRights } from './authority.ts'

/** Properties of a device that rules and keys match. */
export interface DeviceTraits {
  readonly name: string
  readonly tags: readonly string[]
}

/**
 * Ids of rules and access requests, fingerprints of keys, and names of roles, that start or cease to apply to a device: for the
 * audit log.
 */
export interface DevicePolicyChange {
  readonly rules: readonly number[]
  readonly keys: readonly string[]
  readonly access?: readonly string[]
  readonly roles?: readonly string[]
}

/**
 * Checks a change of a device's name or tags. Call it in the transaction that makes the change.
 * @returns the effect on policy; undefined without any
 * @throws {BowlineError} POLICY_CHANGE when rules, keys, approved access or roles start or cease to apply to the device and the
 *   caller may not edit those
 */
export async function authorizeDeviceChange(
  ctx: TenantContext,
  before: DeviceTraits,
  after: DeviceTraits,
): Promise<DevicePolicyChange | undefined> {
  if (before.name === after.name && sameTags(before.tags, after.tags)) return undefined
  const [rulesOf, keysOf] = [await deviceRules(ctx), await deviceKeys(ctx)]
  const [accessOf, rolesOf] = [await deviceAccess(ctx), await deviceRoles(ctx)]
  const rules = difference(rulesOf(before), rulesOf(after))
  const keys = difference(keysOf(before), keysOf(after))
  const access = difference(accessOf(before), accessOf(after))
  const roles = difference(rolesOf(before), rolesOf(after))
  if ([rules, keys, access, roles].every(({ length }) => length === 0)) return undefined
  requirePolicyRights(ctx, { rules, keys, access, roles })
  return {
    rules,
    keys: keys.map(({ fingerprint }) => fingerprint),
    ...(access.length === 0 ? {} : { access }),
    ...(roles.length === 0 ? {} : { roles }),
  }
}

/** Symmetric difference of two lists. */
function difference<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...one.filter((item) => !other.includes(item)), ...other.filter((item) => !one.includes(item))]
}

function sameTags(one: readonly string[], other: readonly string[]): boolean {
  return difference(one, other).length === 0
}
