// Use cases of access requests. Asking lets nobody in: somebody else, who may change the firewall's rules, has to approve.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { AccessRequest, accessRequests } from '@bowline/contract/operations/fleet/access-requests'
import { roleMay } from '@bowline/contract/roles'
import { audit } from '../audit/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { findUsed } from '../filters/used-tags.ts'
import { holdMembership, lockNamespace } from '../membership/membership.ts'
import { type AccessMails, tellApprovers, tellRequester } from './mails.ts'
import { described, stateOf, toRequest } from './requests.ts'
import {
  type RequestRow,
  countPendingOfOthers,
  countRequests,
  findAcceptedDevice,
  insertRequest,
  listRequests,
  lockRequest,
  readHours,
  updateRequest,
} from './store.ts'

const HOUR_MS = 3_600_000
const { accessRequests: limits } = LIMITS

/** Those of everybody only for whoever may decide them. */
export async function list(
  ctx: TenantContext,
  { of, state, page, per_page: limit }: Input<typeof accessRequests.list>['query'],
): Promise<Listing<AccessRequest>> {
  const now = ctx.clock.now()
  const person = of === 'all' && mayDecide(ctx) ? undefined : userOf(ctx).id
  const query = { person, state, now: new Date(now), limit, offset: (page - 1) * limit }
  const { rows, total } = await listRequests(ctx.db, query)
  return { items: rows.map((row) => toRequest(row, now)), total }
}

/** Number of pending requests that the actor may decide. */
export async function countUndecided({ actor, db, clock }: TenantContext): Promise<number> {
  return actor.kind === 'user' && mayDecide({ actor }) ? countPendingOfOthers(db, actor.id, new Date(clock.now())) : 0
}

/**
 * @throws {BowlineError} NOT_FOUND for the device or an unused tag; INVALID_INPUT for a longer time than the namespace allows;
 *   ACCESS_REQUESTS_OFF, ACCESS_REQUEST_LIMIT, NAMESPACE_FULL
 */
export async function create(
  deps: AccessMails,
  ctx: TenantContext,
  { device: uid, tag, accounts, minutes, reason }: Input<typeof accessRequests.create>['body'],
): Promise<AccessRequest> {
  const { id: person, username } = userOf(ctx)
  const now = ctx.clock.now()
  const device =
    uid && ((await findAcceptedDevice(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' }, ['device']))
  const { row, isMailed } = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    // In turn with changes of the settings and of members, and with other requests.
    await lockNamespace(db, ctx.tenant)
    if (!(await holdMembership(inner, person))) fail('NOT_FOUND', { what: 'The namespace' })
    const hours = (await readHours(db, ctx.tenant)) ?? fail('ACCESS_REQUESTS_OFF')
    if (minutes > hours * 60) {
      fail('INVALID_INPUT', { field: 'minutes', rule: `must be at most ${hours * 60} minutes in this namespace` }, [
        'minutes',
      ])
    }
    if (tag !== undefined && !(await findUsed(db, [tag])).has(tag))
      fail('NOT_FOUND', { what: `The tag ${tag}` }, ['tag'])
    const earlier = await requireRoom(inner, person)
    const made = await insertRequest(db, {
      tenant_id: ctx.tenant,
      user_id: person,
      user_name: username,
      device_uid: uid ?? null,
      device_name: device?.name ?? null,
      tag: tag ?? null,
      accounts,
      minutes,
      reason,
      created_at: new Date(now),
      pending_until: new Date(now + limits.pendingHours * HOUR_MS),
    })
    await audit(inner, 'access-request.create', made.id, described(made))
    return { row: made, isMailed: earlier < limits.mailedPerDay }
  })
  ctx.emit({ type: 'access-requests.changed' })
  // The console shows the others: one member alone must not use up the mails of the namespace.
  if (isMailed) await tellApprovers(deps, ctx, row)
  return toRequest(row, now)
}

/**
 * Approves a request of somebody else, from now on.
 * @param minutes shorter than requested
 * @throws {BowlineError} NOT_FOUND; OWN_ACCESS_REQUEST; ACCESS_REQUEST_STATE; ACCESS_REQUESTS_OFF; INVALID_INPUT for a longer time
 */
export async function approve(
  deps: AccessMails,
  ctx: TenantContext,
  id: string,
  minutes: number | undefined,
): Promise<AccessRequest> {
  return decide(deps, ctx, id, async (inner, row, now) => {
    const hours = (await readHours(inner.db, ctx.tenant)) ?? fail('ACCESS_REQUESTS_OFF')
    // Nothing is approved for a disabled account, which could use it once it is enabled.
    if (row.user_id === null || !(await holdMembership(inner, row.user_id)))
      fail('NOT_FOUND', { what: 'The member who asked' })
    // The setting may have been lowered since.
    const most = Math.min(row.minutes, hours * 60)
    if (minutes !== undefined && minutes > most) {
      fail('INVALID_INPUT', { field: 'minutes', rule: `must be at most ${most} minutes` }, ['minutes'])
    }
    const approved = minutes ?? most
    const expires_at = new Date(now + approved * 60_000)
    const after = await updateRequest(inner.db, id, {
      ...decision(inner),
      state: 'approved',
      device_name: row.device_name,
      minutes: approved,
      expires_at,
    })
    await audit(inner, 'access-request.approve', id, { ...described(after), until: expires_at.toISOString() })
    return after
  })
}

/** @throws {BowlineError} NOT_FOUND; OWN_ACCESS_REQUEST; ACCESS_REQUEST_STATE */
export async function deny(deps: AccessMails, ctx: TenantContext, id: string, note: string): Promise<AccessRequest> {
  return decide(deps, ctx, id, async (inner, row) => {
    const after = await updateRequest(inner.db, id, {
      ...decision(inner),
      state: 'denied',
      device_name: row.device_name,
      note,
    })
    await audit(inner, 'access-request.deny', id, { ...described(after), note })
    return after
  })
}

/**
 * Withdraws a pending request of the caller's own, or ends active access: their own, or as one who may decide.
 * @throws {BowlineError} NOT_FOUND, also for requests of others that the caller may not see; ACCESS_REQUEST_STATE
 */
export async function end(deps: AccessMails, ctx: TenantContext, id: string): Promise<AccessRequest> {
  const { id: person, username } = userOf(ctx)
  const now = ctx.clock.now()
  const { row, wasActive } = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const found = await lockRequest(db, id)
    const isOwn = found?.user_id === person
    if (!found || !(isOwn || mayDecide(ctx))) return fail('NOT_FOUND', { what: 'The access request' })
    const state = stateOf(found, now)
    // A pending request of somebody else is denied, not ended.
    if (state !== 'active' && !(state === 'pending' && isOwn)) fail('ACCESS_REQUEST_STATE', { state })
    const ended = { ended_at: new Date(now), ended_by: person, ended_by_name: username }
    const to = state === 'active' ? 'ended' : 'withdrawn'
    const after = await updateRequest(db, id, { ...ended, state: to })
    await audit(inner, to === 'ended' ? 'access-request.end' : 'access-request.withdraw', id, described(after))
    return { row: after, wasActive: state === 'active' }
  })
  // Each node reviews its sessions.
  if (wasActive) ctx.emit({ type: 'policy.changed' })
  ctx.emit({ type: 'access-requests.changed' })
  if (wasActive && row.user_id !== person) await tellRequester(deps, ctx, row)
  return toRequest(row, now)
}

async function decide(
  deps: AccessMails,
  ctx: TenantContext,
  id: string,
  change: (inner: TenantContext, row: RequestRow, now: number) => Promise<RequestRow>,
): Promise<AccessRequest> {
  const { id: person } = userOf(ctx)
  const now = ctx.clock.now()
  const row = await ctx.db.transaction().execute(async (db) => {
    // In turn with changes of the settings and of members.
    await lockNamespace(db, ctx.tenant)
    const found = (await lockRequest(db, id)) ?? fail('NOT_FOUND', { what: 'The access request' })
    if (found.user_id === person) fail('OWN_ACCESS_REQUEST')
    const state = stateOf(found, now)
    if (state !== 'pending') fail('ACCESS_REQUEST_STATE', { state })
    return change({ ...ctx, db }, found, now)
  })
  ctx.emit({ type: 'access-requests.changed' })
  await tellRequester(deps, ctx, row)
  return toRequest(row, now)
}

function decision(ctx: TenantContext) {
  const { id, username } = userOf(ctx)
  return { decided_at: new Date(ctx.clock.now()), decided_by: id, decided_by_name: username }
}

/** @returns how many requests the person has made within a day */
async function requireRoom(ctx: TenantContext, person: RequestRow['user_id'] & string): Promise<number> {
  const now = ctx.clock.now()
  // Pending ones are younger than that, too.
  const since = new Date(now - 24 * HOUR_MS)
  const { pending, pendingOfPerson, recentOfPerson } = await countRequests(ctx.db, {
    person,
    now: new Date(now),
    since,
  })
  const { perPerson, perDay, perNamespace } = limits
  if (pendingOfPerson >= perPerson) fail('ACCESS_REQUEST_LIMIT', { limit: perPerson, what: 'pending requests' })
  if (recentOfPerson >= perDay) fail('ACCESS_REQUEST_LIMIT', { limit: perDay, what: 'requests within a day' })
  if (pending >= perNamespace) fail('NAMESPACE_FULL', { limit: perNamespace, what: 'pending access requests' })
  return recentOfPerson
}

/** Whoever may change the rules may set them aside for a time. */
function mayDecide({ actor }: Pick<TenantContext, 'actor'>): boolean {
  return actor.kind === 'user' && actor.role !== undefined && roleMay(actor.role, 'firewallEdit')
}

/** People ask and decide, never programs. */
function userOf({ actor }: TenantContext): UserActor {
  return actor.kind === 'user' ? actor : fail('USER_TOKEN_REQUIRED')
}
