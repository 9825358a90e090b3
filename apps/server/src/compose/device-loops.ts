// Work on many devices in the background: changes that people have asked for, and rules that tag devices.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { deviceJobRoutes } from '../device-jobs/routes.ts'
import { type DeviceJobLoop, deviceJobLoop } from '../device-jobs/runner.ts'
import { notifyChanged } from '../devices/service.ts'
import type { Route } from '../http/route.ts'
import type { Log } from '../platform/log.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import { tagRuleRoutes } from '../tag-rules/routes.ts'
import { type TagRuleLoop, tagRuleLoop } from '../tag-rules/worker.ts'

export interface DeviceLoopParts {
  readonly system: Kysely<Schema>
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
  readonly ledger: Parameters<typeof recordingRemoval>[0]
  readonly log: Log
}

export interface DeviceLoops {
  readonly deviceJobs: DeviceJobLoop
  readonly tagRules: TagRuleLoop
}

/** @param onEnd registers what ends before the server does */
export function composeDeviceLoops(
  { system, tenantContext, ledger, log }: DeviceLoopParts,
  onEnd: (end: () => Promise<void>) => void,
): DeviceLoops {
  const deviceJobs = deviceJobLoop({ system, tenantContext, removal: recordingRemoval(ledger), log })
  onEnd(() => deviceJobs.stop())
  const ofPlatform = (tenant: TenantId) => tenantContext(tenant, { kind: 'system', name: 'tag-rules' })
  const tagRules = tagRuleLoop({ system, tenantContext: ofPlatform, notifyChanged, log })
  onEnd(() => tagRules.stop())
  return { deviceJobs, tagRules }
}

/**
 * Routes that start work of the loops.
 * @param exports rate limit per person
 */
export function deviceLoopRoutes({ deviceJobs, tagRules }: DeviceLoops, exports: RateLimiter): Route[] {
  return [...deviceJobRoutes(() => deviceJobs.wake(), exports), ...tagRuleRoutes(() => tagRules.wake())]
}
