// One link after the handshake: streams multiplexed over a transport. Owns the send order, the stream table, the
// keepalive and the end. Owners' callbacks never run inside their own calls; a throw in one ends at most its stream.
import {
  type HandlerOf,
  LINK_DEFAULTS,
  type Link,
  type LinkCause,
  type LinkHandler,
  type LinkMessage,
  type LinkOptions,
  type LinkStream,
  type StreamKind,
} from '../api.ts'
import { type Side, decodeCause, encodeCause, isHandingOver, otherSide } from '../wire/cause.ts'
import {
  FRAME,
  FrameBatch,
  FrameDecoder,
  HEADER_BYTES,
  type FrameSink,
  type FrameType,
  readUint32,
} from '../wire/frame.ts'
import { Guard } from './guard.ts'
import { Keepalive } from './keepalive.ts'
import type { LinkParts } from './link-parts.ts'
import { decodeMessage, decodeOpen, encodeOpen } from '../wire/payloads.ts'
import { Outbox } from './outbox.ts'
import { Schedule } from './schedule.ts'
import { Stream, type StreamOwner } from './stream.ts'
import { StreamTable } from './stream-table.ts'
import type { Transport, TransportEvents } from './transport.ts'

/** Limit of refusals and other own frames that queue up while the peer does not read. */
const MAX_PENDING_FRAMES = 8_192

/** Starts the link, which owns the transport from here on. Ends with exactly one `handler.closed`. */
export function startLink(parts: LinkParts): Link {
  return new FrameLink(parts)
}

class FrameLink implements Link, StreamOwner, FrameSink, TransportEvents {
  readonly side: Side
  readonly options: LinkOptions
  readonly frameBytes: number
  writable = true

  readonly #transport: Transport
  readonly #handler: LinkHandler
  readonly #guard: Guard
  readonly #peerWindowBytes: number
  /** Whose rules the causes of the peer follow. */
  readonly #causesOf: Side
  readonly #decoder: FrameDecoder
  readonly #keepalive: Keepalive
  readonly #streams: StreamTable
  readonly #schedule = new Schedule<Stream>()
  readonly #batch = new FrameBatch()
  #endCause: LinkCause | undefined
  #flushQueued = false
  #growthBytes: number
  readonly #outbox = new Outbox()
  readonly #stalled = new Set<Stream>()
  #goneAway: LinkCause | undefined
  #peerGoneAway: LinkCause | undefined

  constructor(parts: LinkParts) {
    this.side = parts.side
    this.options = parts.options ? { ...LINK_DEFAULTS, ...parts.options } : LINK_DEFAULTS
    this.#transport = parts.transport
    this.frameBytes = Math.min(this.options.frameBytes, parts.transport.messageBytes - HEADER_BYTES)
    this.#handler = parts.handler
    this.#guard = new Guard((error, callback) => parts.report(error, callback))
    this.#peerWindowBytes = parts.peerWindowBytes ?? this.options.windowBytes
    this.#growthBytes = this.options.growthBytes
    this.#causesOf = parts.believesCauses ? 'gateway' : otherSide(this.side)
    this.#streams = new StreamTable(this.side)
    this.#decoder = parts.decoder ?? new FrameDecoder(this)
    this.#decoder.sink = this
    this.#keepalive = new Keepalive(parts.clock, this.options, {
      ping: (number) => {
        this.#outbox.ping(number)
        this.#wake()
      },
      alive: (roundTripMs) => this.#guard.call('alive', () => this.#handler.alive?.(roundTripMs)),
      dead: (cause) => this.#end(cause),
    })
    this.#transport.listen(this)
  }

  // Link

  get streamCount(): number {
    return this.#streams.size
  }

  open(kind: StreamKind, header: LinkMessage, handler: HandlerOf, own: { windowBytes?: number } = {}): LinkStream {
    const payload = encodeOpen(kind, header) ?? this.#own('too-large', 'the header of the stream is too large')
    const refusal = this.#endCause ?? this.#peerGoneAway ?? this.#full() ?? ('reason' in payload ? payload : undefined)
    const id = refusal ? undefined : this.#streams.nextId()
    const windowBytes = own.windowBytes ?? this.options.windowBytes
    const stream = new Stream(this, id ?? 0, kind, this.#peerWindowBytes, windowBytes)
    stream.handler = typeof handler === 'function' ? handler(stream) : handler
    if (id === undefined || 'reason' in payload) {
      this.ended(stream, refusal ?? this.#own('exhausted', 'this link has used up its stream ids'), false)
      return stream
    }
    this.#streams.add(stream)
    this.#send(FRAME.open, id, payload)
    return stream
  }

  goaway(cause: LinkCause): void {
    if (this.#endCause || this.#goneAway) return
    if (!isHandingOver(cause)) this.#goneAway = cause
    this.#send(FRAME.goaway, 0, encodeCause(cause))
  }

  close(cause: LinkCause): void {
    if (this.#endCause) return
    this.#batch.add(FRAME.close, 0, encodeCause(cause))
    this.#transport.send(this.#batch.take())
    this.#end(cause)
  }

  // StreamOwner

  schedule(stream: Stream): void {
    this.#schedule.add(stream)
    this.#wake()
  }

  creditDue(stream: Stream): void {
    this.#outbox.creditDue(stream)
    this.#wake()
  }

  stalled(stream: Stream): void {
    this.#stalled.add(stream)
  }

  takeGrowth(bytes: number): number {
    const granted = Math.min(bytes, this.#growthBytes)
    this.#growthBytes -= granted
    return granted
  }

  ended(stream: Stream, cause: LinkCause, tellPeer: boolean): void {
    if (stream.state === 'closed') return
    stream.release(cause)
    this.#streams.delete(stream)
    this.#stalled.delete(stream)
    this.#outbox.forget(stream)
    this.#growthBytes += stream.grownBytes
    if (tellPeer) this.#send(FRAME.close, stream.id, encodeCause(cause))
    const handler = stream.handler
    if (handler) this.#guard.later('closed', () => handler.closed(cause))
  }

  // TransportEvents

  bytes(chunk: Uint8Array): void {
    if (this.#endCause) return
    this.#keepalive.heard()
    const fault = this.#decoder.push(chunk)
    if (fault !== undefined) this.#protocolError(fault)
  }

  drain(): void {
    this.writable = true
    this.#flush()
  }

  closed(cause: LinkCause): void {
    this.#end(cause)
  }

  // FrameSink

  data(id: number, lane: 0 | 1, bytes: Uint8Array): void {
    const stream = this.#known(id)
    if (stream === undefined) return
    const fault = stream.received(bytes.length)
    if (fault !== undefined) return this.#protocolError(fault)
    const handler = stream.handler
    if (stream.state !== 'open' || !handler) return
    // Retained bytes must be a copy: neither a view into the read buffer nor a reference that keeps it alive.
    const given = handler.transient ? bytes : new Uint8Array(bytes)
    this.#guardStream(stream, 'data', () => handler.data(given, lane))
  }

  frame(type: FrameType, id: number, payload: Uint8Array): void {
    const fault = id === 0 ? this.#linkFrame(type, payload) : this.#streamFrame(type, id, payload)
    if (fault !== undefined) this.#protocolError(fault)
  }

  #linkFrame(type: FrameType, payload: Uint8Array): string | undefined {
    switch (type) {
      case FRAME.ping:
        if (!this.#keepalive.pinged()) return 'pings come faster than a keepalive needs them'
        this.#outbox.pong(readUint32(payload, 0))
        this.#wake()
        return undefined
      case FRAME.pong:
        this.#keepalive.answered(readUint32(payload, 0))
        return undefined
      case FRAME.goaway: {
        if (this.#peerGoneAway) return undefined
        const cause = decodeCause(payload, this.#causesOf)
        if (!isHandingOver(cause)) this.#peerGoneAway = cause
        this.#guard.call('goaway', () => this.#handler.goaway?.(cause))
        return undefined
      }
      case FRAME.close:
        this.#end(decodeCause(payload, this.#causesOf))
        return undefined
      default:
        return 'hello after the handshake'
    }
  }

  #streamFrame(type: FrameType, id: number, payload: Uint8Array): string | undefined {
    if (type === FRAME.open) return this.#opened(id, payload)
    const stream = this.#known(id)
    if (stream === undefined) return undefined
    const handler = stream.state === 'open' ? stream.handler : undefined
    switch (type) {
      case FRAME.credit:
        return stream.receivedCredit(readUint32(payload, 0))
      case FRAME.blocked:
        stream.receivedBlocked()
        return undefined
      case FRAME.eof: {
        const fault = stream.receivedEof()
        if (fault === undefined && handler?.eof) this.#guardStream(stream, 'eof', () => handler.eof?.())
        return fault
      }
      case FRAME.control: {
        const message = decodeMessage(payload)
        if (message === undefined) return `control on stream ${id} is not a JSON object`
        if (handler?.control) this.#guardStream(stream, 'control', () => handler.control?.(message))
        return undefined
      }
      default:
        this.ended(stream, decodeCause(payload, this.#causesOf), false)
        return undefined
    }
  }

  #opened(id: number, payload: Uint8Array): string | undefined {
    if (!this.#streams.peerOpens(id)) return `stream ${id} cannot be opened by the peer`
    const open = decodeOpen(payload)
    if (open === undefined) return `open of stream ${id} is not {kind, header}`
    if (this.#outbox.length >= MAX_PENDING_FRAMES) return 'streams are opened faster than the answers are read'
    const { kind, header } = open
    const refusal = this.#goneAway ?? this.#full()
    if (kind === undefined || refusal) {
      this.#send(FRAME.close, id, encodeCause(refusal ?? this.#own('unsupported', 'unknown kind of stream')))
      return undefined
    }
    const stream = new Stream(this, id, kind, this.#peerWindowBytes, this.options.windowBytes)
    this.#streams.add(stream)
    const answer =
      this.#guard.ask('open', () => this.#handler.open(kind, header, stream)) ??
      this.#own('internal-error', 'the stream could not be opened')
    if ('reason' in answer) {
      this.ended(stream, answer, true)
      return undefined
    }
    stream.handler = answer
    // The owner may have closed the stream or the link from inside `open`; it must still get `closed`.
    const cause = stream.endCause
    if (cause) this.#guard.later('closed', () => answer.closed(cause))
    return undefined
  }

  /** The stream, or undefined when it has already ended on this side. An id that was never opened ends the link. */
  #known(id: number): Stream | undefined {
    const stream = this.#streams.get(id)
    if (stream === undefined && !this.#streams.existed(id)) this.#protocolError(`stream ${id} was never opened`)
    return stream
  }

  #full(): LinkCause | undefined {
    if (this.#streams.size < this.options.maxStreams) return undefined
    return this.#own('too-many-streams', `this link has ${this.options.maxStreams} streams already`)
  }

  #send(type: FrameType, stream: number, payload: Uint8Array): void {
    if (this.#endCause) return
    this.#outbox.add(type, stream, payload)
    this.#wake()
  }

  /** Sends what is ready once the current callback is over, so that the writes of one tick are sent together. */
  #wake(): void {
    if (this.#flushQueued || this.#endCause || !this.writable) return
    this.#flushQueued = true
    queueMicrotask(() => {
      this.#flushQueued = false
      this.#flush()
    })
  }

  #flush(): void {
    while (!this.#endCause && this.writable && this.#fill()) this.writable = this.#batch.send(this.#transport)
    if (this.#endCause || !this.writable) return
    for (const stream of this.#stalled) {
      if (!stream.takeDrain()) continue
      if (stream.drained) this.#stalled.delete(stream)
      if (stream.state === 'open') this.#guardStream(stream, 'drain', () => stream.handler?.drain?.())
    }
  }

  /** Fills the batch with the link's own frames, then credit, then the streams in scheduling order. */
  #fill(): boolean {
    const batch = this.#batch
    this.#outbox.emit(batch)
    while (batch.bytes < this.#transport.messageBytes) {
      const stream = this.#schedule.take()
      if (stream === undefined) break
      stream.emit(batch)
      if (stream.sendable) this.#schedule.add(stream)
    }
    return batch.bytes > 0
  }

  #protocolError(message: string): void {
    this.close({ by: otherSide(this.side), reason: 'protocol', message })
  }

  #end(cause: LinkCause): void {
    if (this.#endCause) return
    this.#endCause = cause
    this.#decoder.stop()
    this.#keepalive.stop()
    this.#outbox.clear()
    for (const stream of this.#streams.values()) this.ended(stream, cause, false)
    this.#transport.close(cause)
    this.#guard.later('closed', () => this.#handler.closed(cause))
  }

  #guardStream(stream: Stream, callback: string, run: () => void): void {
    if (!this.#guard.call(callback, run)) stream.close(this.#own('internal-error', 'the stream failed'), 'drop')
  }

  #own(reason: string, message: string): LinkCause {
    return { by: this.side, reason, message }
  }
}
