// The client's side of one key exchange (RFC 4253 section 7): from our KEXINIT to both NEWKEYS. The server's signature
// over the exchange is verified, and its key accepted, before any packet is sent under the new keys.
import { randomBytes } from 'node:crypto'
import { Fault, protocolFault } from '../fault.ts'
import { parsePublicKey } from '../keys/public-key.ts'
import { verifySignature } from '../keys/signature.ts'
import {
  DISCONNECT_HOST_KEY_NOT_VERIFIABLE,
  DISCONNECT_KEY_EXCHANGE_FAILED,
  MSG_KEXINIT,
  MSG_KEX_ECDH_INIT,
  MSG_KEX_ECDH_REPLY,
  MSG_NEWKEYS,
} from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { type Agreed, STRICT_KEX_SERVER, agree, openerFor, sealerFor } from './algorithms.ts'
import { type ClientAgreement, beginAgreement } from './client-key-agreement.ts'
import type { Exchange, ExchangeEvents, ExchangeOutcome } from './exchange.ts'
import { exchangeHash, keyDerivation } from './exchange-hash.ts'
import { decodeKexInit, encodeKexInit } from './kexinit.ts'
import type { ClientRole } from './role.ts'

/** A host key of 8192 bits, and its signature. */
const MAX_KEY_BYTES = 4_096
const MAX_SERVER_STRING_BYTES = 2_048

export interface ClientExchangeContext extends ExchangeEvents {
  readonly role: ClientRole
  /** The key of the first exchange: another one in a rekey is refused. */
  readonly hostKey: Uint8Array | undefined
}

type Step =
  | { readonly is: 'kexinit' }
  | { readonly is: 'reply'; readonly agreed: Agreed; readonly serverInit: Uint8Array; readonly own: ClientAgreement }
  | { readonly is: 'newkeys'; readonly outcome: ExchangeOutcome }

export class ClientKeyExchange implements Exchange {
  readonly #context: ClientExchangeContext
  readonly #clientInit: Uint8Array
  #step: Step = { is: 'kexinit' }
  /** The server guessed wrong: its next message of the exchange is ignored (RFC 4253 section 7). */
  #skipGuess = false
  strict = false
  readonly wantsExtInfo = false

  /** Sends our KEXINIT. */
  constructor(context: ClientExchangeContext) {
    this.#context = context
    this.#clientInit = encodeKexInit(context.role.offer, randomBytes(16))
    context.send(this.#clientInit)
  }

  sendInit(): void {
    // Sent at the start.
  }

  get peerStarted(): boolean {
    return this.#step.is !== 'kexinit'
  }

  message(payload: Buffer): void {
    const type = payload[0]
    const step = this.#step
    if (type === MSG_KEXINIT && step.is === 'kexinit') return this.#kexInit(payload)
    if (step.is === 'reply' && this.#skipGuess) {
      this.#skipGuess = false
      return
    }
    if (type === MSG_KEX_ECDH_REPLY && step.is === 'reply') return this.#reply(payload, step)
    if (type === MSG_NEWKEYS && step.is === 'newkeys') {
      new WireReader(payload, 1).end('NEWKEYS')
      return this.#context.finished(step.outcome)
    }
    throw protocolFault('unexpected-message', `Message ${type} is out of order during key exchange.`)
  }

  #kexInit(payload: Buffer): void {
    const server = decodeKexInit(payload)
    const { offer } = this.#context.role
    this.strict = server.kex.includes(STRICT_KEX_SERVER)
    const agreed = agree(offer, server)
    this.#skipGuess = server.firstFollows && (server.kex[0] !== offer.kex[0] || server.hostKey[0] !== offer.hostKey[0])
    const own = beginAgreement(agreed.kex)
    this.#step = { is: 'reply', agreed, serverInit: Uint8Array.from(payload), own }
    this.#context.send(new WireWriter(1_300).byte(MSG_KEX_ECDH_INIT).string(own.string).done())
  }

  #reply(payload: Buffer, { agreed, serverInit, own }: Step & { is: 'reply' }): void {
    const context = this.#context
    const reader = new WireReader(payload, 1)
    const hostKey = Uint8Array.from(reader.string('host key', MAX_KEY_BYTES))
    const serverString = Buffer.from(reader.string('key exchange string', MAX_SERVER_STRING_BYTES))
    const signature = reader.string('signature', MAX_KEY_BYTES)
    reader.end('key exchange reply')
    const secret = own.finish(serverString)
    const hash = exchangeHash({
      clientIdent: context.ownIdent,
      serverIdent: context.peerIdent(),
      clientKexInit: this.#clientInit,
      serverKexInit: serverInit,
      hostKey,
      clientString: own.string,
      serverString,
      secret,
    })
    if (!verifySignature({ key: parsePublicKey(hostKey), algorithm: agreed.hostKey, message: hash, signature })) {
      const message = 'The server’s signature over the key exchange is not valid.'
      throw protocolFault('bad-key-exchange', message, DISCONNECT_KEY_EXCHANGE_FAILED)
    }
    this.#checkHostKey(hostKey)
    context.send(Uint8Array.of(MSG_NEWKEYS))
    const derive = keyDerivation(secret, hash, context.sessionId ?? hash)
    // The names of `agree` are those of the server's side.
    const opener = openerFor('client', agreed.cipherOut, agreed.macOut, derive)
    const outcome = { agreed: asClient(agreed), offer: context.role.offer, hash, hostKey, opener }
    this.#step = { is: 'newkeys', outcome }
    context.installSealer(sealerFor('client', agreed.cipherIn, agreed.macIn, derive))
  }

  #checkHostKey(hostKey: Uint8Array): void {
    const { role, hostKey: known } = this.#context
    if (known ? Buffer.from(known).equals(hostKey) : role.acceptsHostKey(hostKey)) return
    const message = 'The server’s host key is not the expected one.'
    throw new Fault({ by: 'local', reason: 'host-key-refused', message }, DISCONNECT_HOST_KEY_NOT_VERIFIABLE)
  }
}

function asClient(agreed: Agreed): Agreed {
  const { kex, hostKey, cipherIn, cipherOut, macIn, macOut } = agreed
  return { kex, hostKey, cipherIn: cipherOut, cipherOut: cipherIn, macIn: macOut, macOut: macIn }
}
