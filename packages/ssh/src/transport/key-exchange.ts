// The server's side of one key exchange (RFC 4253 section 7): from our KEXINIT to both NEWKEYS.
// A rekey is a new object of the same class; `first` covers what only the initial exchange does.
import { randomBytes } from 'node:crypto'
import { protocolFault } from '../fault.ts'
import type { HostKey } from '../keys/host-key.ts'
import { MSG_KEXINIT, MSG_KEX_ECDH_INIT, MSG_KEX_ECDH_REPLY, MSG_NEWKEYS } from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { EXT_INFO_CLIENT, STRICT_KEX_CLIENT, agree, openerFor, sealerFor, serverOffer } from './algorithms.ts'
import type { Agreed } from './algorithms.ts'
import type { Exchange, ExchangeEvents, ExchangeOutcome } from './exchange.ts'
import { exchangeHash, keyDerivation } from './exchange-hash.ts'
import { agreeOnSecret } from './key-agreement.ts'
import { decodeKexInit, encodeKexInit } from './kexinit.ts'
import type { KexInit } from './kexinit.ts'

/** The exchange's view of the connection. */
interface ServerExchangeContext extends ExchangeEvents {
  readonly hostKeys: readonly HostKey[]
  /** For a client that does not support Ed25519. */
  readonly olderHostKeys: readonly HostKey[]
  /** Whether older algorithms are offered too. */
  readonly legacy: boolean
  /** The offer of an earlier exchange of this connection: a rekey must not change ciphers. */
  readonly offer: KexInit | undefined
  /** Sends the length of a KEXINIT of at most this many bytes ahead of it. */
  announce(bytes: number): void
}

/** When our KEXINIT is sent: at once, after the client's with its length sent ahead, or after the client's. */
export type ExchangeStart = 'now' | 'announced' | 'as-answer'

type Step = 'kexinit' | 'init' | 'newkeys'

export class KeyExchange implements Exchange {
  readonly #context: ServerExchangeContext
  /** Our KEXINIT as sent; undefined before. */
  #serverInit: Uint8Array | undefined
  #offer: KexInit
  #clientInit: Uint8Array = Buffer.alloc(0)
  #step: Step = 'kexinit'
  #agreed: Agreed | undefined
  #skipGuess = false
  #outcome: ExchangeOutcome | undefined
  /** Set from the client's KEXINIT. */
  strict = false
  wantsExtInfo = false

  constructor(context: ServerExchangeContext, init: ExchangeStart) {
    this.#context = context
    this.#offer = context.offer ?? this.#offerTo()
    if (init === 'now') this.sendInit()
    else if (init === 'announced') context.announce(encodeKexInit(this.#offer, randomBytes(16)).length)
  }

  #offerTo(client?: KexInit): KexInit {
    const { hostKeys, olderHostKeys, legacy } = this.#context
    // A client that already knows our Ed25519 key must not be presented with another one.
    const keys = client?.hostKey.includes('ssh-ed25519') ? hostKeys : [...hostKeys, ...olderHostKeys]
    const hostKeyAlgorithms = [...new Set(keys.flatMap((key) => key.algorithms))]
    return serverOffer({ hostKeyAlgorithms, legacy }, client)
  }

  /** Sends our KEXINIT, once. */
  sendInit(): void {
    if (this.#serverInit) return
    this.#serverInit = encodeKexInit(this.#offer, randomBytes(16))
    this.#context.send(this.#serverInit)
  }

  /** Whether the client has sent its KEXINIT: from then on it may only send messages of the exchange. */
  get peerStarted(): boolean {
    return this.#step !== 'kexinit'
  }

  /**
   * Handles one message of the exchange.
   * @throws {Fault} when it is out of order or no algorithm is in common
   */
  message(payload: Buffer): void {
    const type = payload[0]
    if (type === MSG_KEXINIT && this.#step === 'kexinit') return this.#kexInit(payload)
    if (type === MSG_KEX_ECDH_INIT && this.#step === 'init') {
      if (!this.#skipGuess) return this.#init(payload)
      this.#skipGuess = false
      return
    }
    if (type === MSG_NEWKEYS && this.#step === 'newkeys' && this.#outcome) {
      new WireReader(payload, 1).end('NEWKEYS')
      return this.#context.finished(this.#outcome)
    }
    throw protocolFault('unexpected-message', `Message ${type} is out of order during key exchange.`)
  }

  #kexInit(payload: Buffer): void {
    const client = decodeKexInit(payload)
    this.#clientInit = payload
    this.strict = client.kex.includes(STRICT_KEX_CLIENT)
    this.wantsExtInfo = client.kex.includes(EXT_INFO_CLIENT)
    if (!this.#serverInit) this.#offer = this.#offerTo(client)
    this.sendInit()
    const ours = this.#offer
    this.#agreed = agree(client, ours)
    // RFC 4253 section 7: a guess is right when both sides' first names agree; a wrong guess is dropped.
    this.#skipGuess = client.firstFollows && (client.kex[0] !== ours.kex[0] || client.hostKey[0] !== ours.hostKey[0])
    this.#step = 'init'
  }

  #init(payload: Buffer): void {
    const context = this.#context
    const hostKeys = [...context.hostKeys, ...context.olderHostKeys]
    const agreed = this.#agreed
    const hostKey = hostKeys.find((key) => agreed && key.algorithms.includes(agreed.hostKey))
    const serverKexInit = this.#serverInit
    if (!agreed || !hostKey || !serverKexInit)
      throw protocolFault('unexpected-message', 'The key exchange has not been negotiated.')
    const reader = new WireReader(payload, 1)
    const clientString = Buffer.from(reader.string('key exchange string', 2_048))
    reader.end('key exchange message')
    const { reply, secret } = agreeOnSecret(agreed.kex, clientString)
    const hash = exchangeHash({
      clientIdent: context.peerIdent(),
      serverIdent: context.ownIdent,
      clientKexInit: this.#clientInit,
      serverKexInit,
      hostKey: hostKey.blob,
      clientString,
      serverString: reply,
      secret,
    })
    const signature = hostKey.sign(agreed.hostKey, hash)
    const answer = new WireWriter(2_048).byte(MSG_KEX_ECDH_REPLY).string(hostKey.blob).string(reply).string(signature)
    context.send(answer.done())
    context.send(Uint8Array.of(MSG_NEWKEYS))
    const derive = keyDerivation(secret, hash, context.sessionId ?? hash)
    const opener = openerFor('server', agreed.cipherIn, agreed.macIn, derive)
    this.#outcome = { agreed, offer: this.#offer, hash, hostKey: hostKey.blob, opener }
    this.#step = 'newkeys'
    context.installSealer(sealerFor('server', agreed.cipherOut, agreed.macOut, derive))
  }
}
