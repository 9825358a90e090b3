// Extracts the ledger entries of a recording, or of a channel whose recording is gone.
import type { SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { RecordingLedgerTable } from '../../db/tables/recording-tables.ts'
import type { LedgerExtract } from '../judgement.ts'
import type { RecordingKey } from '../recording-key.ts'
import { type Statement, readEntry } from './entry.ts'
import { listDeviceRemovals, listOfRecording, listStarts } from './store.ts'

type Start = Extract<Statement, { kind: 'start' }>

export interface SeatOfTenant {
  readonly tenant: TenantId
  readonly session: SessionUid
  readonly seat: number
}

/** @param id id of the recording in the rows */
export async function extractLedger(
  db: Kysely<Schema>,
  isSigned: RecordingKey['isSigned'],
  { tenant, session, seat }: SeatOfTenant,
  id: string,
): Promise<LedgerExtract> {
  const own = read(await listOfRecording(db, tenant, id), isSigned)
  const others = (await findKept(db, isSigned, { tenant, session, seat })).filter(({ recording }) => recording !== id)
  return { ...own, others: others.map(({ recording }) => recording) }
}

/** Recordings of a seat that were started and not removed, by the ledger. */
export async function findKept(
  db: Kysely<Schema>,
  isSigned: RecordingKey['isSigned'],
  { tenant, session, seat }: SeatOfTenant,
): Promise<Start[]> {
  const { own: starts } = read(await listStarts(db, tenant, session, seat), isSigned)
  const kept: Start[] = []
  for (const start of starts) {
    if (start.kind === 'start' && !(await isRemoved(db, isSigned, start))) kept.push(start)
  }
  return kept
}

async function isRemoved(db: Kysely<Schema>, isSigned: RecordingKey['isSigned'], start: Start): Promise<boolean> {
  const { tenant, recording, device, sequence } = start
  const { own } = read(await listOfRecording(db, tenant, recording), isSigned)
  if (own.some(({ kind }) => kind === 'remove')) return true
  const removals = read(await listDeviceRemovals(db, tenant, device), isSigned)
  return removals.own.some((removal) => removal.sequence > sequence)
}

function read(rows: readonly RecordingLedgerTable[], isSigned: RecordingKey['isSigned']) {
  const own: Statement[] = []
  const broken: number[] = []
  for (const row of rows) {
    const statement = readEntry(row, isSigned)
    if (statement) own.push(statement)
    else broken.push(row.sequence)
  }
  return { own, broken }
}
