// Parts that judge logins: which device is meant, who may log in to it, and which device without an agent has connected.
import type { Clock } from '@bowline/base/clock'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { findGrant } from '../access-requests/grants.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type LoginTarget, resolveLoginTarget } from '../devices/presence.ts'
import { ruleEvaluator } from '../firewall/service.ts'
import type { Target } from '../gateway/login/sshid.ts'
import { mayLogIn } from '../public-keys/service.ts'
import { composeEnrolment } from './enrolment.ts'
import { getAccount } from '../users/service.ts'

export function composeJudging(
  { settings, secretKey, publicOrigin }: Pick<ServerConfig, 'settings' | 'secretKey' | 'publicOrigin'>,
  { system, clock }: { readonly system: Kysely<Schema>; readonly clock: Clock },
  tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext,
  link: (path: string) => string,
) {
  // Elsewhere devices have no price, and no grace period ends.
  const now = (): Date | undefined => (settings.BOWLINE_EDITION === 'cloud' ? new Date(clock.now()) : undefined)
  return {
    resolve: (target: Target) => resolveLoginTarget(system, target, now()),
    contextOf: (target: LoginTarget) => tenantContext(target.tenant, { kind: 'system', name: 'gateway' }),
    firewall: (ctx: TenantContext) => ruleEvaluator(ctx, findGrant),
    keyMayLogIn: mayLogIn,
    enrolled: composeEnrolment({ system, clock }, { settings, secretKey, publicOrigin }, tenantContext),
    requestLink: (device: DeviceUid) => link(`/access-requests?device=${device}`),
    addressOf: async (id: UserId) => (await getAccount(system, id))?.email ?? '',
  }
}
