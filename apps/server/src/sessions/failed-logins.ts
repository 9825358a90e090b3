// Stores failed logins. They need no credential, so rows are bounded by age and by number per hour, and the audit log
// holds repeated refusals as a count.
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { sourceKey } from '../platform/network/address.ts'
import {
  countFailedSessions,
  countRefusal,
  deleteFailedSessions,
  dropFailedLogin,
  takeDroppedGuesses,
  takeRefusals,
} from './failed-login-store.ts'
import type { SessionRow } from './store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Window of refusals that become one audit entry. */
const REFUSAL_WINDOW_MS = 600_000
const BATCH = 1_000

/**
 * Records a refusal by a rule. The first of a source, device and rule is written to the audit log immediately; later
 * ones are counted and written ten minutes later by {@link sweepFailedLogins}.
 */
export async function noteRefusal(
  ctx: TenantContext,
  refusal: {
    readonly session: string
    /** The client's address. */
    readonly address: string
    readonly rule: number
    readonly username: string
    readonly device: { readonly uid: DeviceUid; readonly name: string }
  },
): Promise<void> {
  const { rule, username, device, address } = refusal
  const details = { rule, username, device: device.name }
  await ctx.db.transaction().execute(async (db) => {
    const isFirst = await countRefusal(db, {
      tenant_id: ctx.tenant,
      source: sourceKey(address),
      device_uid: device.uid,
      rule,
      since: new Date(ctx.clock.now()),
      details,
    })
    if (isFirst) await audit({ ...ctx, db, source: address }, 'session.refuse', refusal.session, details)
  })
}

/**
 * Bounds the failed logins that a namespace keeps per hour: those beyond are counted instead.
 * @param row a session that has just been closed
 * @returns true if its row was deleted
 */
export async function dropBeyondLimit(ctx: TenantContext, row: SessionRow): Promise<boolean> {
  if (row.authenticated) return false
  const at = row.started_at.getTime()
  const kept = await countFailedSessions(ctx.db, new Date(at - HOUR_MS))
  if (kept <= LIMITS.failedLoginsPerHour) return false
  await ctx.db.transaction().execute((db) => dropFailedLogin(db, ctx.tenant, row.uid, new Date(at - (at % HOUR_MS))))
  return true
}

/**
 * Deletes failed logins after their retention and writes the counts to the audit logs.
 * @param system connection to every namespace
 * @param contextOf the platform's own context in a namespace
 * @param now milliseconds since the epoch
 */
export async function sweepFailedLogins(
  system: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  now: number,
  keepDays: number,
): Promise<void> {
  while ((await deleteFailedSessions(system, new Date(now - keepDays * DAY_MS), BATCH)) === BATCH);
  await system.transaction().execute(async (db) => {
    for (const row of await takeRefusals(db, new Date(now - REFUSAL_WINDOW_MS))) {
      if (row.count === 0) continue
      const details = { ...row.details, count: row.count, since: row.since.toISOString() }
      await audit({ ...contextOf(row.tenant_id), db, source: row.source }, 'session.refuse', '', details)
    }
    for (const { tenant_id, hour, count } of await takeDroppedGuesses(db, new Date(now - (now % HOUR_MS)))) {
      await audit({ ...contextOf(tenant_id), db }, 'session.guesses', '', { count, hour: hour.toISOString() })
    }
  })
}
