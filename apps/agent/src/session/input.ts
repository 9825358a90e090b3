// What a person sends, on its way into a process. Neither kind ever waits inside a call: one process that does not read
// must not hold up the agent.
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { LinkClock } from '@bowline/link/clock'

/** The writing side of a process. All methods do nothing useful, and no harm, after `close`. */
export interface ProcessInput {
  /** @param written called once, when the process has the bytes or never will */
  write(bytes: Uint8Array, written: () => void): void
  /** No more input follows. */
  end(): void
  /** Gives up what is queued. */
  close(): void
}

/** @param fd writing end of a pipe; belongs to the input from here on */
export function pipeInput(fd: number): ProcessInput {
  const socket = new Socket({ fd, readable: false, writable: true })
  // A process that closes its input is not an error; the writes' callbacks come all the same.
  socket.on('error', () => {})
  return {
    write: (bytes, written) => (socket.writable ? void socket.write(bytes, written) : written()),
    end: () => void socket.end(),
    close: () => void socket.destroy(),
  }
}

/** How long to wait before offering again what a terminal did not take, milliseconds; doubles from first to last. */
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 64

/** Node's own writes to a terminal block. These are offered, and offered again. */
export class TerminalInput implements ProcessInput {
  readonly #fd: number
  readonly #isOpen: () => boolean
  readonly #clock: LinkClock
  readonly #queue: { readonly bytes: Uint8Array; readonly written: () => void }[] = []
  /** Of the first piece, bytes already taken. */
  #offset = 0
  #retryMs = FIRST_RETRY_MS
  #waiting = false
  #cancelTimer: () => void = () => {}

  /**
   * @param fd master side, non-blocking; belongs to somebody else
   * @param isOpen whether `fd` is still that terminal
   */
  constructor(fd: number, isOpen: () => boolean, clock: LinkClock) {
    this.#fd = fd
    this.#isOpen = isOpen
    this.#clock = clock
  }

  write(bytes: Uint8Array, written: () => void): void {
    this.#queue.push({ bytes, written })
    if (!this.#waiting) this.#offer()
  }

  /** A terminal has no end of input; who wants one types it. */
  end(): void {}

  close(): void {
    this.#cancelTimer()
    this.#waiting = false
    for (const { written } of this.#queue.splice(0)) written()
  }

  #offer(): void {
    this.#waiting = false
    for (let piece = this.#queue[0]; piece; piece = this.#queue[0]) {
      const taken = this.#take(piece.bytes.subarray(this.#offset))
      if (taken === 0 && piece.bytes.length > 0) return this.#later()
      this.#retryMs = FIRST_RETRY_MS
      this.#offset += taken
      if (this.#offset < piece.bytes.length) continue
      this.#offset = 0
      this.#queue.shift()
      piece.written()
    }
  }

  /** Bytes that the terminal took; all of them when it is gone. */
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
    this.#cancelTimer = this.#clock.after(this.#retryMs, () => this.#offer())
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }
}
