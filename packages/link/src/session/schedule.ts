// Which stream sends next. Streams with little to say go first, the others take turns, one frame each; what has more
// than 1 KiB queued is bulk, so a flood of small writes cannot keep the line for itself.

/** A stream as the order of sending sees it. */
export interface Sender {
  /** Set by the schedule. */
  next: Sender | undefined
  listed: boolean
  /** Bytes of everything queued, control messages included. */
  readonly backlogBytes: number
  /** Whether a frame could be sent now: something is queued, and credit for it if it is data. */
  readonly sendable: boolean
}

const SMALL_BYTES = 1_024

export class Schedule<S extends Sender> {
  readonly #small = new Fifo<S>()
  readonly #bulk = new Fifo<S>()

  /** Lists the stream unless it is listed already. */
  add(stream: S): void {
    if (stream.listed) return
    stream.listed = true
    this.#fifo(stream).push(stream)
  }

  /** Takes out the stream whose turn it is. */
  take(): S | undefined {
    for (let stream = this.#small.shift(); stream !== undefined; stream = this.#small.shift()) {
      if (stream.backlogBytes <= SMALL_BYTES) {
        stream.listed = false
        return stream
      }
      this.#bulk.push(stream)
    }
    const stream = this.#bulk.shift()
    if (stream !== undefined) stream.listed = false
    return stream
  }

  #fifo(stream: S): Fifo<S> {
    return stream.backlogBytes <= SMALL_BYTES ? this.#small : this.#bulk
  }
}

/** First in, first out, linked through the streams themselves. */
class Fifo<S extends Sender> {
  #first: S | undefined
  #last: S | undefined

  push(stream: S): void {
    if (this.#last === undefined) this.#first = stream
    else this.#last.next = stream
    this.#last = stream
  }

  shift(): S | undefined {
    const stream = this.#first
    if (stream === undefined) return undefined
    this.#first = stream.next as S | undefined
    if (this.#first === undefined) this.#last = undefined
    stream.next = undefined
    return stream
  }
}
