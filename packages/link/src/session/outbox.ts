// The link's own frames, sent ahead of all streams: opens, refusals and closes in order, one pong, one ping, and
// credit. Held as state, not as bytes, so a peer that never reads cannot make it grow (pongs and credit merge).
import { FRAME, type FrameBatch, type FrameType } from '../wire/frame.ts'

/** A stream with credit to return. */
export interface Creditor {
  emitCredit(batch: FrameBatch): void
}

export class Outbox {
  #frames: { type: FrameType; stream: number; payload: Uint8Array }[] = []
  #pong: number | undefined
  #ping: number | undefined
  readonly #creditors = new Set<Creditor>()

  /** Number of pending frames. */
  get length(): number {
    return this.#frames.length
  }

  add(type: FrameType, stream: number, payload: Uint8Array): void {
    this.#frames.push({ type, stream, payload })
  }

  /** Queues the answer to the peer's ping `number`, replacing an older unanswered one. */
  pong(number: number): void {
    this.#pong = number
  }

  ping(number: number): void {
    this.#ping = number
  }

  creditDue(stream: Creditor): void {
    this.#creditors.add(stream)
  }

  forget(stream: Creditor): void {
    this.#creditors.delete(stream)
  }

  clear(): void {
    this.#frames = []
    this.#creditors.clear()
  }

  /** Moves everything into `batch`. */
  emit(batch: FrameBatch): void {
    if (this.#frames.length > 0) {
      for (const { type, stream, payload } of this.#frames) batch.add(type, stream, payload)
      this.#frames = []
    }
    if (this.#pong !== undefined) batch.addUint32(FRAME.pong, 0, this.#pong)
    if (this.#ping !== undefined) batch.addUint32(FRAME.ping, 0, this.#ping)
    this.#pong = undefined
    this.#ping = undefined
    // Usually empty; avoids allocating an iterator per message just to find that out.
    if (this.#creditors.size === 0) return
    for (const stream of this.#creditors) stream.emitCredit(batch)
    this.#creditors.clear()
  }
}
