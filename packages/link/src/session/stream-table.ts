// The streams of a link by id. Ids of one side share a parity, only grow, and are never used twice, so an id tells
// whether a stream is running, has ended (late frames are normal) or never existed (the peer is broken).
import type { Side } from '../wire/cause.ts'
import type { Stream } from './stream.ts'

const LAST_ID = 0xffff_fffd

export class StreamTable {
  readonly #streams = new Map<number, Stream>()
  #nextId: number
  #lastPeerId = 0

  /** @param side the gateway opens even ids, the agent odd ones */
  constructor(side: Side) {
    this.#nextId = side === 'gateway' ? 2 : 1
  }

  get size(): number {
    return this.#streams.size
  }

  get(id: number): Stream | undefined {
    return this.#streams.get(id)
  }

  values(): Iterable<Stream> {
    return this.#streams.values()
  }

  add(stream: Stream): void {
    this.#streams.set(stream.id, stream)
  }

  delete(stream: Stream): void {
    this.#streams.delete(stream.id)
  }

  /** The id of this side's next stream, or undefined when all four-byte ids are used up. */
  nextId(): number | undefined {
    if (this.#nextId > LAST_ID) return undefined
    this.#nextId += 2
    return this.#nextId - 2
  }

  /** Records an id that the peer opens; false when the peer may not open that id. */
  peerOpens(id: number): boolean {
    if (this.#own(id) || id <= this.#lastPeerId) return false
    this.#lastPeerId = id
    return true
  }

  /** Whether either side ever opened a stream with this id. */
  existed(id: number): boolean {
    return this.#own(id) ? id < this.#nextId : id <= this.#lastPeerId
  }

  #own(id: number): boolean {
    return id % 2 === this.#nextId % 2
  }
}
