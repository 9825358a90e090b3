// The order in which streams send: streams with little queued go first, the rest round robin, one frame each. More than
// 1 KiB queued counts as bulk, so a flood of small writes cannot starve the others.

/** A stream as the scheduler sees it. */
export interface Sender {
  /** Set by the schedule. */
  next: Sender | undefined
  listed: boolean
  /** Bytes of everything queued, control messages included. */
  readonly backlogBytes: number
  /** Whether a frame could be sent now: something is queued, and there is credit for it if it is data. */
  readonly sendable: boolean
}

const SMALL_BYTES = 1_024

export class Schedule<S extends Sender> {
  readonly #small = new Fifo<S>()
  readonly #bulk = new Fifo<S>()

  /** Queues the stream unless it is queued already. */
  add(stream: S): void {
    if (stream.listed) return
    stream.listed = true
    this.#fifo(stream).push(stream)
  }

  /** Removes and returns the stream that sends next. */
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

/** A FIFO queue, linked through the streams themselves. */
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
