// The key that signs recordings, and the public halves of those before it. All are sealed: who can write to the database
// alone can neither sign nor pass a key of their own off as one of ours.
import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { Kysely } from 'kysely'
import * as z from 'zod'
import type { Schema } from '../db/schema.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { findInstanceKeys, putInstanceKey, setInstanceKey } from './store.ts'

const CURRENT = 'recording-ed25519'
const RETIRED = 'recording-ed25519-retired'

export interface RecordingKeys {
  /** Ed25519; signs the chunks and seals of recordings. */
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** Since when it signs. */
  readonly since?: Date
  /** Those that signed before, the oldest first. */
  readonly retired?: readonly RetiredKey[]
}

export interface RetiredKey {
  readonly publicKey: KeyObject
  /** When it signed. */
  readonly from: Date
  readonly to: Date
}

const Retired = z.array(z.object({ x: z.string(), from: z.iso.datetime(), to: z.iso.datetime() }))

/**
 * @param db system connection
 * @returns reads the keys, making the first; the same object as long as they have not changed
 */
export function readRecordingKeys(db: Kysely<Schema>, secret: SecretKey): () => Promise<RecordingKeys> {
  let known: { readonly sealed: string; readonly keys: RecordingKeys } | undefined
  return async () => {
    let rows = await findInstanceKeys(db, [CURRENT, RETIRED])
    if (rows.length === 0) {
      await putInstanceKey(db, CURRENT, () => seal(secret, generateKeyPairSync('ed25519').privateKey))
      rows = await findInstanceKeys(db, [CURRENT, RETIRED])
    }
    const sealed = rows.map((row) => row.sealed.toString('base64')).join()
    if (known?.sealed !== sealed) known = { sealed, keys: open(secret, rows) }
    return known.keys
  }
}

/**
 * Makes a private key the current one, and retires the one before it, whose private half is gone then.
 * @param db system connection, in a transaction
 */
export async function replaceRecordingKey(
  db: Kysely<Schema>,
  secret: SecretKey,
  next: KeyObject,
  at: Date,
): Promise<void> {
  const { publicKey, since = at, retired = [] } = await readRecordingKeys(db, secret)()
  const list = [...retired, { publicKey, from: since, to: at }].map(({ publicKey: key, from, to }) => ({
    x: String(key.export({ format: 'jwk' }).x),
    from: from.toISOString(),
    to: to.toISOString(),
  }))
  await setInstanceKey(db, RETIRED, secret.seal(RETIRED, Buffer.from(JSON.stringify(list))), at)
  await setInstanceKey(db, CURRENT, seal(secret, next), at)
}

function seal(secret: SecretKey, key: KeyObject): Buffer {
  return secret.seal(CURRENT, Buffer.from(key.export({ type: 'pkcs8', format: 'pem' })))
}

function open(secret: SecretKey, rows: Awaited<ReturnType<typeof findInstanceKeys>>): RecordingKeys {
  const current = rows.find(({ name }) => name === CURRENT)
  if (!current) throw new Error(`instance key ${CURRENT} vanished`)
  const privateKey = createPrivateKey(secret.open(CURRENT, current.sealed).toString())
  const list = rows.find(({ name }) => name === RETIRED)
  const retired = list ? Retired.parse(JSON.parse(secret.open(RETIRED, list.sealed).toString())) : []
  return {
    privateKey,
    publicKey: createPublicKey(privateKey),
    since: current.created_at,
    retired: retired.map(({ x, from, to }) => ({
      publicKey: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }),
      from: new Date(from),
      to: new Date(to),
    })),
  }
}
