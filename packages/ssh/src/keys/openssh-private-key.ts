// OpenSSH's private key format (PROTOCOL.key), plain or encrypted with bcrypt and AES.
import { WireError, WireReader } from '../wire/reader.ts'
import { bcryptPbkdf } from './bcrypt-pbkdf.ts'
import { PrivateKeyError } from './private-key.ts'
import type { PrivateKey } from './private-key.ts'
import { readPrivateFields } from './private-fields.ts'

const MAGIC = 'openssh-key-v1\0'
/** More would freeze the page for minutes; ssh-keygen writes 16 or 24. */
const MAX_ROUNDS = 1_000
const IV_BYTES = 16

const CIPHERS: Readonly<Record<string, { name: 'AES-CTR'; keyBytes: number }>> = {
  'aes128-ctr': { name: 'AES-CTR', keyBytes: 16 },
  'aes192-ctr': { name: 'AES-CTR', keyBytes: 24 },
  'aes256-ctr': { name: 'AES-CTR', keyBytes: 32 },
}

interface Container {
  readonly cipher: string
  readonly salt: Uint8Array
  readonly rounds: number
  readonly body: Uint8Array<ArrayBuffer>
}

function readContainer(bytes: Uint8Array): Container {
  const reader = new WireReader(bytes)
  const magic = new TextDecoder().decode(reader.bytes(MAGIC.length, 'magic'))
  if (magic !== MAGIC) throw new PrivateKeyError('not-a-key', 'private key: not in the OpenSSH format')
  const cipher = reader.text('cipher', 64)
  const derivation = reader.text('key derivation', 64)
  const options = new WireReader(reader.string('derivation options'))
  if (reader.uint32('number of keys') !== 1) {
    throw new PrivateKeyError('not-supported', 'private key: more than one key in a file is not supported')
  }
  reader.string('public key')
  const body = Uint8Array.from(reader.string('private part'))
  if (cipher === 'none') return { cipher, salt: new Uint8Array(0), rounds: 0, body }
  if (derivation !== 'bcrypt' || !(cipher in CIPHERS)) {
    throw new PrivateKeyError('not-supported', `private key: encryption with ${cipher} is not supported`)
  }
  return { cipher, salt: options.string('salt', 64), rounds: options.uint32('rounds'), body }
}

async function decrypt({ cipher, salt, rounds, body }: Container, passphrase: string): Promise<Uint8Array> {
  const spec = CIPHERS[cipher]
  if (!spec) return body
  if (passphrase === '') throw new PrivateKeyError('passphrase-needed', 'private key: needs its passphrase')
  if (rounds < 1 || rounds > MAX_ROUNDS) {
    throw new PrivateKeyError('not-supported', `private key: must use 1 to ${MAX_ROUNDS} rounds of bcrypt`)
  }
  const derived = await bcryptPbkdf(passphrase, salt, rounds, spec.keyBytes + IV_BYTES)
  const raw = derived.slice(0, spec.keyBytes)
  const key = await crypto.subtle.importKey('raw', raw, spec.name, false, ['decrypt'])
  const counter = derived.slice(spec.keyBytes)
  return new Uint8Array(await crypto.subtle.decrypt({ name: spec.name, counter, length: 128 }, key, body))
}

/**
 * @param bytes decoded PEM
 * @throws {PrivateKeyError} with its reason
 */
export async function readOpensshPrivateKey(bytes: Uint8Array, passphrase: string): Promise<PrivateKey> {
  try {
    const container = readContainer(bytes)
    const reader = new WireReader(await decrypt(container, passphrase))
    if (reader.uint32('check') !== reader.uint32('check')) {
      throw new PrivateKeyError('wrong-passphrase', 'private key: the passphrase is wrong')
    }
    const { publicKey, jwk } = readPrivateFields(reader)
    return { publicKey, jwk, comment: reader.text('comment') }
  } catch (error) {
    if (error instanceof WireError) throw new PrivateKeyError('not-a-key', `private key: ${error.message}`)
    throw error
  }
}
