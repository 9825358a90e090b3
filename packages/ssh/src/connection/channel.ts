// One open channel (RFC 4254 section 5): data both ways within the windows, requests with ordered replies, and the end
// of each direction. Output of a started program waits until its request has been answered.
import type { CloseCause, PeerAddress, SessionRequest } from '../api.ts'
import type { ClientChannel, ClientChannelHandler } from '../client-api.ts'
import { limitFault, protocolFault } from '../fault.ts'
import { freeMemory } from '../transport/free-memory.ts'
import { PEER_OF } from '../transport/role.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { ChannelEnds, ChannelLink } from './channel-link.ts'
import { OutputQueue } from './output-queue.ts'
import { MAX_DATA_BYTES, ReceiveWindow } from './receive-window.ts'
import { ReplyQueue } from './reply-queue.ts'
import { sendData } from './send-data.ts'
import { SentRequests } from './sent-requests.ts'
import { readSessionRequest } from './session-request.ts'
import { encodeSessionRequest, hasAnswer, readExit } from './session-request-writer.ts'

const MAX_WINDOW = 0xffff_ffff
/**
 * Writes of at least this size count as bulk. They come in pieces (of a TLS record, say), and each packet has a fixed
 * cost, so they are coalesced into full packets. Smaller writes are interactive and sent at once.
 */
const BULK_BYTES = 8 * 1024
/** A writer that waits is called after this much has been sent, and when nothing is queued. */
const PROGRESS_BYTES = 64 * 1024
const STARTS = new Set(['shell', 'exec', 'subsystem'])

export class Channel implements ClientChannel {
  readonly id: number
  readonly type: string
  readonly connection: { readonly peer: PeerAddress }
  readonly #link: ChannelLink
  readonly #remoteId: number
  readonly #packetBytes: number
  readonly #queue = new OutputQueue()
  readonly #replies: ReplyQueue
  readonly #sent = new SentRequests<boolean>()
  readonly #incoming: ReceiveWindow
  #sendWindow: number
  #handler: ClientChannelHandler | undefined
  /** Unanswered start requests: output must not overtake their replies. */
  #starting = 0
  /** Closed before its start was answered. */
  #startAbandoned = false
  #envCount = 0
  #pumping = false
  /** A partial packet waits for the end of this event loop iteration. */
  #pumpScheduled = false
  #stopTold = false
  /** Bytes sent since the last `drain`. */
  #sentSinceDrain = 0
  #outputRefused = false
  /** One exit, one end of file, one close: the embedding program cannot queue messages without bound. */
  #exitQueued = false
  #eofQueued = false
  #closeQueued = false
  #closeSent = false
  #eofReceived = false
  #exitReceived = false
  #closedTold = false

  constructor(id: number, type: string, { remote, windowBytes }: ChannelEnds, link: ChannelLink) {
    this.id = id
    this.type = type
    this.connection = link.connection
    this.#link = link
    this.#remoteId = remote.id
    this.#sendWindow = remote.window
    this.#packetBytes = Math.min(remote.packetBytes, MAX_DATA_BYTES)
    this.#replies = new ReplyQueue(link.pendingRequests, (payload) => this.#send(payload))
    this.#incoming = new ReceiveWindow(windowBytes, link.limits.windowMaxBytes, link.growth, link.now)
  }

  /** This side has closed it; the peer's close is outstanding. */
  get closing(): boolean {
    return this.#closeSent
  }

  /** Nothing is queued. */
  get idle(): boolean {
    return this.#queue.empty
  }

  /** Attaches the embedding program's handler; called once, right after the confirmation was queued. */
  attach(handler: ClientChannelHandler): void {
    this.#handler = handler
  }

  get queuedBytes(): number {
    return this.#queue.dataBytes
  }

  /** Bytes of both directions that wait for the side that they are for. */
  get heldBytes(): number {
    return this.#queue.dataBytes + this.#incoming.heldBytes
  }

  write(bytes: Uint8Array, extended = 0): boolean {
    if (this.#eofQueued || this.#closeQueued || this.#closedTold || this.#outputRefused) return true
    if (bytes.length > 0) this.#queue.pushData(bytes, extended)
    this.pump(bytes.length < BULK_BYTES)
    if (this.#queue.dataBytes > this.#link.limits.queueMaxBytes) {
      this.#link.fail(limitFault('queue-overflow', 'More output is queued for a channel than its limit allows.'))
      return false
    }
    const waiting = this.#queue.dataBytes
    if ((waiting === 0 || (this.#pumpScheduled && waiting < this.#sendWindow)) && this.#link.writable) return true
    this.#stopTold = true
    return false
  }

  consumed(count: number): void {
    this.#grant(this.#incoming.consumed(count))
  }

  free(bytes: Uint8Array): void {
    freeMemory(bytes)
  }

  eof(): void {
    if (this.#eofQueued || this.#closeQueued) return
    this.#eofQueued = true
    this.#enqueue(this.#message(n.MSG_CHANNEL_EOF).done())
  }

  exitStatus(status: number): void {
    if (this.#exitQueued) return
    this.#exitQueued = true
    this.#enqueue(this.#request('exit-status').uint32(status).done())
  }

  exitSignal(name: string, coreDumped: boolean, message: string): void {
    if (this.#exitQueued) return
    this.#exitQueued = true
    this.#enqueue(this.#request('exit-signal').string(name).boolean(coreDumped).string(message).string('').done())
  }

  async request(request: SessionRequest): Promise<boolean> {
    if (this.#closeSent || this.#closedTold) throw new Error('the channel has closed')
    const answer = hasAnswer(request.type) ? this.#sent.next() : true
    this.#send(encodeSessionRequest(this.#remoteId, request))
    return answer
  }

  close(): void {
    if (this.#closeQueued) return
    // As sshd does: some clients process nothing else until they get the end of file.
    this.eof()
    this.#enqueue(this.#message(n.MSG_CHANNEL_CLOSE).done(), true)
    this.#closeQueued = true
    if (this.#starting === 0) return
    // A reply resolved in this iteration still goes first; one that never comes must not block the close forever.
    setImmediate(() => {
      this.#startAbandoned = true
      this.pump()
    })
  }

  /**
   * Sends what the windows and the transport allow.
   * @param all false: a partial packet is held until the end of this event loop iteration, to be filled up
   */
  pump(all = true): void {
    if (this.#pumping || (this.#starting > 0 && !this.#startAbandoned)) return
    this.#pumping = true
    const queue = this.#queue
    for (let item = queue.first; item && this.#link.writable && !this.#closeSent; item = queue.first) {
      if (item.kind === 'message') {
        queue.drop()
        this.#send(item.payload)
        if (item.last) this.#closeWasSent()
        continue
      }
      if (this.#sendWindow === 0) break
      const maxBytes = Math.min(this.#sendWindow, this.#packetBytes)
      if (!all && queue.dataBytes < maxBytes) {
        this.#pumpSoon()
        break
      }
      const sent = sendData(this.#link, queue, item, { remoteId: this.#remoteId, maxBytes })
      this.#sendWindow -= sent
      this.#sentSinceDrain += sent
    }
    this.#pumping = false
    this.#grantBlocked()
    this.#drain()
  }

  #drain(): void {
    const takesMore = (this.#outputRefused || this.#sendWindow > 0) && !this.queuedBytes && this.#link.writable
    if (!this.#stopTold || (!takesMore && this.#sentSinceDrain < PROGRESS_BYTES)) return
    this.#stopTold = !takesMore
    this.#sentSinceDrain = 0
    this.#link.callHandler(this, () => this.#handler?.drain?.())
  }

  /** Grants input beyond its window to a peer whose own window is full while output waits for it. */
  #grantBlocked(): void {
    if (this.#sendWindow > 0 || (!this.#stopTold && this.#queue.dataBytes === 0)) return
    this.#grant(this.#incoming.advance())
  }

  #grant(bytes: number): void {
    if (bytes === 0 || this.#closeSent || this.#closedTold) return
    this.#send(this.#message(n.MSG_CHANNEL_WINDOW_ADJUST).uint32(bytes).done())
  }

  #pumpSoon(): void {
    if (this.#pumpScheduled) return
    this.#pumpScheduled = true
    this.#link.soon(() => {
      this.#pumpScheduled = false
      this.pump()
    })
  }

  /** Handles a message of this channel from the peer; `reader` is positioned after the channel number. */
  receive(type: number, reader: WireReader): void {
    switch (type) {
      case n.MSG_CHANNEL_DATA:
        return this.#data(reader.string('data'), 0)
      case n.MSG_CHANNEL_EXTENDED_DATA:
        return this.#extendedData(reader)
      case n.MSG_CHANNEL_WINDOW_ADJUST:
        return this.#adjust(reader.uint32('window'))
      case n.MSG_CHANNEL_EOF:
        return this.#eof()
      case n.MSG_CHANNEL_REQUEST:
        return this.#channelRequest(reader)
      case n.MSG_CHANNEL_CLOSE:
        return this.#close()
      default:
        return this.#sent.answered(type, type === n.MSG_CHANNEL_SUCCESS)
    }
  }

  /** The connection has ended. */
  abort(cause: CloseCause): void {
    this.#closeSent = true
    this.#notifyClosed(cause)
  }

  #data(bytes: Uint8Array, extended: number): void {
    if (this.#eofReceived) throw protocolFault('data-after-eof', 'Data arrived after the end of file.')
    this.#incoming.received(bytes.length)
    if (this.#closedTold) return
    this.#link.callHandler(this, () => this.#handler?.data(bytes, extended))
    this.#grantBlocked()
  }

  #extendedData(reader: WireReader): void {
    const code = reader.uint32('data type')
    this.#data(reader.string('data'), code)
  }

  #adjust(bytes: number): void {
    this.#sendWindow += bytes
    if (this.#sendWindow > MAX_WINDOW) throw protocolFault('window-overflow', 'The window exceeds 2^32-1 bytes.')
    this.pump()
  }

  #eof(): void {
    if (this.#eofReceived) return
    this.#eofReceived = true
    if (!this.#closedTold) this.#link.callHandler(this, () => this.#handler?.eof?.())
  }

  #close(): void {
    if (!this.#closeSent) {
      this.#send(this.#message(n.MSG_CHANNEL_CLOSE).done())
      this.#closeSent = true
    }
    this.#link.remove(this)
    const message = `The ${PEER_OF[this.#link.side]} closed the channel.`
    this.#notifyClosed({ by: 'peer', reason: 'channel-closed', message })
  }

  #closeWasSent(): void {
    this.#closeSent = true
    const message = `The ${this.#link.side} closed the channel.`
    this.#notifyClosed({ by: 'local', reason: 'channel-closed', message })
  }

  #notifyClosed(cause: CloseCause): void {
    if (this.#closedTold) return
    this.#closedTold = true
    this.#queue.dropData()
    this.#incoming.release()
    this.#replies.abandon()
    this.#sent.end(new Error('the channel has closed'))
    this.#link.callHandler(this, () => this.#handler?.closed(cause))
  }

  #channelRequest(reader: WireReader): void {
    const name = reader.text('request type', 256)
    const wantReply = reader.boolean('want reply')
    if (this.#link.side === 'client') return this.#serverRequest(name, wantReply, reader)
    const request =
      this.type === 'session' ? this.#withinCount(readSessionRequest(name, reader, this.#link.limits)) : undefined
    if (request?.type === 'eow@openssh.com') this.#refuseOutput()
    const starts = STARTS.has(name)
    if (starts) this.#starting += 1
    const answer = request && !this.#closedTold ? this.#ask(request) : false
    const reply =
      answer instanceof Promise
        ? answer.then((granted) => this.#settle(granted, wantReply))
        : this.#settle(answer, wantReply)
    this.#replies.push(reply, starts ? () => this.#started() : undefined)
  }

  /** A server tells of the program's end, and asks whether we are there. */
  #serverRequest(name: string, wantReply: boolean, reader: WireReader): void {
    const exit = readExit(name, reader)
    if (exit && !this.#exitReceived && !this.#closedTold) {
      this.#exitReceived = true
      this.#link.callHandler(this, () => this.#handler?.exited?.(exit))
    }
    if (wantReply) this.#send(this.#message(exit ? n.MSG_CHANNEL_SUCCESS : n.MSG_CHANNEL_FAILURE).done())
  }

  /** Refuses environment variables beyond the limit, like those a server does not accept. */
  #withinCount(request: SessionRequest | undefined): SessionRequest | undefined {
    if (request?.type !== 'env') return request
    this.#envCount += 1
    return this.#envCount > this.#link.limits.envCount ? undefined : request
  }

  #ask(request: SessionRequest): boolean | Promise<boolean> {
    const answer = this.#link.callHandler(this, () => this.#handler?.request?.(request))
    // A rejected promise refuses the request.
    return answer instanceof Promise ? answer.catch(() => false) : (answer ?? false)
  }

  #settle(granted: boolean, wantReply: boolean): Uint8Array | undefined {
    if (!wantReply || this.#closeSent) return undefined
    return this.#message(granted ? n.MSG_CHANNEL_SUCCESS : n.MSG_CHANNEL_FAILURE).done()
  }

  #started(): void {
    this.#starting -= 1
    this.pump()
  }

  /** The client reads no more output: the queue would wait for window forever. */
  #refuseOutput(): void {
    this.#outputRefused = true
    this.#queue.dropData()
    this.pump()
  }

  #enqueue(payload: Uint8Array, last = false): void {
    if (this.#closeQueued || this.#closedTold) return
    this.#queue.pushMessage(payload, last)
    this.pump()
  }

  #request(name: string): WireWriter {
    return this.#message(n.MSG_CHANNEL_REQUEST).string(name).boolean(false)
  }

  #message(type: number): WireWriter {
    return new WireWriter(32).byte(type).uint32(this.#remoteId)
  }

  #send(payload: Uint8Array): void {
    this.#link.send(payload)
  }
}
