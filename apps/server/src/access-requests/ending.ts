// Access requests that end without anybody's call about them: with a membership, a tag, the setting, or their time.
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { described } from './requests.ts'
import { type RequestRow, deleteOld, listActiveTags, lockOpen, takeExpired, updateRequest } from './store.ts'

/** Expiries that are logged at once. */
const BATCH = 500

/**
 * Ends the requests of somebody who is no member any more: a later membership does not bring them back.
 * @param ctx in a transaction, after the namespace was locked; its connection may see other namespaces
 */
export async function endAccessOf(ctx: TenantContext, person: UserId): Promise<void> {
  const now = new Date(ctx.clock.now())
  for (const row of await lockOpen(ctx.db, { tenant: ctx.tenant, person, now })) await endOne(ctx, row, { person })
}

/** Ends all requests of a namespace that switches them off. @param ctx in the transaction of the change */
export async function endAllAccess(ctx: TenantContext): Promise<void> {
  const now = new Date(ctx.clock.now())
  for (const row of await lockOpen(ctx.db, { tenant: ctx.tenant, now }))
    await endOne(ctx, row, { setting: 'access_requests' })
}

/** Returns a function that lists the ids of active requests for a tag of a device. */
export async function deviceAccess(
  ctx: TenantContext,
): Promise<(device: { readonly tags: readonly string[] }) => string[]> {
  const active = await listActiveTags(ctx.db, new Date(ctx.clock.now()))
  return ({ tags }) => active.filter(({ tag }) => tag !== null && tags.includes(tag)).map(({ id }) => id)
}

/**
 * Renames a tag in requests, or ends those for a removed one.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns ids of active requests that apply to other devices by it; those for the new name among them
 */
export async function replaceTagInAccess(ctx: TenantContext, tag: string, to: string | undefined): Promise<string[]> {
  const tags = to === undefined ? [tag] : [tag, to]
  const rows = await lockOpen(ctx.db, { tenant: ctx.tenant, tags, now: new Date(ctx.clock.now()) })
  for (const row of rows) {
    if (row.tag !== tag) continue
    if (to === undefined) await endOne(ctx, row, { tag })
    else {
      const after = await updateRequest(ctx.db, row.id, { tag: to })
      const change = { because: { tag }, before: described(row), after: described(after) }
      await audit(ctx, 'access-request.update', row.id, change)
    }
  }
  return rows.filter(({ state }) => state === 'approved').map(({ id }) => id)
}

/** Writes expired access to the audit log, and deletes old requests. Access ends by its time, not by this. */
export async function sweepAccess(
  system: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  now: number,
): Promise<void> {
  const tenants = await system.transaction().execute(async (db) => {
    const expired = await takeExpired(db, new Date(now), BATCH)
    for (const row of expired) {
      await audit({ ...contextOf(row.tenant_id), db }, 'access-request.expire', row.id, described(row))
    }
    return new Set(expired.map((row) => row.tenant_id))
  })
  for (const tenant of tenants) contextOf(tenant).emit({ type: 'access-requests.changed' })
  await deleteOld(system, new Date(now - LIMITS.accessRequests.keptDays * 86_400_000))
}

async function endOne(ctx: TenantContext, row: RequestRow, because: Readonly<Record<string, string>>): Promise<void> {
  const state = row.state === 'approved' ? 'ended' : 'withdrawn'
  const after = await updateRequest(ctx.db, row.id, { state, ended_at: new Date(ctx.clock.now()) })
  const action = state === 'ended' ? 'access-request.end' : 'access-request.withdraw'
  await audit(ctx, action, row.id, { ...described(after), because })
}
