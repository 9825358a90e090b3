// The key that signs recordings, and the public keys of its predecessors. All are sealed: write access to the database
// alone is not enough to sign, or to pass another key off as one of ours.
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
  /** Start of its use. */
  readonly since?: Date
  /** Former keys, oldest first. */
  readonly retired?: readonly RetiredKey[]
}

export interface RetiredKey {
  readonly publicKey: KeyObject
  /** Period of its use. */
  readonly from: Date
  readonly to: Date
}

const Retired = z.array(z.object({ x: z.string(), from: z.iso.datetime(), to: z.iso.datetime() }))

/**
 * @param db system connection
 * @returns a function that reads the keys and creates the first one; returns the same object while they are unchanged
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
 * Makes a private key the current one and retires its predecessor, whose private key is deleted.
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
