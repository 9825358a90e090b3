// RSA keys of this service provider: the newest is published, the oldest signs until a rollover ends, all of them
// decrypt.
import { fail } from '@bowline/contract/errors'
import type { SingleSignOnDeps } from '../deps.ts'
import { type SamlKeyRow, deleteKeysExcept, insertKey, listKeys, lockSettings } from '../store.ts'
import { makeKeyPair } from './key-pair.ts'

export interface OwnKey {
  readonly id: string
  /** Base64 of the DER form. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: string
}

type KeyDeps = Pick<SingleSignOnDeps, 'db' | 'clock' | 'ids' | 'secretKey'>

/** First keys under way: calls at once make one, as each takes a processor for seconds. */
const making = new WeakMap<object, Promise<boolean>>()

/** Our keys, the newest first; makes the first one. */
export async function ownKeys(deps: KeyDeps): Promise<readonly [OwnKey, ...OwnKey[]]> {
  let rows = await listKeys(deps.db)
  if (rows.length === 0) {
    const first = making.get(deps.db) ?? addKey(deps, 0).finally(() => making.delete(deps.db))
    making.set(deps.db, first)
    await first
    rows = await listKeys(deps.db)
  }
  const [first, ...others] = rows.map((row) => opened(deps, row))
  if (!first) throw new Error('the SAML key has vanished')
  return [first, ...others]
}

/**
 * Begins a rollover.
 * @throws {BowlineError} CONFLICT while there are two keys
 */
export async function beginRollover(deps: KeyDeps): Promise<void> {
  await ownKeys(deps)
  if (!(await addKey(deps, 1))) fail('CONFLICT', { field: 'keys' }, ['keys'])
}

/** Ends a rollover: only the newest key stays. */
export async function endRollover(deps: KeyDeps): Promise<void> {
  const [newest] = await ownKeys(deps)
  await deleteKeysExcept(deps.db, newest.id)
}

/** Adds a key if there are `expected` now: of concurrent calls one does. */
async function addKey(deps: KeyDeps, expected: number): Promise<boolean> {
  const { db, clock, ids, secretKey } = deps
  const now = clock.now()
  const made = await makeKeyPair('Bowline', now)
  return db.transaction().execute(async (inner) => {
    await lockSettings(inner)
    if ((await listKeys(inner)).length !== expected) return false
    const id = ids.uuid()
    await insertKey(inner, {
      id,
      certificate: made.certificate,
      sealed: secretKey.seal(sealName(id), Buffer.from(made.privateKey)),
      created_at: new Date(now),
      expires_at: new Date(made.expiresAt),
    })
    return true
  })
}

function opened({ secretKey }: KeyDeps, { id, certificate, sealed }: SamlKeyRow): OwnKey {
  return { id, certificate, privateKey: secretKey.open(sealName(id), sealed).toString() }
}

/** Binds the key to its row: another row's does not open. */
function sealName(id: string): string {
  return `saml-key/${id}`
}
