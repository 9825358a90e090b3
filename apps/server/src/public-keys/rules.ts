// Decides whether a login may use a registered key: its patterns must match the whole login name and the whole device
// name. Pure; a pattern that cannot be compiled matches nothing.
import { compilePattern } from '../platform/patterns/pattern.ts'
import type { FilterColumns } from '../filters/device-filter.ts'

export interface KeyUse {
  /** Account on the device. */
  readonly user: string
  readonly device: { readonly name: string; readonly tags: readonly string[] }
}

/**
 * True if a key permits logins: it belongs to a member or is a service key, and nobody who answers for it is disabled.
 * Without `suspended` the account is not looked at: for what a key may do once its owner is back.
 */
export function isEnabled(key: {
  readonly owner: string | null
  readonly service: boolean
  readonly suspended?: boolean
}): boolean {
  return (key.service || key.owner !== null) && !key.suspended
}

export function mayUseKey(key: FilterColumns & { readonly username: string }, { user, device }: KeyUse): boolean {
  if (key.username !== '' && !compilePattern(key.username)?.matchesWhole(user)) return false
  return deviceTest(key)(device)
}

/** Creates a device test from a filter. The pattern is compiled once, for many devices. */
export function deviceTest({ hostname, tags }: FilterColumns): (device: KeyUse['device']) => boolean {
  if (hostname === null) return (device) => (tags ?? []).some((tag) => device.tags.includes(tag))
  const pattern = compilePattern(hostname)
  return ({ name }) => pattern?.matchesWhole(name) ?? false
}
