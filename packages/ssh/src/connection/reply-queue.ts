// Replies in the order of their requests (RFC 4254 sections 4 and 5.4), whatever the order of the decisions.
import { limitFault } from '../fault.ts'

interface Slot {
  payload: Uint8Array | undefined
  settled: boolean
  readonly replied: (() => void) | undefined
}

/** Counts unanswered requests of a whole connection. */
export class PendingRequests {
  readonly #max: number
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** @throws {Fault} `pending-requests` */
  add(): void {
    this.#count += 1
    if (this.#count > this.#max) throw limitFault('pending-requests', 'Too many requests wait for an answer.')
  }

  remove(): void {
    this.#count -= 1
  }
}

export class ReplyQueue {
  readonly #pending: PendingRequests
  readonly #send: (payload: Uint8Array) => void
  readonly #slots: Slot[] = []

  constructor(pending: PendingRequests, send: (payload: Uint8Array) => void) {
    this.#pending = pending
    this.#send = send
  }

  /**
   * Queues the reply to a request, now or when it resolves; undefined sends nothing. A promise must not reject.
   * @param replied called once the reply has been sent in its turn
   * @throws {Fault} `pending-requests` when too many are open
   */
  push(answer: Uint8Array | undefined | Promise<Uint8Array | undefined>, replied?: () => void): void {
    if (!(answer instanceof Promise) && this.#slots.length === 0) {
      if (answer) this.#send(answer)
      replied?.()
      return
    }
    this.#pending.add()
    const later = answer instanceof Promise
    const slot: Slot = { payload: later ? undefined : answer, settled: !later, replied }
    this.#slots.push(slot)
    if (!later) return
    void answer.then((payload) => {
      slot.payload = payload
      slot.settled = true
      this.#flush()
    })
  }

  /** Sends no more replies: the requester has gone. */
  abandon(): void {
    for (const _slot of this.#slots.splice(0)) this.#pending.remove()
  }

  #flush(): void {
    for (let slot = this.#slots[0]; slot?.settled; slot = this.#slots[0]) {
      this.#slots.shift()
      this.#pending.remove()
      if (slot.payload) this.#send(slot.payload)
      slot.replied?.()
    }
  }
}
