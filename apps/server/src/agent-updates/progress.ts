// Rollouts go on by themselves: to the next stage when the devices of this one are well, and no further when too many are
// not. One node does it for all.
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { type Available, standingOf, startRollout, toPolicy } from './service.ts'
import {
  type RolloutRow,
  type Standing,
  changeRollout,
  findLatestRollout,
  findPolicy,
  hasReportSince,
  namespacesToUpdate,
  noteLook,
} from './store.ts'
import { isWithin } from './window.ts'

const { failedPercent, healthyPercent } = LIMITS.agentUpdates
/** Agents register every ten minutes, and a little later each time. */
const REPORT_GAP_MS = 12 * 60_000
/** Between two looks at a rollout, another node may have to take the job over. */
const LOOK_GAP_MS = 3 * 60_000
const NEXT = { canary: 'tenth', tenth: 'all' } as const

export interface RolloutDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly contextOf: (tenant: TenantId) => TenantContext
  readonly available: () => Promise<Available>
  readonly log: Log
}

export async function advanceRollouts({ system, contextOf, available, log }: RolloutDeps): Promise<void> {
  const tenants = await namespacesToUpdate(system)
  if (tenants.length === 0) return
  const release = await available()
  const isHeard = (now: number): Promise<boolean> => hasReportSince(system, new Date(now - REPORT_GAP_MS))
  for (const tenant of tenants) {
    // One namespace's error must not keep the rollouts of others from going on.
    try {
      await advance(contextOf(tenant), release, isHeard)
    } catch (error) {
      log.error('agent-update.error', { tenant, err: error })
    }
  }
}

type IsHeard = (now: number) => Promise<boolean>

async function advance(ctx: TenantContext, available: Available, isHeard: IsHeard): Promise<void> {
  // While servers of two versions run, nothing is told to devices and nothing is learned of them.
  if (!('reason' in available) && available.blocked !== '') return
  const latest = await findLatestRollout(ctx.db)
  if (latest?.state === 'running') {
    const now = ctx.clock.now()
    return step(ctx, await looked(ctx, latest, now, isHeard), now, available)
  }
  const policy = toPolicy(await findPolicy(ctx.db))
  if (policy.mode !== 'automatic' || latest?.state === 'paused' || 'reason' in available) return
  // Each release once: one that was halted or aborted is a person's to start again.
  if (latest && latest.release >= available.release) return
  if (isWithin(policy.window ?? undefined, ctx.clock.now())) await startRollout(ctx, available)
}

/**
 * Notes since when the server has heard of devices: not while it was down, and not while none of the installation reports,
 * as when its network is away.
 */
async function looked(ctx: TenantContext, rollout: RolloutRow, now: number, isHeard: IsHeard): Promise<RolloutRow> {
  const gapAfter = new Date(now - LOOK_GAP_MS)
  const heardSince = await noteLook(ctx.db, rollout.id, { isHeard: await isHeard(now), now: new Date(now), gapAfter })
  return { ...rollout, heard_since: heardSince }
}

/** @param at when the rollout was as its row says: a process may stand still in between */
async function step(ctx: TenantContext, rollout: RolloutRow, at: number, available: Available): Promise<void> {
  const standing = await standingOf(ctx, rollout, at)
  const reason = reasonToHalt(rollout, standing, available)
  const now = new Date(ctx.clock.now())
  if (reason !== undefined) return change(ctx, rollout, 'halt', { state: 'halted', reason, ended_at: now })
  if (!isStageOver(standing)) return
  if (rollout.stage === 'all') return change(ctx, rollout, 'done', { state: 'done', ended_at: now })
  await change(ctx, rollout, 'stage', { stage: NEXT[rollout.stage], stage_since: now })
}

/** Whether enough devices are well. Never while there is none: after an outage no device has reported yet. */
export function isStageOver({ total, healthy }: Standing): boolean {
  return total > 0 && healthy * 100 >= total * healthyPercent
}

/** Why a rollout must not go on; undefined: it may. One failure may have its own cause, unless no other device is left to try. */
export function reasonToHalt(
  { release, stage, canary_tag: tag }: Pick<RolloutRow, 'release' | 'stage' | 'canary_tag'>,
  { known, total, updated, failed }: Standing,
  available: Available,
): string | undefined {
  if ('reason' in available) return `the server has no signed release any more: ${available.reason}`
  if (available.release !== release) return `the server has release ${available.release} now`
  if (stage === 'canary' && known === 0) return `no device with the tag ${tag} can be updated`
  const tried = updated + failed
  if (failed * 100 <= tried * failedPercent || (failed < 2 && tried < total)) return undefined
  return tried === 1 ? 'it failed on the only device' : `it failed on ${failed} of the ${tried} devices that tried it`
}

async function change(
  ctx: TenantContext,
  rollout: RolloutRow,
  what: 'halt' | 'done' | 'stage',
  changes: Parameters<typeof changeRollout>[2],
): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await changeRollout(db, rollout, changes))) return
    const { stage = rollout.stage, reason = '' } = changes
    await audit({ ...ctx, db }, `agent-update.${what}`, rollout.id, { release: rollout.release, stage, reason })
    if (what === 'halt') ctx.log.warn('agent-update.halted', { tenant: ctx.tenant, release: rollout.release, reason })
  })
}
