// Use cases of updates of agents: what a namespace wants, what its devices report, and who may fetch a release when.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { AgentReport, AgentUpdates, Rollout, UpdatePolicy } from '@bowline/contract/schemas/fleet/agent-update'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import {
  type PolicyRow,
  type RolloutRow,
  type Standing,
  changeRollout,
  countObstacles,
  countReleases,
  findLatestRollout,
  findOpenRollout,
  findPolicy,
  grantUpdate,
  insertRollout,
  openHandover,
  readStanding,
  takeOpenHandover,
  upsertPolicy,
  upsertState,
} from './store.ts'
import { isWithin } from './window.ts'

/** The signed release that this server has, or why it has none. */
export type Available =
  | {
      readonly release: number
      readonly version: string
      /** Why it is not rolled out now, on one line; empty: it may be. */
      readonly blocked: string
    }
  | { readonly reason: string }

const MINUTE_MS = 60_000
const { atOnce, healthyMinutes, fetchMinutes, silentMinutes, handoverMinutes } = LIMITS.agentUpdates

export async function describeUpdates(ctx: TenantContext, available: Available): Promise<AgentUpdates> {
  const latest = await findLatestRollout(ctx.db)
  return {
    available: 'reason' in available ? null : { release: available.release, version: available.version },
    unavailable: 'reason' in available ? available.reason : '',
    blocked: 'reason' in available ? '' : available.blocked,
    policy: toPolicy(await findPolicy(ctx.db)),
    rollout: latest ? toRollout(latest, await standingOf(ctx, latest)) : null,
    fleet: await countReleases(ctx.db),
    obstacles: await countObstacles(ctx.db),
  }
}

export async function setPolicy(ctx: TenantContext, policy: UpdatePolicy): Promise<void> {
  const { mode, canary_tag, window } = policy
  await ctx.db.transaction().execute(async (db) => {
    await upsertPolicy(db, {
      tenant_id: ctx.tenant,
      mode,
      canary_tag,
      window_start: window?.start ?? null,
      window_minutes: window?.minutes ?? null,
    })
    await audit({ ...ctx, db }, 'agent-update.policy', mode, { canary_tag, window })
  })
}

/**
 * Begins to roll out what the server has, with the first stage of the policy.
 * @throws {BowlineError} AGENT_UPDATES_UNAVAILABLE; ROLLOUT_REFUSED when updates are off, another rollout is in progress, or
 *   the release is blocked
 */
export async function startRollout(ctx: TenantContext, available: Available): Promise<Rollout> {
  if ('reason' in available) return fail('AGENT_UPDATES_UNAVAILABLE', { reason: available.reason })
  if (available.blocked !== '') return fail('ROLLOUT_REFUSED', { reason: available.blocked })
  const row = await ctx.db.transaction().execute(async (db) => {
    const policy = toPolicy(await findPolicy(db))
    if (policy.mode === 'off') return fail('ROLLOUT_REFUSED', { reason: 'updates are switched off' })
    const now = new Date(ctx.clock.now())
    const inserted = await insertRollout(db, {
      tenant_id: ctx.tenant,
      release: available.release,
      version: available.version,
      state: 'running',
      stage: policy.canary_tag === null ? 'tenth' : 'canary',
      canary_tag: policy.canary_tag,
      started_at: now,
      stage_since: now,
      ended_at: null,
      heard_since: null,
      looked_at: null,
    })
    if (!inserted) return fail('ROLLOUT_REFUSED', { reason: 'another rollout is in progress' })
    const { id, release, version } = inserted
    await audit({ ...ctx, db }, 'agent-update.start', id, { release, version })
    return inserted
  })
  return toRollout(row, await standingOf(ctx, row))
}

const STATES = { pause: 'paused', resume: 'running', abort: 'aborted' } as const

/**
 * Does nothing when the rollout is in that state already.
 * @throws {BowlineError} NOT_FOUND when it has ended; ROLLOUT_REFUSED when it changes at the same time
 */
export async function actOnRollout(ctx: TenantContext, id: string, action: keyof typeof STATES): Promise<void> {
  const state = STATES[action]
  await ctx.db.transaction().execute(async (db) => {
    const row = await findOpenRollout(db)
    if (row?.id !== id) return fail('NOT_FOUND', { what: 'An active rollout' })
    if (row.state === state) return
    const ended = state === 'aborted' ? { ended_at: new Date(ctx.clock.now()) } : {}
    if (!(await changeRollout(db, row, { state, ...ended }))) fail('ROLLOUT_REFUSED', { reason: 'it has just changed' })
    await audit({ ...ctx, db }, `agent-update.${action}`, id, { release: row.release, stage: row.stage })
  })
}

/** The release that devices may have now. */
function offeredBy(available: Available): number | undefined {
  return 'reason' in available || available.blocked !== '' ? undefined : available.release
}

/** What a device is told about updates. */
export interface ToldOfUpdates {
  /** The release that it may fetch now. */
  readonly update?: { readonly release: number }
  /** Whether its link may be handed over to the release that it has announced. */
  readonly handover?: boolean
}

/** Records what a device has told about its agent, proven by its key. */
export async function reportAgent(
  ctx: TenantContext,
  uid: DeviceUid,
  { release, obstacle, failed, updating }: Omit<AgentReport, 'signature'>,
  available: () => Promise<Available>,
): Promise<ToldOfUpdates> {
  const now = new Date(ctx.clock.now())
  const told = {
    release,
    obstacle: obstacle === undefined ? null : oneLine(obstacle),
    failed: failed && { release: failed.release, reason: oneLine(failed.reason) },
  }
  await upsertState(ctx.db, { uid, tenant: ctx.tenant }, told, now)
  if (updating !== undefined) {
    // Only to what this server offers, and only from an older release; each announcement is for one link.
    const handover = updating === offeredBy(await available()) && updating > release
    if (handover) await openHandover(ctx.db, uid, new Date(now.getTime() + handoverMinutes * MINUTE_MS))
    return { handover }
  }
  const rollout = await findOpenRollout(ctx.db)
  if (rollout?.state !== 'running' || rollout.release <= release) return {}
  if (offeredBy(await available()) === undefined) return {}
  const policy = toPolicy(await findPolicy(ctx.db))
  if (policy.mode === 'off' || !isWithin(policy.window ?? undefined, now.getTime())) return {}
  const since = new Date(now.getTime() - fetchMinutes * MINUTE_MS)
  const isGranted = await grantUpdate(ctx.db, uid, rollout, { atOnce, since, now })
  return isGranted ? { update: { release: rollout.release } } : {}
}

/**
 * Decides at a device's newer link whether the former one, which has announced it, goes on with what runs on it.
 * @param ctx with the device as its actor, and the address of the newer link as its source
 * @returns false: nothing lets it, as when another process has the device's key
 */
export async function takeHandover(ctx: TenantContext, uid: DeviceUid): Promise<boolean> {
  return ctx.db.transaction().execute(async (db) => {
    const release = await takeOpenHandover(db, uid, new Date(ctx.clock.now()))
    if (release === undefined) return false
    await audit({ ...ctx, db }, 'agent-update.handover', uid, { release })
    return true
  })
}

/** A device's text without control characters, and without those that hide or turn text. Refused, it could not register. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}

/** @param now milliseconds since 1970 at which the rollout was as its row says */
export function standingOf(
  { db, clock }: TenantContext,
  rollout: RolloutRow,
  now: number = clock.now(),
): Promise<Standing> {
  const ago = (minutes: number): Date => new Date(now - minutes * MINUTE_MS)
  /** Silence tells something only when the server could have heard devices all the while. */
  const heard = (minutes: number): Date | undefined => {
    const start = ago(minutes)
    return rollout.heard_since !== null && rollout.heard_since <= start ? start : undefined
  }
  return readStanding(db, rollout, {
    reportedSince: ago(silentMinutes),
    silentSince: heard(silentMinutes),
    updatedBefore: ago(healthyMinutes),
    grantedBefore: heard(fetchMinutes),
  })
}

/** @param row undefined: nobody has set one */
export function toPolicy(row: PolicyRow | undefined): UpdatePolicy {
  const { mode = 'off', canary_tag = null, window_start: start = null, window_minutes: minutes = null } = row ?? {}
  return { mode, canary_tag, window: start === null || minutes === null ? null : { start, minutes } }
}

function toRollout(row: RolloutRow, { total, updated, failed }: Standing): Rollout {
  const { id, release, version, state, stage, reason } = row
  return {
    id,
    release,
    version,
    state,
    stage,
    reason,
    started_at: row.started_at.toISOString(),
    stage_since: row.stage_since.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    devices: { total, updated, failed },
  }
}
