// The client's half of the key exchange, used by the test client.
import { createHash, createPublicKey, decapsulate, diffieHellman, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { openerFor, sealerFor } from '../../src/transport/algorithms.ts'
import type { Agreed } from '../../src/transport/algorithms.ts'
import { exchangeHash, keyDerivation } from '../../src/transport/exchange-hash.ts'
import { decodeKexInit, encodeKexInit } from '../../src/transport/kexinit.ts'
import type { KexInit } from '../../src/transport/kexinit.ts'
import type { PacketOpener, PacketSealer } from '../../src/transport/ciphers/packet-cipher.ts'
import { MSG_KEX_ECDH_INIT } from '../../src/wire/numbers.ts'
import { WireReader } from '../../src/wire/reader.ts'
import { WireWriter } from '../../src/wire/writer.ts'

const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const MLKEM_SPKI_BYTES = 22

const rawPublic = (key: KeyObject, prefix: number) => key.export({ format: 'der', type: 'spki' }).subarray(prefix)

/** The offer of a modern client. */
export const CLIENT_KEXINIT: KexInit = {
  kex: ['curve25519-sha256', 'ext-info-c', 'kex-strict-c-v00@openssh.com'],
  hostKey: ['ssh-ed25519'],
  cipherToServer: ['aes128-gcm@openssh.com'],
  cipherToClient: ['aes128-gcm@openssh.com'],
  macToServer: ['hmac-sha2-256-etm@openssh.com'],
  macToClient: ['hmac-sha2-256-etm@openssh.com'],
  compressionToServer: ['none'],
  compressionToClient: ['none'],
  firstFollows: false,
}

export interface ClientKeys {
  readonly hash: Buffer
  readonly hostKey: Uint8Array
  readonly signature: Uint8Array
  readonly sealer: PacketSealer
  readonly opener: PacketOpener
}

/** One exchange: sends KEXINIT, receives the server's, sends our key, receives its reply, derives keys. */
export class ClientExchange {
  readonly init: Uint8Array
  readonly #wanted: KexInit
  readonly #x25519 = generateKeyPairSync('x25519')
  readonly #mlkem = generateKeyPairSync('ml-kem-768')
  #serverInit: Uint8Array = Buffer.alloc(0)
  #agreed: Agreed | undefined
  #string: Buffer = Buffer.alloc(0)

  constructor(wanted: KexInit) {
    this.#wanted = wanted
    this.init = encodeKexInit(wanted, randomBytes(16))
  }

  /** Handles the server's KEXINIT and returns our key exchange message. */
  serverInit(payload: Uint8Array): Uint8Array {
    this.#serverInit = payload
    const server = decodeKexInit(payload)
    const pick = (ours: readonly string[], theirs: readonly string[]) =>
      ours.find((name) => theirs.includes(name)) ?? ''
    const wanted = this.#wanted
    this.#agreed = {
      kex: pick(wanted.kex, server.kex),
      hostKey: pick(wanted.hostKey, server.hostKey),
      cipherIn: pick(wanted.cipherToServer, server.cipherToServer),
      cipherOut: pick(wanted.cipherToClient, server.cipherToClient),
      macIn: pick(wanted.macToServer, server.macToServer),
      macOut: pick(wanted.macToClient, server.macToClient),
    }
    const classic = rawPublic(this.#x25519.publicKey, X25519_SPKI.length)
    this.#string = this.#hybrid
      ? Buffer.concat([rawPublic(this.#mlkem.publicKey, MLKEM_SPKI_BYTES), classic])
      : Buffer.from(classic)
    return new WireWriter(1_300).byte(MSG_KEX_ECDH_INIT).string(this.#string).done()
  }

  get #hybrid(): boolean {
    return this.#agreed?.kex === 'mlkem768x25519-sha256'
  }

  /** Handles the server's reply and derives the keys. */
  reply(
    payload: Uint8Array,
    idents: { client: string; server: string },
    sessionId: Uint8Array | undefined,
  ): ClientKeys {
    const agreed = this.#agreed
    if (!agreed) throw new Error('the reply came before KEXINIT')
    const reader = new WireReader(payload, 1)
    const hostKey = reader.string('host key')
    const serverString = reader.string('server string')
    const signature = reader.string('signature')
    const secret = this.#secret(Buffer.from(serverString))
    const hash = exchangeHash({
      clientIdent: idents.client,
      serverIdent: idents.server,
      clientKexInit: this.init,
      serverKexInit: this.#serverInit,
      hostKey,
      clientString: this.#string,
      serverString,
      secret,
    })
    const derive = keyDerivation(secret, hash, sessionId ?? hash)
    const sealer = sealerFor('client', agreed.cipherIn, agreed.macIn, derive)
    const opener = openerFor('client', agreed.cipherOut, agreed.macOut, derive)
    return { hash, hostKey, signature, sealer, opener }
  }

  #secret(serverString: Buffer): Uint8Array {
    const classicAt = this.#hybrid ? serverString.length - 32 : 0
    const spki = Buffer.concat([X25519_SPKI, serverString.subarray(classicAt)])
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const classic = diffieHellman({ privateKey: this.#x25519.privateKey, publicKey })
    if (!this.#hybrid) return new WireWriter().mpint(classic).done()
    const postQuantum = Buffer.from(decapsulate(this.#mlkem.privateKey, serverString.subarray(0, classicAt)))
    return new WireWriter().string(createHash('sha256').update(postQuantum).update(classic).digest()).done()
  }
}
