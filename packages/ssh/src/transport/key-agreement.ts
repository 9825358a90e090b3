// The server's half of the key exchange methods: takes the client's string, returns ours and the shared secret.
// X25519 is RFC 7748 and RFC 8731; ML-KEM-768 is FIPS 203, combined as in draft-ietf-sshm-mlkem-hybrid-kex.
import {
  createDiffieHellmanGroup,
  createECDH,
  createHash,
  createPublicKey,
  diffieHellman,
  encapsulate,
  generateKeyPairSync,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { protocolFault } from '../fault.ts'
import { DISCONNECT_KEY_EXCHANGE_FAILED } from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'

export const X25519_BYTES = 32
const MLKEM768_PUBLIC_BYTES = 1_184
/** 2048 bits and a sign. */
export const GROUP14_MAX_BYTES = 257
// SubjectPublicKeyInfo of a raw key is this DER prefix and the key.
export const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex')
export const MLKEM768_SPKI = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex')

export interface KeyAgreement {
  /** Our public string (Q_S or S_REPLY). */
  readonly reply: Buffer
  /** The shared secret K in the encoding that is hashed: an mpint, or a string for the hybrid method. */
  readonly secret: Uint8Array
}

function bad(what: string): never {
  throw protocolFault('bad-key-exchange', `The client's ${what} is not valid.`, DISCONNECT_KEY_EXCHANGE_FAILED)
}

function x25519(clientPublic: Buffer): { reply: Buffer; shared: Buffer } {
  const pair = generateKeyPairSync('x25519')
  const reply = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(X25519_SPKI.length)
  return { reply, shared: sharedX25519(pair.privateKey, clientPublic) ?? bad('X25519 key') }
}

/**
 * @param peerPublic raw public key of the peer
 * @returns undefined when it is no valid key
 */
export function sharedX25519(privateKey: KeyObject, peerPublic: Buffer): Buffer | undefined {
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([X25519_SPKI, peerPublic]), format: 'der', type: 'spki' })
    const shared = diffieHellman({ privateKey, publicKey })
    // RFC 8731 section 3: an all-zero result means a point of small order. OpenSSL refuses it too.
    return shared.every((byte) => byte === 0) ? undefined : shared
  } catch {
    return undefined
  }
}

function mlkem768(clientPublic: Buffer): { ciphertext: Buffer; shared: Buffer } {
  try {
    const key = createPublicKey({ key: Buffer.concat([MLKEM768_SPKI, clientPublic]), format: 'der', type: 'spki' })
    const { ciphertext, sharedKey } = encapsulate(key)
    return { ciphertext: Buffer.from(ciphertext), shared: Buffer.from(sharedKey) }
  } catch {
    return bad('ML-KEM key')
  }
}

/** RFC 5656 section 4: points uncompressed; OpenSSL refuses one that is not on the curve. */
function ecdhP256(clientPublic: Buffer): KeyAgreement {
  const own = createECDH('prime256v1')
  const reply = own.generateKeys()
  if (clientPublic.length !== reply.length || clientPublic[0] !== 4) return bad('ECDH key')
  try {
    return { reply, secret: new WireWriter(48).mpint(own.computeSecret(clientPublic)).done() }
  } catch {
    return bad('ECDH key')
  }
}

/** RFC 4253 section 8 with the 2048-bit group of RFC 3526. Both values are mpints; OpenSSL refuses 0, 1 and p-1. */
function group14(clientPublic: Buffer): KeyAgreement {
  const own = createDiffieHellmanGroup('modp14')
  const isPositive = clientPublic.length > 0 && (clientPublic[0] ?? 0x80) < 0x80
  if (!isPositive || clientPublic.length > GROUP14_MAX_BYTES) return bad('Diffie-Hellman value')
  try {
    const reply = new WireWriter(300).mpint(own.generateKeys()).done()
    // The raw bytes without a length: the sender writes them as a string, which has the same encoding.
    return {
      reply: Buffer.from(reply.subarray(4)),
      secret: new WireWriter(300).mpint(own.computeSecret(clientPublic)).done(),
    }
  } catch {
    return bad('Diffie-Hellman value')
  }
}

/**
 * @param method one of the server's offer
 * @param clientString Q_C or C_INIT as received
 * @throws {Fault} `bad-key-exchange` when the client's string has the wrong length or holds no valid key
 */
export function agreeOnSecret(method: string, clientString: Buffer): KeyAgreement {
  if (method === 'mlkem768x25519-sha256') {
    if (clientString.length !== MLKEM768_PUBLIC_BYTES + X25519_BYTES) return bad('key exchange string')
    const postQuantum = mlkem768(clientString.subarray(0, MLKEM768_PUBLIC_BYTES))
    const classic = x25519(clientString.subarray(MLKEM768_PUBLIC_BYTES))
    const shared = createHash('sha256').update(postQuantum.shared).update(classic.shared).digest()
    return {
      reply: Buffer.concat([postQuantum.ciphertext, classic.reply]),
      secret: new WireWriter(40).string(shared).done(),
    }
  }
  if (method === 'ecdh-sha2-nistp256') return ecdhP256(clientString)
  if (method === 'diffie-hellman-group14-sha256') return group14(clientString)
  if (clientString.length !== X25519_BYTES) return bad('key exchange string')
  const { reply, shared } = x25519(clientString)
  return { reply, secret: new WireWriter(40).mpint(shared).done() }
}
