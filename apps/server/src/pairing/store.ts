// SQL of pairing codes. System rows: they belong to no namespace until one has claimed them.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { PairingsTable } from '../db/tables/pairing-tables.ts'

export type PairingRow = Selectable<PairingsTable>

/** Adds a code, in place of an earlier one of the same key that nobody has used. */
export async function replaceCode(db: Kysely<Schema>, row: Insertable<PairingsTable>): Promise<void> {
  await db.deleteFrom('pairings').where('fingerprint', '=', row.fingerprint).where('claimed_by', 'is', null).execute()
  await db.insertInto('pairings').values(row).execute()
}

/** Notes a question of the agent. @returns the row as it was before; undefined for an unknown or expired code */
export async function pollPairing(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<PairingRow | undefined> {
  const row = await db
    .selectFrom('pairings')
    .selectAll()
    .where('device_hash', '=', hash)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
  if (row) await db.updateTable('pairings').set({ polled_at: now }).where('device_hash', '=', hash).execute()
  return row
}

/** The code that nobody has used. */
export function findWaiting(db: Kysely<Schema>, codeHash: Buffer, now: Date): Promise<PairingRow | undefined> {
  return db
    .selectFrom('pairings')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .where('claimed_by', 'is', null)
    .executeTakeFirst()
}

/** Takes a code for a namespace: of concurrent callers one succeeds. @returns whether this one did */
export async function claimCode(db: Kysely<Schema>, codeHash: Buffer, now: Date, tenant: TenantId): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pairings')
    .set({ claimed_by: tenant })
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .where('claimed_by', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Gives a claimed code back, as the device could not be added. It goes for good where the device has asked for another one
 * meanwhile: a key waits under one code.
 */
export async function releaseCode(db: Kysely<Schema>, { code_hash, fingerprint }: PairingRow): Promise<void> {
  const isReplaced = db
    .selectFrom('pairings')
    .select('code_hash')
    .where('fingerprint', '=', fingerprint)
    .where('claimed_by', 'is', null)
  await db
    .updateTable('pairings')
    .set({ claimed_by: null })
    .where('code_hash', '=', code_hash)
    .where('device_uid', 'is', null)
    .where((where) => where.not(where.exists(isReplaced)))
    .execute()
}

/** Lets the agent know of its namespace, until `until` at least. */
export async function completePairing(
  db: Kysely<Schema>,
  codeHash: Buffer,
  device: DeviceUid,
  until: Date,
): Promise<void> {
  await db
    .updateTable('pairings')
    .set({ device_uid: device, expires_at: sql<Date>`greatest(expires_at, ${until})` })
    .where('code_hash', '=', codeHash)
    .execute()
}

export async function deleteExpiredPairings(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('pairings').where('expires_at', '<', now).execute()
}
