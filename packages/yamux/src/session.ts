// A yamux session: many streams over one connection. It knows no socket: its owner passes bytes both ways.
import { FLAG, FRAME, FrameDecoder, type FrameHeader, encodeHeader } from './frame.ts'
import { type StreamSession, YamuxStream } from './stream.ts'

export interface SessionOptions {
  /** A client opens streams with odd ids, a server with even ones. */
  readonly role: 'client' | 'server'
  /** Streams of both sides that may be open at once. */
  readonly maxStreams: number
  /**
   * Sends the parts in order; their memory may be reused when it returns.
   * @returns false when the connection takes no more until {@link YamuxSession.drained}
   */
  send(parts: readonly Uint8Array[]): boolean
  /** The peer has opened a stream. Absent: the session ends, because it may not. */
  accept?(stream: YamuxStream): void
  /** The peer has answered a ping. */
  answered?(value: number): void
  /** The peer has broken a rule, in words for a log: the connection must be closed. */
  fault(message: string): void
}

const ENDED = 'the session has ended'

export class YamuxSession {
  readonly #options: SessionOptions
  readonly #streams = new Map<number, YamuxStream>()
  readonly #decoder: FrameDecoder
  readonly #streamSession: StreamSession
  #nextId: number
  #lastPeerId = 0
  #turn = 0
  #writable = true
  #isEnded = false
  #isGoing = false
  /** Value of a ping whose answer waits for the connection: a peer that does not read gets one answer. */
  #owedPong: number | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#nextId = options.role === 'client' ? 1 : 2
    this.#decoder = new FrameDecoder({
      frame: (header) => this.#frame(header),
      payload: (id, piece) => this.#streams.get(id)?.payload(piece),
    })
    const isWritable = (): boolean => this.#writable && !this.#isEnded
    this.#streamSession = {
      get writable() {
        return isWritable()
      },
      send: (header, payload) => this.#send(header, payload),
      remove: (id) => this.#streams.delete(id),
    }
  }

  get streamCount(): number {
    return this.#streams.size
  }

  /** Opens a stream; bytes may be written at once. @throws {Error} when none can be opened */
  open(): YamuxStream {
    if (this.#isEnded || this.#isGoing) throw new Error(ENDED)
    if (this.#streams.size >= this.#options.maxStreams) throw new Error('too many streams are open')
    const id = this.#nextId
    if (id > 0xffff_ffff) throw new Error('the session has used all ids')
    this.#nextId += 2
    const stream = new YamuxStream(id, this.#streamSession)
    this.#streams.set(id, stream)
    this.#send({ type: FRAME.windowUpdate, flags: FLAG.syn, stream: id, length: 0 })
    return stream
  }

  /** @param value 0 to 2^32 - 1, told to `answered` */
  ping(value: number): void {
    this.#send({ type: FRAME.ping, flags: FLAG.syn, stream: 0, length: value })
  }

  /** Bytes of the peer; only read during the call. */
  receive(chunk: Uint8Array): void {
    if (this.#isEnded) return
    const fault = this.#decoder.push(chunk)
    if (fault === undefined || this.#isEnded) return
    this.end(`the peer sent ${fault}`)
    this.#options.fault(fault)
  }

  /** The connection takes bytes again. */
  drained(): void {
    this.#writable = true
    const owed = this.#owedPong
    this.#owedPong = undefined
    if (owed !== undefined) this.#pong(owed)
    const streams = [...this.#streams.values()]
    this.#turn += 1
    for (let index = 0; index < streams.length; index += 1) streams[(index + this.#turn) % streams.length]?.pump()
  }

  /** Ends every stream; nothing is sent any more. */
  end(why = ENDED): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const stream of this.#streams.values()) stream.abort(new Error(why))
    this.#streams.clear()
  }

  #frame(header: FrameHeader): string | undefined {
    if (header.type === FRAME.ping) return this.#ping(header)
    if (header.type === FRAME.goAway) {
      this.#isGoing = true
      return undefined
    }
    if ((header.flags & FLAG.syn) !== 0) {
      const refusal = this.#accept(header)
      if (refusal !== undefined) return refusal
    }
    const stream = this.#streams.get(header.stream)
    // What was under way to a stream that has closed is dropped.
    if (!stream)
      return this.#wasOpen(header.stream) ? undefined : `a frame of stream ${header.stream}, which nobody has opened`
    return stream.receive(header)
  }

  #ping({ flags, length }: FrameHeader): undefined {
    if ((flags & FLAG.syn) !== 0) this.#pong(length)
    else if ((flags & FLAG.ack) !== 0) this.#options.answered?.(length)
  }

  #pong(value: number): void {
    if (this.#writable) this.#send({ type: FRAME.ping, flags: FLAG.ack, stream: 0, length: value })
    else this.#owedPong = value
  }

  #accept({ stream: id }: FrameHeader): string | undefined {
    const { maxStreams, role } = this.#options
    const parity = role === 'client' ? 0 : 1
    if (!this.#options.accept) return 'a stream of its own'
    if (id % 2 !== parity || id <= this.#lastPeerId) return `a stream with the id ${id}`
    this.#lastPeerId = id
    if (this.#streams.size >= maxStreams) {
      this.#send({ type: FRAME.windowUpdate, flags: FLAG.rst, stream: id, length: 0 })
      return undefined
    }
    const stream = new YamuxStream(id, this.#streamSession)
    this.#streams.set(id, stream)
    this.#send({ type: FRAME.windowUpdate, flags: FLAG.ack, stream: id, length: 0 })
    this.#options.accept(stream)
    return undefined
  }

  #wasOpen(id: number): boolean {
    const isOurs = id % 2 === (this.#options.role === 'client' ? 1 : 0)
    return id > 0 && (isOurs ? id < this.#nextId : id <= this.#lastPeerId)
  }

  #send(header: FrameHeader, payload?: Uint8Array): void {
    if (this.#isEnded) return
    const head = encodeHeader(header)
    if (!this.#options.send(payload ? [head, payload] : [head])) this.#writable = false
  }
}
