// Which firewall rules and public keys are for a device follows from its name and tags, so a change of those is a change
// of policy.
import { deviceRules } from '../firewall/policy.ts'
import type { TenantContext } from '../context.ts'
import { deviceKeys } from '../public-keys/policy.ts'
import { requirePolicyRights } from './authority.ts'

/** What rules and keys ask of a device. */
export interface DeviceTraits {
  readonly name: string
  readonly tags: readonly string[]
}

/** Ids of rules and fingerprints of keys that begin or cease to be for a device: for the audit log. */
export interface DevicePolicyChange {
  readonly rules: readonly number[]
  readonly keys: readonly string[]
}

/**
 * Judges a change of a device's name or tags. Call it in the transaction that makes the change.
 * @returns what the change does to policy; undefined when it does nothing
 * @throws {BowlineError} POLICY_CHANGE when rules or keys begin or cease to be for the device and the caller may not edit
 *   those
 */
export async function judgeDeviceChange(
  ctx: TenantContext,
  before: DeviceTraits,
  after: DeviceTraits,
): Promise<DevicePolicyChange | undefined> {
  if (before.name === after.name && sameTags(before.tags, after.tags)) return undefined
  const [rulesOf, keysOf] = [await deviceRules(ctx), await deviceKeys(ctx)]
  const rules = difference(rulesOf(before), rulesOf(after))
  const keys = difference(keysOf(before), keysOf(after))
  if (rules.length === 0 && keys.length === 0) return undefined
  requirePolicyRights(ctx, { rules, keys })
  return { rules, keys: keys.map(({ fingerprint }) => fingerprint) }
}

/** Those that are in one of two lists only. */
function difference<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...one.filter((item) => !other.includes(item)), ...other.filter((item) => !one.includes(item))]
}

function sameTags(one: readonly string[], other: readonly string[]): boolean {
  return difference(one, other).length === 0
}
