// Our side of a channel's flow control (RFC 4254 section 5.2), counted exactly: granted, received and consumed bytes.
// Grows for sustained transfers out of a budget shared by the connection.
import { protocolFault } from '../fault.ts'

/** Largest data part we accept in one message; sent to the client as `maximum packet size`. */
export const MAX_DATA_BYTES = 32 * 1024

/** A transfer that fills the window in less than this gets a larger one. */
const BUSY_MS = 1_000

/** Granted at a time, and in total, beyond the size of a window: see {@link ReceiveWindow.advance}. */
const ADVANCE_BYTES = 128 * 1024
const MAX_ADVANCED_BYTES = 2 * 1024 * 1024

/** Bytes by which the windows of one connection may grow in total. */
export class GrowthBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** @returns how much of `wanted` is granted */
  take(wanted: number): number {
    const granted = Math.min(wanted, this.#left)
    this.#left -= granted
    return granted
  }

  release(bytes: number): void {
    this.#left += bytes
  }
}

export class ReceiveWindow {
  readonly #startBytes: number
  readonly #maxBytes: number
  readonly #budget: GrowthBudget
  readonly #now: () => number
  #size: number
  /** Bytes the client may still send. */
  #open: number
  /** Bytes received and not yet consumed. */
  heldBytes = 0
  /** Consumed and not yet granted again. */
  #credit = 0
  /** Granted in advance; the next consumed bytes repay it. */
  #advanced = 0
  #measuredBytes = 0
  #measuredSince: number

  constructor(startBytes: number, maxBytes: number, budget: GrowthBudget, now: () => number) {
    this.#startBytes = startBytes
    this.#maxBytes = maxBytes
    this.#budget = budget
    this.#now = now
    this.#size = startBytes
    this.#open = startBytes
    this.#measuredSince = now()
  }

  /**
   * Counts a data message.
   * @throws {Fault} `window-overrun` or `data-too-large`: the client sent more than it was granted
   */
  received(bytes: number): void {
    if (bytes > MAX_DATA_BYTES) throw protocolFault('data-too-large', 'A data message exceeds the packet size.')
    if (bytes > this.#open) throw protocolFault('window-overrun', 'More data arrived than the window allows.')
    this.#open -= bytes
    this.heldBytes += bytes
  }

  /**
   * Counts bytes as consumed; more than are held counts as all of them.
   * @returns bytes to grant with a WINDOW_ADJUST now, 0 for none
   */
  consumed(bytes: number): number {
    const counted = Math.min(bytes, this.heldBytes)
    this.heldBytes -= counted
    const repaid = Math.min(counted, this.#advanced)
    this.#advanced -= repaid
    this.#credit += counted - repaid
    this.#measuredBytes += counted
    if (this.#credit < this.#size / 4) return 0
    this.#grow()
    const granted = this.#credit
    this.#credit = 0
    this.#open += granted
    return granted
  }

  /**
   * Grants bytes that are not consumed yet, for a peer that takes no output. Some clients (libssh's) do not process output
   * while they wait to write: when both directions are full, neither end would ever move again.
   * @returns bytes to grant with a WINDOW_ADJUST now; 0 while the peer may still send a full packet, and above the limit
   */
  advance(): number {
    if (this.#open >= MAX_DATA_BYTES) return 0
    const advanced = Math.min(ADVANCE_BYTES, MAX_ADVANCED_BYTES - this.#advanced)
    this.#advanced += advanced
    const granted = advanced + this.#credit
    this.#credit = 0
    this.#open += granted
    return granted
  }

  /** Returns the growth to the budget when the channel has closed. */
  release(): void {
    this.#budget.release(this.#size - this.#startBytes)
    this.#size = this.#startBytes
  }

  #grow(): void {
    if (this.#measuredBytes < this.#size || this.#size >= this.#maxBytes) return
    const now = this.#now()
    const busy = now - this.#measuredSince < BUSY_MS
    this.#measuredSince = now
    this.#measuredBytes = 0
    if (!busy) return
    const more = this.#budget.take(Math.min(this.#size, this.#maxBytes - this.#size))
    this.#size += more
    this.#credit += more
  }
}
