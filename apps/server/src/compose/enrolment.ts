// Devices without an agent: how the gateway finds out which one has connected.
import { Semaphore } from '@bowline/base/semaphore'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { certifiedKey, userAuthorityLine } from '../auth/user-authority.ts'
import type { DeviceActor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { GatewayDeps } from '../gateway/gateway.ts'
import { identifyDevice } from '../install-keys/ssh-enrolment.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'

/** SSH servers of devices that are asked for their host keys at once, and how many wait: a fleet comes back together. */
const MAX_SCANS = 64
const MAX_WAITING = 20_000

/** @param system connection to all namespaces */
export function composeEnrolment(
  system: Kysely<Schema>,
  secret: SecretKey,
  tenantContext: (tenant: TenantId, actor: DeviceActor, source: string) => TenantContext,
): GatewayDeps['enrolled'] {
  const contextOf = (device: DeviceActor, source: string): TenantContext => tenantContext(device.tenant, device, source)
  return {
    scans: new Semaphore(MAX_SCANS, MAX_WAITING),
    certifiedKey: ({ ctx }, user, device) => certifiedKey(ctx, secret, user, device),
    authorityLine: ({ ctx }, namespace) => userAuthorityLine(ctx, secret, namespace),
    identify: (user, key, source) => identifyDevice({ system, contextOf }, user, key, source),
  }
}
