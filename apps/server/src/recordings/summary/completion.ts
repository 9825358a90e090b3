// Tells audit streams that ask for it of each recording that is complete: by an entry of the audit log, so that it is
// delivered as all entries are, in order, at least once, and after a pause.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { RecordingSummary } from '@bowline/contract/schemas/recording'
import type { Kysely } from 'kysely'
import { audit } from '../../audit/service.ts'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { getMany } from '../../devices/service.ts'
import { findSessionOf } from '../../sessions/service.ts'
import type { RecordingRow } from '../store.ts'
import { areRecordingsStreamed } from './store.ts'

export interface CompletionParts {
  /** The platform's own context in a namespace. */
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** Address of the console; undefined where the server has not been told. */
  readonly publicUrl: string | undefined
}

/** The audit log is read by people who may not play recordings: what was run is for those who may, in the list of recordings. */
function withoutPrograms({ sha256, seconds, idle_seconds, commands, failed_commands }: RecordingSummary) {
  return { sha256, seconds, idle_seconds, commands, failed_commands }
}

export type Completed = (db: Kysely<Schema>, row: RecordingRow, summary: RecordingSummary) => Promise<void>

export function createCompletion({ contextOf, publicUrl }: CompletionParts): Completed {
  const origin = publicUrl === undefined ? '' : new URL(publicUrl).origin
  return async (db, row, summary) => {
    if (!(await areRecordingsStreamed(db, row.tenant_id))) return
    const ctx = { ...contextOf(row.tenant_id), db }
    const session = await findSessionOf(ctx, row.session_uid)
    // Deleted with its device meanwhile.
    if (!session) return
    const device = (await getMany(ctx, [session.device_uid])).get(session.device_uid)
    const place = `/sessions/${row.session_uid}`
    await audit(ctx, 'recording.complete', row.session_uid, {
      recording: row.id,
      seat: row.seat,
      state: row.state,
      device: { uid: session.device_uid, name: device?.name ?? null },
      username: session.username,
      ip_address: session.ip_address,
      person: session.person_id && { id: session.person_id, name: session.person },
      started_at: row.started_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
      bytes: row.bytes,
      ...withoutPrograms(summary),
      player: `${origin}${place}/play/${row.seat}`,
      asciicast: `${origin}/api${place}/records/${row.seat}?format=cast3`,
    })
  }
}
