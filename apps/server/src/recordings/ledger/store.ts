// SQL of the ledger of recordings.
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { RecordingLedgerTable } from '../../db/tables/recording-tables.ts'
import type { Head } from './entry.ts'

/**
 * Locks the signing key until the transaction ends: `shared` to sign with it, `exclusive` to replace it. Call it before
 * {@link lockLedger}.
 */
export async function lockKey(db: Kysely<Schema>, how: 'shared' | 'exclusive'): Promise<void> {
  const key = sql`hashtextextended('recording key', 0)`
  if (how === 'shared') await sql`select pg_advisory_xact_lock_shared(${key})`.execute(db)
  else await sql`select pg_advisory_xact_lock(${key})`.execute(db)
}

/** Locks the namespace's ledger until the transaction ends. Take it last: others wait for it. */
export async function lockLedger(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`recording ledger ${tenant}`}, 0))`.execute(db)
}

export function findHead(db: Kysely<Schema>, tenant: TenantId): Promise<Head | undefined> {
  return db
    .selectFrom('recording_ledger')
    .select(['sequence', 'hash'])
    .where('tenant_id', '=', tenant)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertEntries(db: Kysely<Schema>, entries: readonly RecordingLedgerTable[]): Promise<void> {
  await db.insertInto('recording_ledger').values(entries).execute()
}

/** Entries after a sequence number, in order. */
export function listEntries(
  db: Kysely<Schema>,
  tenant: TenantId,
  after: number,
  limit: number,
): Promise<RecordingLedgerTable[]> {
  return ofTenant(db, tenant).where('sequence', '>', after).orderBy('sequence').limit(limit).execute()
}

/** Entries of a recording, in order. */
export function listOfRecording(db: Kysely<Schema>, tenant: TenantId, id: string): Promise<RecordingLedgerTable[]> {
  return ofTenant(db, tenant).where('recording_id', '=', id).orderBy('sequence').execute()
}

/** Starts of recordings of a seat, in order. */
export function listStarts(
  db: Kysely<Schema>,
  tenant: TenantId,
  session: SessionUid,
  seat: number,
): Promise<RecordingLedgerTable[]> {
  return ofTenant(db, tenant)
    .where('kind', '=', 'start')
    .where('session_uid', '=', session)
    .where('seat', '=', seat)
    .orderBy('sequence')
    .execute()
}

/** Removals of a device, in order. */
export function listDeviceRemovals(
  db: Kysely<Schema>,
  tenant: TenantId,
  device: DeviceUid,
): Promise<RecordingLedgerTable[]> {
  return ofTenant(db, tenant)
    .where('kind', '=', 'remove-device')
    .where('device_uid', '=', device)
    .orderBy('sequence')
    .execute()
}

/** True if the namespace ever started a recording. @param device only of this device */
export async function hasStartEntries(db: Kysely<Schema>, tenant: TenantId, device?: DeviceUid): Promise<boolean> {
  const one = await ofTenant(db, tenant)
    .where('kind', '=', 'start')
    .$if(device !== undefined, (query) => query.where('device_uid', '=', device ?? null))
    .limit(1)
    .executeTakeFirst()
  return one !== undefined
}

export interface TenantHead extends Head {
  readonly tenant_id: TenantId
  readonly at: Date
}

/** The heads of all ledgers. System connection. */
export function listHeads(db: Kysely<Schema>): Promise<TenantHead[]> {
  return db
    .selectFrom('recording_ledger')
    .distinctOn('tenant_id')
    .select(['tenant_id', 'sequence', 'hash', 'at'])
    .orderBy('tenant_id')
    .orderBy('sequence', 'desc')
    .execute()
}

function ofTenant(db: Kysely<Schema>, tenant: TenantId) {
  return db.selectFrom('recording_ledger').selectAll().where('tenant_id', '=', tenant)
}
