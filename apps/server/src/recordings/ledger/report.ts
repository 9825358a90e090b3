// Checks all recordings of a namespace against its ledger.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { Recordings } from '../recordings.ts'
import { findRecordingById } from '../store.ts'
import { verifyRecording } from '../verification.ts'
import { type Finding, type LedgerProblem, readLedger } from './check.ts'
import type { Head } from './entry.ts'

export interface RecordingReport {
  readonly tenant: TenantId
  readonly head: Head
  /** Intact recordings, including those in progress. */
  readonly good: number
  /** Recordings with files on another node. */
  readonly elsewhere: number
  readonly problems: readonly LedgerProblem[]
  readonly bad: readonly Finding[]
}

/**
 * @param system connection
 * @param node node whose files can be read
 * @param posted a head that was kept elsewhere
 */
export async function reportNamespace(
  ctx: TenantContext,
  system: Kysely<Schema>,
  recordings: Recordings,
  node: string,
  posted?: Head,
): Promise<RecordingReport> {
  const { tenant } = ctx
  const { head, problems, kept } = await readLedger(system, tenant, recordings.key.isSigned, posted)
  const bad: Finding[] = []
  let good = 0
  let elsewhere = 0
  for (const { recording, session, seat } of kept) {
    const row = await findRecordingById(ctx.db, recording)
    if (row && row.node !== node && row.place !== 'object') {
      elsewhere += 1
      continue
    }
    // Looks the row up by the ledger's data: one moved to another session is missing here.
    const verdict = await verifyRecording(ctx, recordings, { uid: session, seat })
    if (verdict.result === 'intact' || verdict.result === 'recording') good += 1
    else bad.push({ recording, session, seat, ...verdict })
  }
  return { tenant, head, good, elsewhere, problems, bad }
}
