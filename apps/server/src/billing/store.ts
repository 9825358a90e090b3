// SQL of billing's local rules.
import type { SubscriptionStatus } from '@bowline/contract/schemas/billing'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

export interface Plan {
  /** Device limit; not above 0: none. */
  readonly limit: number
  readonly status: SubscriptionStatus
  readonly endAt: Date | null
  readonly billedDevices: number | null
  readonly graceUntil: Date | null
}

/** The namespace's device limit and subscription. */
export async function findPlan(db: Kysely<Schema>): Promise<Plan | undefined> {
  const row = await db
    .selectFrom('namespaces')
    .leftJoin('billing_accounts', 'billing_accounts.tenant_id', 'namespaces.tenant_id')
    .select(['max_devices', 'status', 'end_at', 'billed_devices', 'grace_until'])
    .executeTakeFirst()
  return (
    row && {
      limit: row.max_devices,
      status: row.status ?? 'inactive',
      endAt: row.end_at,
      billedDevices: row.billed_devices,
      graceUntil: row.grace_until,
    }
  )
}

/** Locks the namespace's row, so that nothing is accepted concurrently. */
export async function lockPlan(db: Kysely<Schema>): Promise<void> {
  await db.selectFrom('namespaces').select('tenant_id').forNoKeyUpdate().execute()
}

/** Returns every accepted device that was not chosen to pending. @returns the devices returned */
export async function keepOnly(db: Kysely<Schema>, chosen: readonly DeviceUid[], at: Date): Promise<DeviceUid[]> {
  const rows = await db
    .updateTable('devices')
    .set({ status: 'pending', status_updated_at: at })
    .where('status', '=', 'accepted')
    .where(sql<boolean>`not (uid = any(${[...chosen]}::text[]))`)
    .returning('uid')
    .execute()
  return rows.map((row) => row.uid)
}

/** The devices with the most sessions. */
export async function findMostUsed(db: Kysely<Schema>, count: number): Promise<DeviceUid[]> {
  const rows = await db
    .selectFrom('devices')
    .leftJoin('sessions', 'sessions.device_uid', 'devices.uid')
    .select('devices.uid')
    .where('devices.status', '=', 'accepted')
    .groupBy('devices.uid')
    .orderBy((all) => all.fn.count('sessions.uid'), 'desc')
    .orderBy('devices.uid')
    .limit(count)
    .execute()
  return rows.map((row) => row.uid)
}
