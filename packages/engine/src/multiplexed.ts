// Output of a process without a terminal: frames of stdout and stderr, each after a header of eight bytes. Bytes are
// passed on as they come, so that the announced size of a frame costs no memory.
import { EngineError } from './errors.ts'

/** 0: stdout; 1: stderr. */
export type OutputLane = 0 | 1

const HEADER_BYTES = 8
/** Stream numbers of the engine; stdin, which it echoes in no known version, counts as stdout. */
const LANES: Readonly<Record<number, OutputLane>> = { 0: 0, 1: 0, 2: 1 }

export class Demultiplexer {
  readonly #take: (bytes: Buffer, lane: OutputLane) => void
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerBytes = 0
  #lane: OutputLane = 0
  #left = 0

  /** @param take borrows the bytes */
  constructor(take: (bytes: Buffer, lane: OutputLane) => void) {
    this.#take = take
  }

  /** True between two frames: a stream may end here. */
  get isAtBoundary(): boolean {
    return this.#left === 0 && this.#headerBytes === 0
  }

  /** @throws {EngineError} when a header is none */
  push(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const count = Math.min(HEADER_BYTES - this.#headerBytes, rest.length)
        rest.copy(this.#header, this.#headerBytes, 0, count)
        this.#headerBytes += count
        rest = rest.subarray(count)
        if (this.#headerBytes === HEADER_BYTES) this.#begin()
        continue
      }
      const bytes = rest.subarray(0, this.#left)
      this.#left -= bytes.length
      rest = rest.subarray(bytes.length)
      this.#take(bytes, this.#lane)
    }
  }

  #begin(): void {
    this.#headerBytes = 0
    const lane = LANES[this.#header.readUInt8(0)]
    if (lane === undefined || this.#header.readUIntBE(1, 3) !== 0) {
      throw new EngineError('the engine mixes up the output of a process')
    }
    this.#lane = lane
    this.#left = this.#header.readUInt32BE(4)
  }
}
