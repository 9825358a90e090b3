// Seals recordings left unfinished by an earlier run of the server as interrupted, with every complete line. Those that
// the ledger has as sealed are left unchanged: they were truncated later.
import type { FileHandle } from 'node:fs/promises'
import type { Seal } from '@bowline/asciicast/chain'
import { createVerifier } from '@bowline/asciicast/verify'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { isCut, lastSeal } from './judgement.ts'
import { extractLedger } from './ledger/extract.ts'
import type { LedgerContext } from './ledger/ledger.ts'
import { readVerdict, timeOfLastEvent } from './file/reading.ts'
import type { RecordingKey } from './recording-key.ts'
import { openSpool, orAbandon } from './file/spool.ts'
import { type RecordingRow, listUnfinished, setRecordingState } from './store.ts'

export interface LostParts {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  /** This node; it seals its own recordings. */
  readonly node: string
  readonly log: Log
  readonly clock: Clock
  readonly key: RecordingKey
  readonly openFile: (id: string) => Promise<FileHandle>
  readonly path: (id: string) => string
  /** Records the seal in row and ledger. */
  readonly sealed: (ctx: LedgerContext, id: string, seal: Seal, bytes: number) => Promise<void>
}

export async function sealLost(parts: LostParts): Promise<void> {
  const { system, node, log } = parts
  for (const row of await listUnfinished(system, node)) {
    try {
      const file = await parts.openFile(row.id)
      const state = await sealFile(parts, row, file).finally(() => file.close())
      log.info('recording.sealed', { session: row.session_uid, state })
    } catch (error) {
      log.error('recording.failed', { session: row.session_uid, err: error })
    }
  }
}

async function sealFile(
  { system, clock, key, path, sealed }: LostParts,
  row: RecordingRow,
  file: FileHandle,
): Promise<RecordingRow['state']> {
  const { id, tenant_id: tenant, session_uid: session, seat } = row
  const ctx = { tenant, db: system, clock }
  const { size } = await file.stat()
  const verdict = await readVerdict(file, createVerifier(id, key.isSigned))
  const ledger = await extractLedger(system, key.isSigned, { tenant, session, seat }, id)
  if (verdict.result === 'intact') {
    const { seal } = verdict
    const known = lastSeal(ledger.own)
    if (known?.hash === seal.hash && known.state === seal.state) await setRecordingState(system, id, seal.state, size)
    else await sealed(ctx, id, seal, size)
    return seal.state
  }
  if (verdict.result === 'tampered' || isCut(row, verdict, ledger)) {
    // A modified file is left unchanged for inspection.
    await setRecordingState(system, id, 'interrupted', size)
    return 'interrupted'
  }
  const { atMs, tail } = await timeOfLastEvent(file, verdict.bytes)
  const spool = await openSpool(path(id), id, key.sign, { chain: verdict.state, bytes: verdict.bytes })
  const seal = await orAbandon(spool, async () => {
    if (tail !== '') await spool.write(tail)
    return spool.seal('interrupted', atMs)
  })
  await sealed(ctx, id, seal, spool.bytes)
  return 'interrupted'
}
