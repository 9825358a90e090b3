// Deletes recordings after their namespace's retention period.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Recordings } from './recordings.ts'
import { removeRecording } from './service.ts'
import { listExpired } from './store.ts'

const BATCH = 100

/**
 * Deletes expired recordings, each with an entry in the audit log.
 * @param system connection to every namespace
 * @param contextOf the platform's own context in a namespace
 */
export async function removeExpired(
  system: Kysely<Schema>,
  recordings: Recordings,
  contextOf: (tenant: TenantId) => TenantContext,
  now: Date,
): Promise<void> {
  for (
    let rows = await listExpired(system, now, BATCH);
    rows.length > 0;
    rows = await listExpired(system, now, BATCH)
  ) {
    for (const { tenant_id, session_uid: uid, seat } of rows) {
      await removeRecording(contextOf(tenant_id), recordings, { uid, seat }, 'recording.expire')
    }
  }
}
