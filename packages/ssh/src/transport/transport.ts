// The SSH transport (RFC 4253) of one connection: identification, key exchange and rekey, packets in and out, and
// messages 1-49 and 192. Everything above goes to the connection; nothing here throws into a caller of `send`.
import type { Duplex } from 'node:stream'
import type { CloseReasons } from '../api.ts'
import { Fault, limitFault, protocolFault, timeoutFault } from '../fault.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { Agreed } from './algorithms.ts'
import { ClientKeyExchange } from './client-key-exchange.ts'
import { needsOlderAlgorithms } from './compatibility.ts'
import type { Exchange, ExchangeEvents } from './exchange.ts'
import { decodeExtInfo, encodeExtInfo } from './ext-info.ts'
import { IdentReader, ServerIdentReader } from './ident.ts'
import { type ExchangeStart, KeyExchange } from './key-exchange.ts'
import type { KexInit } from './kexinit.ts'
import { MAX_SIGNED_IN_PACKET_LENGTH, PacketReader } from './packet-reader.ts'
import { PacketWriter } from './packet-writer.ts'
import { RekeyBudget } from './rekey-budget.ts'
import { PEER_OF } from './role.ts'
import type { TransportEvents, TransportSetup } from './setup.ts'

/** Packets under one key, well below the 2^32 at which sequence numbers would repeat. */
const REKEY_PACKETS = 2 ** 31
/**
 * After this many packets in one read, reading resumes in the next event loop iteration. Node would otherwise deliver
 * up to 32 full reads in one iteration: two megabytes of tiny packets, half a second of work.
 */
const PACKETS_PER_READ = 64
/** Identification prefix of clients that send KEXINIT without waiting for ours. */
const NAGLE_CLIENT_PREFIX = 'SSH-2.0-OpenSSH'
/** A client with that prefix that waits for our KEXINIT all the same (a scanner, say) gets it after this delay. */
const KEXINIT_DELAY_MS = 250
const NOTHING: readonly Uint8Array[] = []

export class Transport {
  readonly #socket: Duplex
  readonly #setup: TransportSetup
  readonly #events: TransportEvents
  readonly #reader = new PacketReader()
  readonly #writer: PacketWriter
  readonly #identReader: IdentReader | ServerIdentReader
  readonly #ownIdent: string
  /** The service message that our side receives. */
  readonly #serviceMessage: number
  #exchange: Exchange | undefined
  /** Our offer in the last exchange. */
  #offer: KexInit | undefined
  #strict = false
  /** Whether the client is offered older algorithms. */
  #legacy = false
  #sessionId: Buffer | undefined
  #hostKey: Uint8Array | undefined
  /** Payloads held back until our NEWKEYS; undefined when sending is allowed. */
  #held: Uint8Array[] | undefined
  #heldBytes = 0
  #behind = false
  #deadline: (() => void) | undefined
  #rekeyTimer: (() => void) | undefined
  /** Cancels the timer that runs while our first KEXINIT waits for the client's. */
  #initTimer: (() => void) | undefined
  readonly #rekeys: RekeyBudget
  /** Share of the limits after which the next rekey is due, drawn anew for each. */
  #rekeyShare = 1
  #closed = false
  #packetsInRead = 0
  peerIdent = ''
  agreed: Agreed | undefined
  /** Signature algorithms that a server accepts for user keys (RFC 8308 section 3.1); undefined until it tells. */
  userSignatureAlgorithms: readonly string[] | undefined
  bytesIn = 0

  constructor(socket: Duplex, setup: TransportSetup, events: TransportEvents) {
    this.#socket = socket
    this.#setup = setup
    this.#rekeys = new RekeyBudget(setup.clock)
    this.#events = events
    this.#writer = new PacketWriter(socket, () => this.#written())
    this.#ownIdent = `SSH-2.0-${setup.software}`
    const isServer = setup.role.side === 'server'
    this.#identReader = isServer ? new IdentReader() : new ServerIdentReader()
    this.#serviceMessage = isServer ? n.MSG_SERVICE_REQUEST : n.MSG_SERVICE_ACCEPT
  }

  /** Sends our identification line. Our KEXINIT follows the peer's line: see `#beginFirstExchange`. */
  start(): void {
    const { role } = this.#setup
    if (role.side === 'server' || role.speaksFirst) this.#sendIdent()
    this.#held = []
    this.#watch(this.#setup.limits.identMs, 'ident-timeout', 'No identification line arrived in time.')
  }

  #sendIdent(): void {
    this.#writer.raw(Buffer.from(`${this.#ownIdent}\r\n`))
  }

  /** The client has signed in: it may start more key exchanges, and packets may be longer. */
  signedIn(): void {
    this.#rekeys.signedIn()
    this.#reader.maxLength = MAX_SIGNED_IN_PACKET_LENGTH
  }

  /** The first exchange hash (RFC 4253 section 7.2). */
  get sessionId(): Buffer | undefined {
    return this.#sessionId
  }

  /** The host key the first exchange was signed with. */
  get hostKey(): Uint8Array | undefined {
    return this.#hostKey
  }

  /** Servers such as asyncssh 2.10 send what they have between their KEXINIT and NEWKEYS; ssh takes it, too. */
  get #toleratesLateMessages(): boolean {
    return this.#setup.role.side === 'client'
  }

  get #peer(): string {
    return PEER_OF[this.#setup.role.side]
  }

  get bytesOut(): number {
    return this.#writer.totalBytes
  }

  /** False during a rekey or while the socket is backed up: bulk output should wait for `drain`. */
  get writable(): boolean {
    if (this.#held || this.#closed) return false
    if (this.#writer.queuedBytes < this.#setup.limits.queueHighBytes) return true
    this.#behind = true
    return false
  }

  /**
   * Handles bytes from the socket.
   * @throws {Fault} when the connection must end
   */
  receive(chunk: Buffer): void {
    this.bytesIn += chunk.length
    let rest = chunk
    if (this.peerIdent === '') {
      const line = this.#identReader.push(chunk)
      if (!line) return
      this.peerIdent = line.ident
      rest = line.rest
      this.#watch(this.#setup.limits.kexMs, 'kex-timeout', 'The key exchange did not finish in time.')
      this.#beginFirstExchange()
    }
    this.#packetsInRead = 0
    this.#reader.push(rest, this.#deliver)
    if (this.#packetsInRead > PACKETS_PER_READ) this.#yield()
    if (this.#reader.bytes > this.#rekeyBytes || this.#reader.packets > REKEY_PACKETS) this.rekey()
  }

  /** Sends a payload, passed in parts, which are copied. Held back during a rekey. */
  send(head: Uint8Array, body: readonly Uint8Array[] = NOTHING): void {
    if (this.#closed) return
    if (this.#held) {
      const payload = Buffer.concat([head, ...body])
      this.#heldBytes += payload.length
      if (this.#heldBytes > this.#setup.limits.rekeyPendingBytes) {
        this.#events.fail(limitFault('rekey-pending', 'Too much output waited for a key exchange.'))
        return
      }
      this.#held.push(payload)
      return
    }
    this.#writer.write(head, body)
    this.#afterWrite()
  }

  /**
   * Sends the payload at `from` to `to` of `block`, see {@link PacketWriter.writeInPlace}. Held back during a rekey.
   */
  sendInPlace(block: Buffer, from: number, to: number): void {
    if (this.#held || this.#closed) return this.send(block.subarray(from, to))
    this.#writer.writeInPlace(block, from, to)
    this.#afterWrite()
  }

  #afterWrite(): void {
    if (this.#writer.queuedBytes > this.#setup.limits.queueMaxBytes) {
      this.#events.fail(limitFault('queue-overflow', `The ${this.#peer} does not read what it asks for.`))
    } else if (this.#writer.bytes > this.#rekeyBytes || this.#writer.packets > REKEY_PACKETS) {
      this.rekey()
    }
  }

  get #rekeyBytes(): number {
    return this.#setup.limits.rekeyBytes * this.#rekeyShare
  }

  /** Starts a key exchange unless one is running (RFC 4253 section 9). */
  rekey(): void {
    if (!this.#exchange && !this.#closed) this.#beginExchange('now')
  }

  /** Writes everything sealed to the socket now. */
  flush(): void {
    this.#writer.flush()
  }

  /** Sends a final DISCONNECT (`code` 0: none) and sends nothing after it. */
  close(code: number, message: string): void {
    if (this.#closed) return
    if (code !== 0 && this.peerIdent !== '') {
      // Payloads held back for a rekey will never be sent; the message goes out under the current keys.
      this.#held = undefined
      this.#exchange?.sendInit()
      this.send(new WireWriter().byte(n.MSG_DISCONNECT).uint32(code).string(message).string('').done())
    }
    this.#closed = true
    this.#writer.flush()
    this.#reader.stop()
    this.#deadline?.()
    this.#rekeyTimer?.()
    this.#initTimer?.()
  }

  /** Yields to other connections. */
  #yield(): void {
    this.#socket.pause()
    setImmediate(() => this.#socket.resume())
  }

  #watch(delayMs: number, reason: CloseReasons['timeout'], message: string): void {
    this.#deadline?.()
    this.#deadline = this.#setup.clock.after(delayMs, () => this.#events.fail(timeoutFault(reason, message)))
  }

  /** Bytes were written: channels resume at half of the high watermark, so that they send in larger steps. */
  #written(): void {
    if (!this.#behind || this.#writer.queuedBytes > this.#setup.limits.queueHighBytes / 2 || !this.writable) return
    this.#behind = false
    this.#events.drain()
  }

  /**
   * Our KEXINIT follows the client's line. OpenSSH's client writes its line, KEXINIT and key exchange message one by
   * one with Nagle's algorithm on: each is sent only when the one before has been acknowledged, and a kernel with
   * nothing to send delays an acknowledgement by 40 ms. So we send something that carries the acknowledgement, twice:
   * the length field of our KEXINIT after its line, and the rest after its own KEXINIT, which it sends without waiting
   * for ours; by then we know what it supports. Clients without that identification get all of it at once, since they
   * may wait.
   */
  #beginFirstExchange(): void {
    const { role } = this.#setup
    if (role.side === 'client') {
      if (!role.speaksFirst) this.#sendIdent()
      return this.#beginExchange('now')
    }
    const nagles = this.peerIdent.startsWith(NAGLE_CLIENT_PREFIX)
    this.#legacy = needsOlderAlgorithms(this.peerIdent, role.compatibility)
    // The host key for an old client depends on what it supports.
    if (!nagles && !this.#legacy) return this.#beginExchange('now')
    this.#beginExchange(nagles ? 'announced' : 'as-answer')
    this.#writer.flush()
    this.#initTimer = this.#setup.clock.after(KEXINIT_DELAY_MS, () => this.#exchange?.sendInit())
  }

  #beginExchange(init: ExchangeStart): void {
    const first = this.#sessionId === undefined
    this.#rekeyTimer?.()
    const { limits, role } = this.#setup
    const events: ExchangeEvents = {
      peerIdent: () => this.peerIdent,
      ownIdent: this.#ownIdent,
      sessionId: this.#sessionId,
      send: (payload) => this.#writer.write(payload),
      installSealer: (sealer) => {
        this.#strict ||= first && this.#exchange?.strict === true
        this.#writer.install(sealer, this.#strict)
        if (!first) this.#release()
      },
      finished: ({ agreed, offer, hash, hostKey, opener }) => {
        this.#reader.install(opener, this.#strict)
        this.#rekeyShare = 1 - Math.random() * limits.rekeyJitter
        // RFC 8308 section 2.4: the next packet after our first NEWKEYS. Sent now rather than with it, because it
        // carries the acknowledgement without which a client with Nagle's algorithm sends nothing after its NEWKEYS.
        if (first && role.side === 'server' && this.#exchange?.wantsExtInfo)
          this.#writer.write(encodeExtInfo(role.signatureAlgorithms))
        this.#exchange = undefined
        this.#deadline?.()
        this.#deadline = undefined
        this.#sessionId ??= hash
        this.#hostKey ??= hostKey
        this.#offer = offer
        this.agreed = agreed
        this.#rekeyTimer = this.#setup.clock.after(limits.rekeyIntervalMs * this.#rekeyShare, () => this.rekey())
        if (first) this.#release()
      },
    }
    this.#exchange = this.#newExchange(events, init)
    this.#held = []
    this.#heldBytes = 0
    if (!first) this.#watch(limits.rekeyMs, 'rekey-timeout', 'The key exchange did not finish in time.')
  }

  #newExchange(events: ExchangeEvents, init: ExchangeStart): Exchange {
    const { role } = this.#setup
    if (role.side === 'client') return new ClientKeyExchange({ ...events, role, hostKey: this.#hostKey })
    const { hostKeys, olderHostKeys } = role
    const offered = { hostKeys, olderHostKeys: this.#legacy ? olderHostKeys : [], legacy: this.#legacy }
    const announce = (bytes: number): void => this.#writer.announce(bytes)
    return new KeyExchange({ ...events, ...offered, offer: this.#offer, announce }, init)
  }

  /** Sends what was held back until our NEWKEYS. */
  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const payload of held) this.send(payload)
    this.#events.drain()
  }

  readonly #deliver = (payload: Buffer, sequence: number): void => {
    this.#packetsInRead += 1
    const type = payload[0] ?? 0
    if (type >= n.MSG_KEXINIT && type < n.MSG_USERAUTH_REQUEST) {
      this.#exchangeMessage(type, payload, sequence)
    } else if (this.#sessionId === undefined && (this.#exchange?.strict || type >= n.MSG_SERVICE_REQUEST)) {
      throw protocolFault('unexpected-message', `Message ${type} is not allowed during the first key exchange.`)
    } else if (type < n.MSG_SERVICE_REQUEST || type === n.MSG_EXT_INFO || type === n.MSG_PING) {
      this.#transportMessage(type, payload)
    } else if (this.#exchange?.peerStarted && !this.#toleratesLateMessages) {
      throw protocolFault('unexpected-message', `Message ${type} is not allowed during key exchange.`)
    } else if (type === this.#serviceMessage || type >= n.MSG_USERAUTH_REQUEST) {
      this.#events.message(type, payload, sequence)
    } else {
      this.unimplemented(sequence)
    }
  }

  #exchangeMessage(type: number, payload: Buffer, sequence: number): void {
    if (!this.#exchange) {
      if (type !== n.MSG_KEXINIT) throw protocolFault('unexpected-message', 'No key exchange is under way.')
      if (!this.#rekeys.take(this.bytesIn + this.bytesOut)) {
        throw limitFault('too-many-rekeys', 'Too many key exchanges.')
      }
      this.#beginExchange('now')
    }
    if (type === n.MSG_KEXINIT) {
      this.#initTimer?.()
      this.#initTimer = undefined
    }
    this.#exchange?.message(payload)
    // Strict key exchange: nothing may precede the peer's first KEXINIT.
    if (type === n.MSG_KEXINIT && this.#sessionId === undefined && this.#exchange?.strict && sequence !== 0) {
      throw protocolFault('unexpected-message', 'KEXINIT was not the first packet.')
    }
  }

  #transportMessage(type: number, payload: Buffer): void {
    if (type === n.MSG_DISCONNECT) {
      const reader = new WireReader(payload, 1)
      const code = reader.uint32('reason code')
      throw new Fault(
        { by: 'peer', reason: 'disconnect', message: `The ${this.#peer} disconnected (reason code ${code}).` },
        0,
      )
    }
    if (type === n.MSG_PING) {
      const data = new WireReader(payload, 1).string('ping data')
      this.send(new WireWriter(data.length + 5).byte(n.MSG_PONG).string(data).done())
    }
    if (type === n.MSG_EXT_INFO && this.#setup.role.side === 'client')
      this.userSignatureAlgorithms ??= decodeExtInfo(payload)
    // IGNORE, UNIMPLEMENTED, DEBUG and a client's EXT_INFO require no action.
  }

  /** Answers an unknown message (RFC 4253 section 11.4). */
  unimplemented(sequence: number): void {
    this.send(new WireWriter(5).byte(n.MSG_UNIMPLEMENTED).uint32(sequence).done())
  }
}
