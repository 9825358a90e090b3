// Reads a whole ledger and checks every recording that it has not removed.
import type { SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { RecordingVerdict } from '@bowline/contract/schemas/session'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { RecordingKey } from '../recording-key.ts'
import { type Head, type Statement, emptyHead, readEntry } from './entry.ts'
import { listEntries } from './store.ts'

const BATCH = 1_000

export interface LedgerProblem {
  /** Sequence number of the entry. */
  readonly entry: number
  readonly message: string
}

export interface ReadLedger {
  readonly head: Head
  readonly problems: readonly LedgerProblem[]
  /** Recordings that were started and not removed. */
  readonly kept: readonly Start[]
}

type Start = Extract<Statement, { kind: 'start' }>

/** @param posted a head that was kept elsewhere and must still be in the ledger */
export async function readLedger(
  db: Kysely<Schema>,
  tenant: TenantId,
  isSigned: RecordingKey['isSigned'],
  posted?: Head,
): Promise<ReadLedger> {
  const problems: LedgerProblem[] = []
  const kept = new Map<string, Start>()
  let head = emptyHead(tenant)
  /** Id of the key that must sign the next entry; undefined before the first. */
  let signer: string | undefined
  let isPostedFound = posted === undefined
  for (let rows = await listEntries(db, tenant, 0, BATCH); rows.length > 0;) {
    for (const row of rows) {
      const { sequence: entry } = row
      if (entry !== head.sequence + 1) {
        problems.push({ entry, message: `Entries ${head.sequence + 1} to ${entry - 1} are missing.` })
      }
      const statement = readEntry(row, isSigned)
      if (!statement) problems.push({ entry, message: 'It is not as it was written.' })
      else if (entry === head.sequence + 1 && statement.previous !== head.hash) {
        problems.push({ entry, message: 'It does not follow on the entry before it.' })
      }
      if (statement) {
        if (signer !== undefined && statement.key !== signer) {
          problems.push({ entry, message: 'It is signed by another key than the one that signs here.' })
        }
        signer = statement.kind === 'rotate-key' ? statement.to : statement.key
        follow(kept, statement)
      }
      if (posted?.sequence === entry && posted.hash === row.hash) isPostedFound = true
      head = row
    }
    rows = await listEntries(db, tenant, head.sequence, BATCH)
  }
  if (posted && !isPostedFound) {
    problems.push({ entry: posted.sequence, message: 'The ledger does not have the head that was kept elsewhere.' })
  }
  return { head: { sequence: head.sequence, hash: head.hash }, problems, kept: [...kept.values()] }
}

function follow(kept: Map<string, Start>, statement: Statement): void {
  if (statement.kind === 'start') kept.set(statement.recording, statement)
  else if (statement.kind === 'remove') kept.delete(statement.recording)
  else if (statement.kind === 'remove-namespace') kept.clear()
  else if (statement.kind === 'remove-device') {
    for (const [id, { device }] of kept) if (device === statement.device) kept.delete(id)
  }
}

/** Result for one recording. */
export interface Finding extends RecordingVerdict {
  readonly recording: string
  readonly session: SessionUid
  readonly seat: number
}
