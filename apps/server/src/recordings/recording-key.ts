// The key that signs recordings and their ledger, its predecessors, and their published forms.
import { type KeyObject, createHash, sign, verify } from 'node:crypto'
import type { Sign } from '@bowline/asciicast/chain'
import type { RecordingKey as PublishedKey, RecordingKeyPeriod } from '@bowline/contract/schemas/recording'
import { WireWriter } from '@bowline/ssh/wire/writer'
import type { RecordingKeys } from '../instance/recording-keys.ts'

export interface RecordingKey {
  /** The current key. */
  readonly published: PublishedKey
  /** Signs with that key, even after its replacement. */
  readonly sign: Sign
  /** All keys with their periods, oldest first. */
  readonly periods: readonly RecordingKeyPeriod[]
  /**
   * @param signature base64url
   * @param id id of the required key; default: any of them
   */
  readonly isSigned: (text: string, signature: string, id?: string) => boolean
  /** Loads a key that another process has set since. */
  refresh(): Promise<void>
}

/**
 * @param first loaded Ed25519 keys
 * @param reload reads them again; the same object if unchanged
 */
export function createRecordingKey(
  first: RecordingKeys,
  reload: () => Promise<RecordingKeys> = () => Promise.resolve(first),
): RecordingKey {
  let loaded = first
  let current = open(first)
  return {
    get published() {
      return current.published
    },
    get sign() {
      return current.sign
    },
    get periods() {
      return current.periods
    },
    isSigned: (text, signature, id) =>
      current.keys.some((key) => (id === undefined || key.id === id) && isSignedBy(key.publicKey, text, signature)),
    async refresh() {
      const found = await reload()
      if (found !== loaded) current = open(found)
      loaded = found
    },
  }
}

function open({ privateKey, publicKey, since = new Date(0), retired = [] }: RecordingKeys) {
  const periods = [...retired, { publicKey, from: since, to: null }].map(({ publicKey: key, from, to }) => ({
    ...publish(key),
    valid_from: from.toISOString(),
    valid_to: to?.toISOString() ?? null,
  }))
  const published = publish(publicKey)
  return {
    published,
    periods,
    sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    // The current key first: most signatures are its own.
    keys: [publicKey, ...retired.map((one) => one.publicKey)].map((key) => ({ id: publish(key).id, publicKey: key })),
  }
}

export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

/** @param key Ed25519 */
function publish(key: KeyObject): PublishedKey {
  const x = String(key.export({ format: 'jwk' }).x)
  // RFC 7638: the required members in the order of their names, without spaces.
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  const blob = new WireWriter().string('ssh-ed25519').string(Buffer.from(x, 'base64url')).done()
  return {
    id,
    pem: key.export({ type: 'spki', format: 'pem' }),
    ssh: `ssh-ed25519 ${Buffer.from(blob).toString('base64')} bowline-recordings`,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid: id },
  }
}
