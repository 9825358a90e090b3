// The devices that a public key would be for, before it is saved.
import type { publicKeys as operations } from '@bowline/contract/operations/public-keys'
import type { Input } from '@bowline/contract/operation'
import type { KeyDevices } from '@bowline/contract/schemas/public-key'
import type { TenantContext } from '../context.ts'
import { matchAccepted } from '../devices/matching.ts'
import { requirePatterns, toColumns } from '../filters/device-filter.ts'
import { deviceTest } from '../public-keys/rules.ts'

/**
 * Which devices a key with this filter would be for, by the rule that a login follows.
 * @throws {BowlineError} INVALID_INPUT for a pattern
 */
export async function findDevices(
  ctx: TenantContext,
  { filter }: Input<typeof operations.findDevices>['body'],
): Promise<KeyDevices> {
  requirePatterns({ 'filter.hostname': filter.hostname })
  return matchAccepted(ctx, deviceTest(toColumns(filter)))
}
