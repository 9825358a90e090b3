// Replaces the key that signs recordings and their ledgers. The old private key is deleted; its public key is kept to
// verify earlier signatures.
import { generateKeyPairSync } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Schema } from '../../db/schema.ts'
import { readRecordingKeys, replaceRecordingKey } from '../../instance/recording-keys.ts'
import type { SecretKey } from '../../platform/secrets/seal.ts'
import { createLedger } from '../ledger/ledger.ts'
import { listHeads, lockKey } from '../ledger/store.ts'
import { createRecordingKey } from '../recording-key.ts'

export interface Rotation {
  /** Key ids. */
  readonly from: string
  readonly to: string
  /** Number of ledgers that name the new key. */
  readonly ledgers: number
}

/**
 * Creates a new key. The last entry that the old key signs in each ledger names it. Running servers use it from their
 * next entry on; recordings in progress keep the key that they started with.
 * @param system connection to every namespace
 */
export function rotateRecordingKey(system: Kysely<Schema>, secret: SecretKey, clock: Clock): Promise<Rotation> {
  return system.transaction().execute(async (db) => {
    await lockKey(db, 'exclusive')
    const old = createRecordingKey(await readRecordingKeys(db, secret)())
    const pair = generateKeyPairSync('ed25519')
    const { id: to, jwk } = createRecordingKey(pair).published
    const ledger = createLedger(old)
    const heads = await listHeads(db)
    for (const { tenant_id: tenant } of heads) {
      await ledger.appendIn({ tenant, db, clock }, { kind: 'rotate-key', to, x: jwk.x })
    }
    await replaceRecordingKey(db, secret, pair.privateKey, new Date(clock.now()))
    return { from: old.published.id, to, ledgers: heads.length }
  })
}
