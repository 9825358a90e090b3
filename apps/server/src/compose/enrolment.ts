// Devices without an agent: how the gateway finds out which one has connected.
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { certifiedKey, plainKey, userAuthorityLines } from '../auth/user-authority/authority.ts'
import type { ServerConfig } from '../config.ts'
import type { DeviceActor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { ScanTurns } from '../gateway/bridges/enrolled/scan-turns.ts'
import type { GatewayDeps } from '../gateway/gateway.ts'
import { identifyDevice } from '../install-keys/ssh-enrolment.ts'

/** @param parts `system`: connection to all namespaces */
export function composeEnrolment(
  parts: { readonly system: Kysely<Schema>; readonly clock: Clock },
  { settings, secretKey: secret, publicOrigin }: Pick<ServerConfig, 'settings' | 'secretKey' | 'publicOrigin'>,
  tenantContext: (tenant: TenantId, actor: DeviceActor, source: string) => TenantContext,
): GatewayDeps['enrolled'] {
  const { system, clock } = parts
  const contextOf = (device: DeviceActor, source: string): TenantContext => tenantContext(device.tenant, device, source)
  return {
    address: ({ address, port }) => ({
      host: settings.BOWLINE_DOMAIN ?? address,
      port,
      isSet: settings.BOWLINE_DOMAIN !== undefined,
    }),
    console: publicOrigin,
    hostKeyNotices: new RateLimiter(clock, { perSecond: 1 / 3_600, burst: 1 }),
    deviceNotices: new RateLimiter(clock, { perSecond: 1 / 3_600, burst: 5 }),
    scans: new ScanTurns(),
    certifiedKey: ({ ctx }, user, device) => certifiedKey(ctx, secret, user, device),
    plainKey: ({ ctx }) => plainKey(ctx, secret),
    authorityLines: ({ ctx }, namespace) => userAuthorityLines(ctx, secret, namespace),
    identify: (user, key, source) => identifyDevice({ system, contextOf }, user, key, source),
  }
}
