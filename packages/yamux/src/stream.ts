// One stream of a yamux session as a Node stream, with the windows of both directions.
import { Duplex } from 'node:stream'
import { FLAG, FRAME, type FrameHeader } from './frame.ts'

/** Window of each direction at the start, in bytes. The peer is given no more than this unread. */
export const WINDOW_BYTES = 256 * 1024
const MAX_WINDOW = 0xffff_ffff
/** Longest payload of a frame of ours. */
const MAX_PAYLOAD_BYTES = 64 * 1024

/** The session of a stream, as the stream sees it. */
export interface StreamSession {
  /** False while the connection takes no more. */
  readonly writable: boolean
  send(header: FrameHeader, payload?: Uint8Array): void
  /** Nothing more is sent or expected. */
  remove(id: number): void
}

export class YamuxStream extends Duplex {
  readonly id: number
  readonly #session: StreamSession
  #sendWindow = WINDOW_BYTES
  /** Bytes that the peer may still send. */
  #receiveWindow = WINDOW_BYTES
  #unsent: { rest: Uint8Array; readonly done: () => void } | undefined
  #finSent = false
  #finReceived = false
  /** Payload that still comes before the end; 0: none is under way. */
  #endsAfter = 0
  #isOver = false

  constructor(id: number, session: StreamSession) {
    super({ highWaterMark: 64 * 1024 })
    this.id = id
    this.#session = session
    // Whoever holds the stream learns of its end by `close`.
    this.on('error', () => undefined)
  }

  /** True once this side has sent its end. */
  get finSent(): boolean {
    return this.#finSent
  }

  /** A frame of the peer. @returns the rule that it breaks */
  receive({ type, flags, length }: FrameHeader): string | undefined {
    if (type === FRAME.windowUpdate) {
      this.#sendWindow += length
      if (this.#sendWindow > MAX_WINDOW) return 'a window above 2^32 - 1'
      this.pump()
    } else if (length > this.#receiveWindow) return 'more than the window allows'
    else if (length > 0 && this.#finReceived) return 'bytes after the end'
    else this.#receiveWindow -= length
    if ((flags & FLAG.rst) !== 0) this.#reset()
    else if ((flags & FLAG.fin) !== 0) {
      // The frame's own payload follows it.
      if (type === FRAME.data && length > 0) this.#endsAfter = length
      else this.#ended()
    }
    return undefined
  }

  payload(piece: Uint8Array): void {
    if (!this.destroyed && !this.#finReceived) this.push(Uint8Array.from(piece))
    if (this.#endsAfter === 0) return
    this.#endsAfter -= piece.length
    if (this.#endsAfter === 0) this.#ended()
  }

  /** Sends what the window and the connection allow. */
  pump(): void {
    while (this.#unsent && this.#sendWindow > 0 && this.#session.writable && !this.destroyed) {
      const { rest, done } = this.#unsent
      const part = rest.subarray(0, Math.min(rest.length, this.#sendWindow, MAX_PAYLOAD_BYTES))
      this.#sendWindow -= part.length
      this.#session.send({ type: FRAME.data, flags: 0, stream: this.id, length: part.length }, part)
      this.#unsent = part.length === rest.length ? undefined : { rest: rest.subarray(part.length), done }
      if (!this.#unsent) done()
    }
  }

  /** The session has ended. */
  abort(error: Error): void {
    this.#isOver = true
    this.destroy(error)
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#unsent = { rest: chunk, done }
    this.pump()
  }

  override _final(done: (error?: Error) => void): void {
    this.#finSent = true
    if (!this.#isOver) this.#session.send({ type: FRAME.windowUpdate, flags: FLAG.fin, stream: this.id, length: 0 })
    this.#checkOver()
    done()
  }

  /** Credit goes back as the bytes are read. */
  override _read(): void {
    const granted = WINDOW_BYTES - this.#receiveWindow - this.readableLength
    if (granted < WINDOW_BYTES / 2 || this.#finReceived || this.#isOver) return
    this.#receiveWindow += granted
    this.#session.send({ type: FRAME.windowUpdate, flags: 0, stream: this.id, length: granted })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#unsent = undefined
    if (!this.#isOver) {
      this.#isOver = true
      this.#session.send({ type: FRAME.windowUpdate, flags: FLAG.rst, stream: this.id, length: 0 })
      this.#session.remove(this.id)
    }
    done(error)
  }

  #ended(): void {
    if (this.#finReceived) return
    this.#finReceived = true
    this.push(null)
    this.#checkOver()
  }

  #reset(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#session.remove(this.id)
    this.destroy(new Error('the peer has reset the stream'))
  }

  #checkOver(): void {
    if (!this.#finSent || !this.#finReceived || this.#isOver) return
    this.#isOver = true
    this.#session.remove(this.id)
  }
}
