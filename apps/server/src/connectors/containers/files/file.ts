// An open file of a container. Reading takes whole blocks and keeps what a client that reads on will ask for next;
// writing goes on where the last write ended, or to a place of its own.
import { MAX_DATA_BYTES, OPEN, STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'
import type { Answer } from './helper.ts'
import type { Place } from './helpers.ts'
import { ask, begin, outputOf } from './calls.ts'

const BLOCK_BYTES = 262_144
/** Blocks that are read ahead once a client reads in order. */
const AHEAD = 4
/** Largest file position that numbers are exact for. */
const MAX_POSITION = BigInt(Number.MAX_SAFE_INTEGER)

export class OpenFile {
  readonly place: Place
  readonly path: Buffer
  readonly #appends: boolean
  /** What was read: from a byte of the file on, and whether the file ended there. */
  #read: { readonly start: number; readonly bytes: Buffer; readonly isEnd: boolean } = NOTHING
  /** After the last byte that a client was given. */
  #given = 0
  /** Where the descriptor writes; undefined once that is not known any more. */
  #position: number | undefined = 0

  constructor(place: Place, path: Buffer, flags: number) {
    this.place = place
    this.path = path
    this.#appends = (flags & OPEN.append) !== 0
  }

  /**
   * @param length bytes; fewer come at the end of the file only
   * @returns nothing at its end
   * @throws {Refusal} and {EngineError}
   */
  async read(offset: bigint, length: number): Promise<Buffer> {
    const start = positionOf(offset)
    const end = start + Math.min(length, MAX_DATA_BYTES)
    // A client that reads something again wants to know what is there now.
    if (start < this.#given || start < this.#read.start) this.forget()
    if (end > this.#read.start + this.#read.bytes.length) await this.#fill(start, end)
    const from = start - this.#read.start
    const found = this.#read.bytes.subarray(Math.max(from, 0), Math.max(from, end - this.#read.start))
    this.#given = start + found.length
    return found
  }

  /** What was read ahead may have changed. */
  forget(): void {
    this.#read = NOTHING
    this.#given = 0
  }

  async #fill(start: number, end: number): Promise<void> {
    const { place, path } = this
    const known = this.#read
    const knownEnd = known.start + known.bytes.length
    const goesOn = start === this.#given && start > 0
    const keeps = !known.isEnd && start >= known.start && start < knownEnd
    const from = keeps ? knownEnd : start - (start % BLOCK_BYTES)
    const blocks = Math.ceil((end - from) / BLOCK_BYTES) + (goesOn ? AHEAD : 0)
    const words = [place.fd, path, BLOCK_BYTES, from / BLOCK_BYTES, blocks]
    const more = await ask(place.helper, 'get', words, { maxBytes: blocks * BLOCK_BYTES })
    const first = start - (start % BLOCK_BYTES)
    const bytes = keeps ? Buffer.concat([known.bytes.subarray(Math.max(first - known.start, 0)), more]) : more
    const isEnd = more.length < blocks * BLOCK_BYTES
    this.#read = { start: keeps ? Math.max(first, known.start) : from, bytes, isEnd }
  }

  /**
   * Writes are done in the order in which this is called.
   * @throws {Refusal} and {EngineError}
   */
  write(offset: bigint, data: Buffer): Promise<void> {
    const { fd, helper } = this.place
    const start = positionOf(offset)
    if (data.length === 0) return Promise.resolve()
    this.forget()
    const position = this.#appends ? start : this.#position
    if (position === undefined || start < position) {
      const block = largestBlock(start)
      const words = [fd, this.path, data.length, block, start / block]
      return begin(helper, 'put_at', words, { data, isDirect: true }).then(checked)
    }
    this.#position = start + data.length
    return begin(helper, 'put', [fd, data.length, start - position], { data, isDirect: true }).then((answer) => {
      if (answer.status !== 0) this.#position = undefined
      checked(answer)
    })
  }
}

const NOTHING = { start: 0, bytes: Buffer.alloc(0), isEnd: false }

function checked(answer: Answer): void {
  outputOf(answer)
}

/** dd counts positions in blocks: the largest one that a position is a multiple of. */
function largestBlock(position: number): number {
  let block = BLOCK_BYTES
  while (position % block !== 0) block /= 2
  return block
}

/** @throws {Refusal} */
export function positionOf(offset: bigint): number {
  if (offset > MAX_POSITION) throw new Refusal(STATUS.badMessage)
  return Number(offset)
}
