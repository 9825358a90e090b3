// An SSH client for tests that can also misbehave: it sends any payload or bytes, in any order, and exposes every
// message the server sends.
import type { Duplex } from 'node:stream'
import type { KexInit } from '../../src/transport/kexinit.ts'
import { MAX_SIGNED_IN_PACKET_LENGTH, PacketReader } from '../../src/transport/packet-reader.ts'
import { PacketWriter } from '../../src/transport/packet-writer.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireReader } from '../../src/wire/reader.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { CLIENT_KEXINIT, ClientExchange } from './client-exchange.ts'
import type { ClientKeys } from './client-exchange.ts'

export interface TestClientOptions {
  readonly ident?: string
  /** Overrides of the client's offer. */
  readonly kexInit?: Partial<KexInit>
  /** False: ignores a server's rekey. */
  readonly answersRekey?: boolean
  /** True: our NEWKEYS waits for {@link TestClient.sendNewKeys}. */
  readonly holdsNewKeys?: boolean
}

export interface KeyOffer {
  readonly user?: string
  readonly algorithm: string
  readonly blob: Uint8Array
  /** Absent: a query. */
  readonly signer?: (message: Uint8Array) => Uint8Array
  /** Signed instead of this connection's session identifier. */
  readonly sessionId?: Uint8Array | undefined
}

interface Waiter {
  readonly types: readonly number[]
  resolve(payload: Buffer): void
  reject(error: Error): void
}

export class TestClient {
  readonly socket: Duplex
  readonly reader = new PacketReader()
  readonly writer: PacketWriter
  readonly #options: TestClientOptions
  readonly #ident: string
  readonly #inbox: Buffer[] = []
  readonly #waiters: Waiter[] = []
  #exchange: ClientExchange | undefined
  #keys: ClientKeys | undefined
  #serverInit: Buffer | undefined
  #text = Buffer.alloc(0)
  serverIdent = ''
  /** Keys of the last exchange. */
  lastKeys: ClientKeys | undefined
  sessionId: Buffer | undefined
  ended = false
  /** Why reading stopped. */
  problem: unknown
  #rekeyDone: (() => void) | undefined

  constructor(socket: Duplex, options: TestClientOptions = {}) {
    this.socket = socket
    this.reader.maxLength = MAX_SIGNED_IN_PACKET_LENGTH
    this.#options = options
    this.#ident = options.ident ?? 'SSH-2.0-TestClient'
    this.writer = new PacketWriter(socket, () => undefined)
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#receive(chunk)
      } catch (error) {
        // After deliberate garbage the two sides may hold different keys; pending reads must be rejected.
        this.problem = error
        this.#end()
      }
    })
    socket.on('error', () => this.#end())
    socket.on('close', () => this.#end())
    socket.on('end', () => {
      this.#end()
      socket.end()
    })
  }

  /** Sends our identification. */
  identify(): void {
    this.writer.raw(Buffer.from(`${this.#ident}\r\n`))
  }

  /** Identification and first key exchange. */
  async handshake(): Promise<void> {
    this.identify()
    await this.exchangeKeys()
  }

  /** Runs a key exchange that this side starts. */
  exchangeKeys(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#rekeyDone = resolve
      this.#waiters.push({ types: [], resolve: () => undefined, reject })
      if (!this.#exchange) this.#beginExchange()
    })
  }

  /** Sends any payload under the current keys. */
  send(payload: Uint8Array): void {
    this.writer.write(payload)
  }

  /** Resolves with the next message of one of `types`; earlier others are dropped. */
  next(...types: number[]): Promise<Buffer> {
    for (let payload = this.#inbox.shift(); payload; payload = this.#inbox.shift()) {
      if (types.includes(payload[0] ?? 0)) return Promise.resolve(payload)
    }
    if (this.ended) return Promise.reject(new Error('the connection has ended'))
    return new Promise((resolve, reject) => {
      this.#waiters.push({ types, resolve, reject })
    })
  }

  /** A reader positioned after the message number of the next message of `type`. */
  async read(type: number): Promise<WireReader> {
    return new WireReader(await this.next(type), 1)
  }

  /** Handshake and ssh-userauth. */
  async startAuthentication(): Promise<void> {
    await this.handshake()
    this.send(new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-userauth').done())
    await this.next(n.MSG_SERVICE_ACCEPT)
  }

  /** The head of an authentication request. */
  authRequest(user: string, method: string): WireWriter {
    return new WireWriter().byte(n.MSG_USERAUTH_REQUEST).string(user).string('ssh-connection').string(method)
  }

  sendPassword(user: string, password: string): void {
    this.send(this.authRequest(user, 'password').boolean(false).string(password).done())
  }

  /** A publickey request without a signature, or with one by `signer` over `sessionId`. */
  publicKeyRequest({ user = 'user', algorithm, blob, signer, sessionId = this.sessionId }: KeyOffer): Uint8Array {
    const request = this.authRequest(user, 'publickey')
      .boolean(signer !== undefined)
      .string(algorithm)
      .string(blob)
    const part = request.done()
    if (!signer) return part
    const message = new WireWriter(1_024)
      .string(sessionId ?? '')
      .bytes(part)
      .done()
    return new WireWriter(2_048).bytes(part).string(signer(message)).done()
  }

  /** The type of the next authentication reply: success, failure or, for a query, "would do". */
  async authAnswer(): Promise<'success' | 'failure' | 'would-do'> {
    const [type] = await this.next(n.MSG_USERAUTH_SUCCESS, n.MSG_USERAUTH_FAILURE, n.MSG_USERAUTH_PK_OK)
    if (type === n.MSG_USERAUTH_SUCCESS) return 'success'
    return type === n.MSG_USERAUTH_FAILURE ? 'failure' : 'would-do'
  }

  /** Handshake and sign-in with the password `right`. */
  async signIn(user = 'user'): Promise<void> {
    await this.startAuthentication()
    this.sendPassword(user, 'right')
    await this.next(n.MSG_USERAUTH_SUCCESS)
  }

  /** Opens a channel and returns the reply's type and reader. */
  sendOpen(
    type: string,
    id: number,
    { window = 1 << 20, packetBytes = 32_768, fields = new Uint8Array(0) } = {},
  ): void {
    const open = new WireWriter().byte(n.MSG_CHANNEL_OPEN).string(type).uint32(id).uint32(window).uint32(packetBytes)
    this.send(open.bytes(fields).done())
  }

  /** Opens a session and returns the server's number for it. */
  async openSession(id = 0, options: { window?: number; packetBytes?: number } = {}): Promise<number> {
    this.sendOpen('session', id, options)
    const reader = await this.read(n.MSG_CHANNEL_OPEN_CONFIRMATION)
    reader.uint32('recipient')
    return reader.uint32('sender')
  }

  /** The head of a channel message. */
  channelMessage(type: number, channel: number): WireWriter {
    return new WireWriter().byte(type).uint32(channel)
  }

  /** The head of a channel request. */
  channelRequest(channel: number, name: string, wantReply = true): WireWriter {
    return this.channelMessage(n.MSG_CHANNEL_REQUEST, channel).string(name).boolean(wantReply)
  }

  sendData(channel: number, bytes: Uint8Array): void {
    this.send(new WireWriter(bytes.length + 16).byte(n.MSG_CHANNEL_DATA).uint32(channel).string(bytes).done())
  }

  globalRequest(name: string, wantReply = true): WireWriter {
    return new WireWriter().byte(n.MSG_GLOBAL_REQUEST).string(name).boolean(wantReply)
  }

  /** Reason code and text of the server's DISCONNECT. */
  async disconnected(): Promise<{ code: number; message: string }> {
    const reader = await this.read(n.MSG_DISCONNECT)
    return { code: reader.uint32('code'), message: reader.text('message') }
  }

  #beginExchange(): void {
    this.#exchange = new ClientExchange({ ...CLIENT_KEXINIT, ...this.#options.kexInit })
    this.send(this.#exchange.init)
    this.#answerServerInit()
  }

  #receive(chunk: Buffer): void {
    if (this.serverIdent !== '') return this.reader.push(chunk, (payload) => this.#message(payload))
    this.#text = Buffer.concat([this.#text, chunk])
    const end = this.#text.indexOf('\r\n')
    if (end < 0) return
    this.serverIdent = this.#text.subarray(0, end).toString()
    this.reader.push(this.#text.subarray(end + 2), (payload) => this.#message(payload))
  }

  #message(payload: Buffer): void {
    const type = payload[0] ?? 0
    if (type === n.MSG_KEXINIT) this.#serverKexInit(payload)
    if (type === n.MSG_KEX_ECDH_REPLY) this.#reply(payload)
    if (type === n.MSG_NEWKEYS && !this.#options.holdsNewKeys) this.sendNewKeys()
    const index = this.#waiters.findIndex((waiter) => waiter.types.includes(type))
    if (index < 0) return void this.#inbox.push(payload)
    this.#waiters.splice(index, 1)[0]?.resolve(payload)
  }

  #serverKexInit(payload: Buffer): void {
    if (this.sessionId && !this.#exchange) {
      if (this.#options.answersRekey === false) return
      this.#beginExchange()
    }
    // The server's KEXINIT is held until our own identification and KEXINIT have been sent.
    this.#serverInit = payload
    this.#answerServerInit()
  }

  #answerServerInit(): void {
    if (!this.#exchange || !this.#serverInit) return
    const message = this.#exchange.serverInit(this.#serverInit)
    this.#serverInit = undefined
    this.send(message)
  }

  #reply(payload: Buffer): void {
    const idents = { client: this.#ident, server: this.serverIdent }
    this.#keys = this.#exchange?.reply(payload, idents, this.sessionId)
  }

  /** Sends NEWKEYS and switches to the new keys, both ways. */
  sendNewKeys(): void {
    const keys = this.#keys
    if (!keys) return
    const strict = (this.#options.kexInit?.kex ?? CLIENT_KEXINIT.kex).includes('kex-strict-c-v00@openssh.com')
    this.send(Uint8Array.of(n.MSG_NEWKEYS))
    this.writer.install(keys.sealer, strict)
    this.reader.install(keys.opener, strict)
    this.sessionId ??= keys.hash
    this.lastKeys = keys
    this.#exchange = undefined
    this.#keys = undefined
    this.#rekeyDone?.()
  }

  #end(): void {
    this.ended = true
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('the connection has ended'))
  }
}
