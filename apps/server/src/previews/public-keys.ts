// Previews the devices that a public key would apply to.
import type { publicKeys as operations } from '@bowline/contract/operations/public-keys'
import type { Input } from '@bowline/contract/operation'
import type { KeyDevices } from '@bowline/contract/schemas/public-key'
import type { TenantContext } from '../context.ts'
import { matchAccepted } from '../devices/matching.ts'
import { requirePatterns, toColumns } from '../filters/device-filter.ts'
import { deviceTest } from '../public-keys/rules.ts'

/**
 * Finds the devices that a key with this filter would apply to, by the same rules as a login.
 * @throws {BowlineError} INVALID_INPUT for a pattern
 */
export async function findDevices(
  ctx: TenantContext,
  { filter }: Input<typeof operations.findDevices>['body'],
): Promise<KeyDevices> {
  requirePatterns({ 'filter.hostname': filter.hostname })
  return matchAccepted(ctx, deviceTest(toColumns(filter)))
}
