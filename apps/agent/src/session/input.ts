// Input from the client to a process. Neither kind ever blocks: a process that does not read must not block the agent.
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Backoff } from '@bowline/base/backoff'
import { BlockPool } from '@bowline/base/bytes/block-pool'
import type { Clock } from '@bowline/base/clock'

/** The writing side of a process. All methods are harmless after `close`. */
export interface ProcessInput {
  /** @param bytes only valid during the call */
  write(bytes: Uint8Array): void
  /** No more input follows. */
  end(): void
  /** Discards what is queued. */
  close(): void
}

/** Called with the number of bytes the process has taken, or never will. */
export type Taken = (count: number) => void

/** Bytes of one event loop iteration are written at once, up to this. */
const blocks = new BlockPool(64 * 1024, 16)
/**
 * Less than this is copied once more: what waits for a slow reader must not hold much more memory than it has bytes.
 */
const MIN_BLOCK_BYTES = 16 * 1024

export class PipeInput implements ProcessInput {
  readonly #socket: Socket
  readonly #taken: Taken
  /** Bytes of this iteration so far. */
  #block: Buffer | undefined
  #length = 0

  /** @param fd writing end of a pipe; belongs to the input from here on */
  constructor(fd: number, taken: Taken) {
    this.#socket = new Socket({ fd, readable: false, writable: true })
    this.#taken = taken
    // A process that closes its input is not an error; the writes' callbacks run regardless.
    this.#socket.on('error', () => {})
  }

  write(bytes: Uint8Array): void {
    if (!this.#socket.writable) return this.#taken(bytes.length)
    for (let at = 0; at < bytes.length;) {
      if (!this.#block) {
        this.#block = blocks.take()
        setImmediate(() => this.#flush())
      }
      const part = bytes.subarray(at, at + this.#block.length - this.#length)
      this.#block.set(part, this.#length)
      this.#length += part.length
      at += part.length
      if (this.#length === this.#block.length) this.#flush()
    }
  }

  end(): void {
    this.#flush()
    this.#socket.end()
  }

  close(): void {
    this.#socket.destroy()
    this.#flush()
  }

  #flush(): void {
    const [block, length] = [this.#block, this.#length]
    if (!block) return
    this.#block = undefined
    this.#length = 0
    const piece = block.subarray(0, length)
    if (length >= MIN_BLOCK_BYTES) {
      this.#socket.write(piece, () => {
        blocks.release(block)
        this.#taken(length)
      })
      return
    }
    this.#socket.write(Uint8Array.from(piece), () => this.#taken(length))
    blocks.release(block)
  }
}

/** How long to wait before offering again what a terminal did not take, milliseconds; doubles from first to last. */
const RETRY = { baseMs: 1, capMs: 64, leastShare: 1 }

/** Node's own writes to a terminal block. These are non-blocking and retried. */
export class TerminalInput implements ProcessInput {
  readonly #fd: number
  readonly #isOpen: () => boolean
  readonly #clock: Clock
  readonly #taken: Taken
  readonly #queue: Uint8Array[] = []
  readonly #backoff = new Backoff(RETRY)
  #waiting = false
  #cancelTimer: () => void = () => {}

  /**
   * @param fd master side, non-blocking; owned by the caller
   * @param isOpen whether `fd` is still that terminal
   */
  constructor(fd: number, isOpen: () => boolean, clock: Clock, taken: Taken) {
    this.#fd = fd
    this.#isOpen = isOpen
    this.#clock = clock
    this.#taken = taken
  }

  write(bytes: Uint8Array): void {
    const taken = this.#waiting ? 0 : this.#take(bytes)
    this.#taken(taken)
    if (taken === bytes.length) return
    this.#queue.push(Uint8Array.from(bytes.subarray(taken)))
    if (!this.#waiting) this.#later()
  }

  /** A terminal has no end of input; clients type it. */
  end(): void {}

  close(): void {
    this.#cancelTimer()
    this.#waiting = false
    for (const bytes of this.#queue.splice(0)) this.#taken(bytes.length)
  }

  #offer(): void {
    this.#waiting = false
    for (let piece = this.#queue[0]; piece; piece = this.#queue[0]) {
      const taken = this.#take(piece)
      if (taken === 0) return this.#later()
      this.#backoff.reset()
      this.#taken(taken)
      if (taken < piece.length) this.#queue[0] = piece.subarray(taken)
      else this.#queue.shift()
    }
  }

  /** Number of bytes that the terminal took; all of them when it is gone. */
  #take(bytes: Uint8Array): number {
    if (!this.#isOpen()) return bytes.length
    try {
      return writeSync(this.#fd, bytes)
    } catch (error) {
      const full = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      return full ? 0 : bytes.length
    }
  }

  #later(): void {
    this.#waiting = true
    this.#cancelTimer = this.#clock.after(this.#backoff.next(), () => this.#offer())
  }
}
