// The client's half of the key exchange methods: makes our string, and the shared secret from the server's.
// X25519 is RFC 7748 and RFC 8731; ML-KEM-768 is FIPS 203, combined as in draft-ietf-sshm-mlkem-hybrid-kex.
import { createDiffieHellmanGroup, createECDH, createHash, decapsulate, generateKeyPairSync } from 'node:crypto'
import { protocolFault } from '../fault.ts'
import { DISCONNECT_KEY_EXCHANGE_FAILED } from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'
import { GROUP14_MAX_BYTES, MLKEM768_SPKI, X25519_BYTES, X25519_SPKI, sharedX25519 } from './key-agreement.ts'

const MLKEM768_CIPHERTEXT_BYTES = 1_088

/** One agreement, begun by us. */
export interface ClientAgreement {
  /** Our public string: Q_C, C_INIT or e. */
  readonly string: Buffer
  /**
   * @param serverString Q_S, S_REPLY or f as received
   * @returns the shared secret K in the encoding that is hashed
   * @throws {Fault} `bad-key-exchange` when it has the wrong length or holds no valid key
   */
  finish(serverString: Buffer): Uint8Array
}

function bad(): never {
  const message = 'The server’s key exchange string is not valid.'
  throw protocolFault('bad-key-exchange', message, DISCONNECT_KEY_EXCHANGE_FAILED)
}

/** OpenSSL throws for what is no valid key or point. */
function valid<T>(compute: () => T): T {
  try {
    return compute()
  } catch {
    return bad()
  }
}

function x25519(): { readonly string: Buffer; readonly finish: (server: Buffer) => Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const string = publicKey.export({ format: 'der', type: 'spki' }).subarray(X25519_SPKI.length)
  return { string, finish: (server) => sharedX25519(privateKey, server) ?? bad() }
}

function hybrid(): ClientAgreement {
  const classic = x25519()
  const { publicKey, privateKey } = generateKeyPairSync('ml-kem-768')
  const postQuantum = publicKey.export({ format: 'der', type: 'spki' }).subarray(MLKEM768_SPKI.length)
  return {
    string: Buffer.concat([postQuantum, classic.string]),
    finish(server) {
      if (server.length !== MLKEM768_CIPHERTEXT_BYTES + X25519_BYTES) return bad()
      const first = valid(() => decapsulate(privateKey, server.subarray(0, MLKEM768_CIPHERTEXT_BYTES)))
      const second = classic.finish(server.subarray(MLKEM768_CIPHERTEXT_BYTES))
      return new WireWriter(40).string(createHash('sha256').update(first).update(second).digest()).done()
    },
  }
}

/** RFC 5656 section 4. */
function ecdhP256(): ClientAgreement {
  const own = createECDH('prime256v1')
  const string = own.generateKeys()
  return {
    string,
    finish(server) {
      if (server.length !== string.length || server[0] !== 4) return bad()
      return new WireWriter(48).mpint(valid(() => own.computeSecret(server))).done()
    },
  }
}

/** RFC 4253 section 8 with the 2048-bit group of RFC 3526; both values are mpints. */
function group14(): ClientAgreement {
  const own = createDiffieHellmanGroup('modp14')
  const written = new WireWriter(300).mpint(own.generateKeys()).done()
  return {
    // The raw bytes without a length: the sender writes them as a string, which has the same encoding.
    string: Buffer.from(written.subarray(4)),
    finish(server) {
      const isPositive = server.length > 0 && (server[0] ?? 0x80) < 0x80
      if (!isPositive || server.length > GROUP14_MAX_BYTES) return bad()
      return new WireWriter(300).mpint(valid(() => own.computeSecret(server))).done()
    },
  }
}

/** @param method one of the client's offer */
export function beginAgreement(method: string): ClientAgreement {
  if (method === 'mlkem768x25519-sha256') return hybrid()
  if (method === 'ecdh-sha2-nistp256') return ecdhP256()
  if (method === 'diffie-hellman-group14-sha256') return group14()
  const own = x25519()
  return {
    string: own.string,
    finish: (server) => (server.length === X25519_BYTES ? new WireWriter(40).mpint(own.finish(server)).done() : bad()),
  }
}
