// bcrypt_pbkdf, the key derivation of encrypted OpenSSH private keys. SHA-512 is WebCrypto's.
import { Blowfish } from './blowfish.ts'

const BLOCK_BYTES = 32
const MAGIC = new TextEncoder().encode('OxychromaticBlowfishSwatDynamite')

async function sha512(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
}

/** One bcrypt hash of hashed password and salt: 32 bytes. */
function bcryptHash(password: Uint8Array, salt: Uint8Array): Uint8Array<ArrayBuffer> {
  const cipher = new Blowfish()
  cipher.expand(password, salt)
  for (let turn = 0; turn < 64; turn += 1) {
    cipher.expand(salt)
    cipher.expand(password)
  }
  const words = new Uint32Array(8)
  const magic = new DataView(MAGIC.buffer)
  for (let index = 0; index < 8; index += 1) words[index] = magic.getUint32(index * 4)
  for (let turn = 0; turn < 64; turn += 1) cipher.encrypt(words)
  const hash = new Uint8Array(BLOCK_BYTES)
  const view = new DataView(hash.buffer)
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true)
  return hash
}

/** Output block number `count`: the XOR of a chain of `rounds` hashes. */
async function block(password: Uint8Array, salt: Uint8Array, count: number, rounds: number): Promise<Uint8Array> {
  const counted = new Uint8Array(salt.length + 4)
  counted.set(salt)
  new DataView(counted.buffer).setUint32(salt.length, count)
  let hash = bcryptHash(password, await sha512(counted))
  const sum = Uint8Array.from(hash)
  for (let round = 1; round < rounds; round += 1) {
    hash = bcryptHash(password, await sha512(hash))
    for (const [index, byte] of hash.entries()) sum[index] = (sum[index] ?? 0) ^ byte
  }
  return sum
}

/**
 * Derives `bytes` bytes. Costs about 6 ms of one core per round and 32 bytes.
 * @param rounds as written in the key file
 */
export async function bcryptPbkdf(
  passphrase: string,
  salt: Uint8Array,
  rounds: number,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const password = await sha512(new TextEncoder().encode(passphrase))
  const blocks = Math.ceil(bytes / BLOCK_BYTES)
  const derived = new Uint8Array(bytes)
  for (let count = 1; count <= blocks; count += 1) {
    const output = await block(password, salt, count, rounds)
    // The blocks are interleaved, so that no part of the key is cheaper to guess than the whole.
    for (let index = 0; index * blocks + count - 1 < bytes && index < Math.ceil(bytes / blocks); index += 1) {
      derived[index * blocks + count - 1] = output[index] ?? 0
    }
  }
  return derived
}
