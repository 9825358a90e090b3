// Verifies that a recording exists and is unmodified.
import type { Verdict } from '@bowline/asciicast/verify'
import { fail } from '@bowline/contract/errors'
import type { RecordingVerdict } from '@bowline/contract/schemas/session'
import type { TenantContext } from '../context.ts'
import { judge, missing } from './judgement.ts'
import { extractLedger, findKept } from './ledger/extract.ts'
import { readVerdict } from './file/reading.ts'
import type { Recordings } from './recordings.ts'
import { type SeatOf, locate, storeAway } from './service.ts'
import { findSessionFacts } from './session-facts-store.ts'

/**
 * Compares a recording with its rows and the ledger.
 * @throws {BowlineError} NOT_FOUND when it never existed or was deleted; UNAVAILABLE when the store does not answer
 */
export async function verifyRecording(
  ctx: Pick<TenantContext, 'db' | 'tenant' | 'log'>,
  recordings: Recordings,
  { uid, seat }: SeatOf,
): Promise<RecordingVerdict> {
  const { db, tenant } = ctx
  await recordings.key.refresh()
  const { isSigned } = recordings.key
  const place = { tenant, session: uid, seat }
  const found = await locate(ctx, recordings, { uid, seat })
  if (!found) {
    const kept = await findKept(db, isSigned, place)
    if (kept.length === 0) fail('NOT_FOUND', { what: 'The recording' })
    return missing('The ledger has its beginning and no removal; its row is gone.')
  }
  const { row, file } = found
  let verdict: Verdict | undefined
  if (file) {
    verdict = await readVerdict(file, recordings.verifier(row.id))
      .catch(storeAway)
      .finally(() => file.close())
  }
  const ledger = await extractLedger(db, isSigned, place, row.id)
  return judge({ row, session: await findSessionFacts(db, uid), file: verdict, ledger })
}
