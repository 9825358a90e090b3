// One stream of a link: its send queue, and exact credit accounting in both directions. For received bytes
// `receiveCredit + unconsumed + unreturned = window` holds at all times.
import { Buffer } from 'node:buffer'
import type { Lane, LinkCause, LinkMessage, LinkOptions, LinkStream, StreamHandler, StreamKind } from '../api.ts'
import { type Side, encodeCause } from '../wire/cause.ts'
import { FRAME, type FrameBatch, type FrameType, MAX_CONTROL_BYTES } from '../wire/frame.ts'
import { encodeMessage } from '../wire/payloads.ts'
import type { Sender } from './schedule.ts'

/** A stream's view of its link. */
export interface StreamOwner {
  readonly side: Side
  readonly options: LinkOptions
  /** Maximum payload of one data frame. */
  readonly frameBytes: number
  /** False while the socket is backed up. */
  readonly writable: boolean
  /** The stream has frames to send. */
  schedule(stream: Stream): void
  /** The stream has credit to return. */
  creditDue(stream: Stream): void
  /** The stream is waiting for `drain`. */
  stalled(stream: Stream): void
  /** Takes up to `bytes` from the link's budget for larger windows. */
  takeGrowth(bytes: number): number
  /** The stream has ended on this side; with `tellPeer` a close frame must be sent. */
  ended(stream: Stream, cause: LinkCause, tellPeer: boolean): void
}

interface Entry {
  readonly type: FrameType
  bytes: Uint8Array
  /** Spare capacity behind `bytes` for more small writes. */
  room: Uint8Array | undefined
  /** Called when the memory of `bytes` may be reused. */
  done: (() => void) | undefined
}

const NOTHING = new Uint8Array(0)
const MERGE_BYTES = 1_024
const MERGED_BYTES = 4_096
const CONTROL_QUEUE_BYTES = 1024 * 1024
/** A writer that waits is called after this much has been sent, and when nothing is queued. */
const PROGRESS_BYTES = 64 * 1024
/** Each return of credit costs a write: a stream that keeps moving bytes gets larger portions, up to this window. */
const BULK_WINDOW_BYTES = 1024 * 1024
/** Returns of credit, each of a quarter of the window, after which the window grows. */
const RETURNS_PER_GROWTH = 16

export class Stream implements LinkStream, Sender {
  readonly id: number
  readonly kind: StreamKind
  /** Undefined only while the link's owner is deciding about the stream. */
  handler: StreamHandler | undefined
  next: Sender | undefined
  listed = false
  state: 'open' | 'closing' | 'closed' = 'open'
  queuedBytes = 0
  /** Why it ended; undefined while it runs. */
  endCause: LinkCause | undefined
  /** Credit of this stream taken from the link's growth budget. */
  grownBytes = 0

  readonly #owner: StreamOwner
  #queue: Entry[] = []
  #head = 0
  /** Control messages that go ahead of the queue. */
  #overtaking: Uint8Array[] = []
  #queuedControlBytes = 0
  #eofQueued = false
  #closeCause: LinkCause | undefined
  /** Bytes we may send. */
  #sendCredit: number
  #blockedTold = false
  /** Bytes sent since the last `drain`. */
  #sentSinceDrain = 0

  #window: number
  /** Bytes the peer may still send. */
  #receiveCredit: number
  #unconsumed = 0
  /** Consumed but not granted again yet; negative while shrinking to a window below the link's. */
  #unreturned: number
  #peerEof = false
  #returns = 0

  /**
   * @param sendCredit bytes the peer initially accepts
   * @param windowBytes maximum bytes in flight from the peer
   */
  constructor(owner: StreamOwner, id: number, kind: StreamKind, sendCredit: number, windowBytes: number) {
    this.#owner = owner
    this.id = id
    this.kind = kind
    this.#sendCredit = sendCredit
    this.#window = windowBytes
    this.#receiveCredit = owner.options.windowBytes
    this.#unreturned = windowBytes - owner.options.windowBytes
    if (this.#unreturned > 0) owner.creditDue(this)
  }

  get backlogBytes(): number {
    return this.queuedBytes + this.#queuedControlBytes
  }

  get sendable(): boolean {
    if (this.#overtaking.length > 0) return true
    const entry = this.#queue[this.#head]
    return entry !== undefined && (!isData(entry.type) || this.#sendCredit > 0)
  }

  /** Everything is sent, and there is credit for more. */
  get drained(): boolean {
    return this.queuedBytes === 0 && this.#sendCredit > 0
  }

  /** Whether to call `drain` now: when all is sent, or as much as a waiting writer should know of. */
  takeDrain(): boolean {
    if (!this.drained && this.#sentSinceDrain < PROGRESS_BYTES) return false
    this.#sentSinceDrain = 0
    return true
  }

  write(bytes: Uint8Array, lane: Lane = 0, done?: () => void): boolean {
    if (this.state !== 'open' || this.#eofQueued) return true
    if (bytes.length > 0) {
      this.#enqueueData(lane === 0 ? FRAME.data : FRAME.dataErr, bytes, done)
      this.queuedBytes += bytes.length
      if (this.queuedBytes > this.#owner.options.queueMaxBytes) return this.#overflow('bytes')
      this.#owner.schedule(this)
    }
    const room = Math.min(this.#sendCredit, this.#owner.options.socketHighBytes)
    if (this.queuedBytes < room && this.#owner.writable) return true
    this.#owner.stalled(this)
    return false
  }

  consumed(count: number): void {
    if (this.state === 'closed') return
    const counted = Math.min(count, this.#unconsumed)
    this.#unconsumed -= counted
    this.#unreturned += counted
    if (this.#unreturned >= this.#window / 4 && !this.#peerEof) this.#owner.creditDue(this)
  }

  eof(): void {
    if (this.state !== 'open' || this.#eofQueued) return
    this.#eofQueued = true
    this.#enqueue(FRAME.eof, NOTHING)
  }

  control(message: LinkMessage, place: 'in-order' | 'overtaking' = 'in-order'): void {
    if (this.state !== 'open') return
    const payload = encodeMessage(message, MAX_CONTROL_BYTES)
    if (payload === undefined) return this.close(this.#own('too-large', 'a control message exceeds 64 KiB'), 'drop')
    this.#queuedControlBytes += payload.length
    if (this.#queuedControlBytes > CONTROL_QUEUE_BYTES) return void this.#overflow('control messages')
    if (place === 'in-order') return this.#enqueue(FRAME.control, payload)
    this.#overtaking.push(payload)
    this.#owner.schedule(this)
  }

  close(cause: LinkCause = this.#own('done', ''), queued: 'send' | 'drop' = 'send'): void {
    if (this.state === 'closed') return
    if (queued === 'drop') return this.#owner.ended(this, this.#closeCause ?? cause, true)
    if (this.state === 'closing') return
    this.state = 'closing'
    this.#closeCause = cause
    this.consumed(this.#unconsumed)
    this.#enqueue(FRAME.close, encodeCause(cause))
  }

  /** Moves the next frame into `batch`. Without credit for queued data, sends `blocked`, once per grant. */
  emit(batch: FrameBatch): void {
    const overtaking = this.#overtaking.shift()
    if (overtaking !== undefined) {
      this.#queuedControlBytes -= overtaking.length
      return batch.add(FRAME.control, this.id, overtaking)
    }
    const entry = this.#queue[this.#head]
    if (entry === undefined) return
    if (isData(entry.type)) return this.#emitData(entry.type, batch)
    this.#shift()
    if (entry.type === FRAME.control) this.#queuedControlBytes -= entry.bytes.length
    batch.add(entry.type, this.id, entry.bytes)
    if (entry.type === FRAME.close && this.#closeCause) this.#owner.ended(this, this.#closeCause, false)
  }

  /** Moves due credit into `batch`. */
  emitCredit(batch: FrameBatch): void {
    if (this.state === 'closed' || this.#unreturned <= 0) return
    this.#returns += 1
    if (this.#returns % RETURNS_PER_GROWTH === 0) this.#grow(BULK_WINDOW_BYTES)
    batch.addUint32(FRAME.credit, this.id, this.#unreturned)
    this.#receiveCredit += this.#unreturned
    this.#unreturned = 0
  }

  /** Accounts for received data. Returns the rule it broke, if any; otherwise the caller passes the bytes on. */
  received(count: number): string | undefined {
    if (this.#peerEof) return `data after eof on stream ${this.id}`
    if (count > this.#receiveCredit) return `stream ${this.id} exceeds its credit`
    this.#receiveCredit -= count
    this.#unconsumed += count
    // There is no reader any more, but the peer may need credit before it reads what is still queued here.
    if (this.state !== 'open') this.consumed(this.#unconsumed)
    return undefined
  }

  receivedEof(): string | undefined {
    if (this.#peerEof) return `eof twice on stream ${this.id}`
    this.#peerEof = true
    return undefined
  }

  receivedCredit(count: number): string | undefined {
    this.#sendCredit += count
    if (this.#sendCredit > 0xffff_ffff) return `credit of stream ${this.id} exceeds 32 bits`
    this.#blockedTold = false
    this.#owner.schedule(this)
    return undefined
  }

  /** The peer is out of credit. If this side's reader is keeping up, the window is too small for the path. */
  receivedBlocked(): void {
    if (this.#grow(this.#owner.options.windowMaxBytes) > 0) this.#owner.creditDue(this)
  }

  /** Doubles the window up to `maxBytes` where the reader keeps up. @returns how many bytes it has grown by */
  #grow(maxBytes: number): number {
    if (this.#unconsumed > this.#window / 2) return 0
    const wanted = Math.min(this.#window, maxBytes - this.#window, this.#owner.options.windowMaxBytes - this.#window)
    if (wanted <= 0) return 0
    const granted = this.#owner.takeGrowth(wanted)
    this.grownBytes += granted
    this.#window += granted
    this.#unreturned += granted
    return granted
  }

  /** Ends the stream and discards everything queued. */
  release(cause: LinkCause): void {
    this.state = 'closed'
    this.endCause = cause
    this.#queue = []
    this.#head = 0
    this.#overtaking = []
    this.#queuedControlBytes = 0
    this.queuedBytes = 0
  }

  /** Sends one frame from the head of the queue on one lane, limited by frame size and credit. */
  #emitData(type: FrameType, batch: FrameBatch): void {
    const room = Math.min(this.#owner.frameBytes, this.#sendCredit)
    let count = 0
    for (let at = this.#head; count < room && this.#queue[at]?.type === type; at += 1) {
      count += this.#queue[at]?.bytes.length ?? 0
    }
    count = Math.min(count, room)
    if (count > 0) {
      batch.begin(type, this.id, count)
      this.#sendCredit -= count
      this.queuedBytes -= count
      this.#sentSinceDrain += count
      this.#takeData(count, batch)
    }
    if (this.#sendCredit === 0 && this.queuedBytes > 0 && !this.#blockedTold) {
      this.#blockedTold = true
      batch.add(FRAME.blocked, this.id, NOTHING)
    }
  }

  #takeData(count: number, batch: FrameBatch): void {
    let left = count
    while (left > 0) {
      const entry = this.#queue[this.#head]
      if (entry === undefined) return
      const { bytes } = entry
      if (bytes.length <= left) {
        this.#shift()
        batch.append(bytes)
        if (entry.done) batch.whenSent(entry.done)
        left -= bytes.length
      } else {
        batch.append(bytes.subarray(0, left))
        entry.bytes = bytes.subarray(left)
        entry.room = undefined
        left = 0
      }
    }
  }

  /** Merges into the last entry when both are small: many tiny writes cost neither many frames nor much memory. */
  #enqueueData(type: FrameType, bytes: Uint8Array, done: (() => void) | undefined): void {
    const last = this.#queue.at(-1)
    const length = last === undefined ? 0 : last.bytes.length
    if (last?.type !== type || bytes.length > MERGE_BYTES || length + bytes.length > MERGED_BYTES) {
      this.#queue.push({ type, bytes, room: undefined, done })
      return
    }
    if (last.room === undefined) {
      last.room = Buffer.allocUnsafeSlow(MERGED_BYTES)
      last.room.set(last.bytes)
      last.done?.()
      last.done = undefined
    }
    last.room.set(bytes, length)
    last.bytes = last.room.subarray(0, length + bytes.length)
    done?.()
  }

  #enqueue(type: FrameType, bytes: Uint8Array): void {
    this.#queue.push({ type, bytes, room: undefined, done: undefined })
    this.#owner.schedule(this)
  }

  #shift(): void {
    this.#head += 1
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    } else if (this.#head === 1_024) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
  }

  #overflow(what: string): false {
    this.close(this.#own('overflow', `more ${what} were queued than the limit allows`), 'drop')
    return false
  }

  #own(reason: string, message: string): LinkCause {
    return { by: this.#owner.side, reason, message }
  }
}

function isData(type: FrameType): boolean {
  return type === FRAME.data || type === FRAME.dataErr
}
