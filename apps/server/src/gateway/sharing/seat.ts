// The place of one guest in a terminal.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { SessionCause } from '../../sessions/service.ts'
import type { Guest, GuestLine } from './guest.ts'

/** Bytes typed by one guest that the device has not taken yet. */
const MAX_UNDER_WAY = 16 * 1024
/** Pieces of input that wait behind these: the window bounds their bytes, and this their number. */
const MAX_PIECES = 4_096

export class Seat {
  readonly id: string
  readonly guest: Guest
  readonly line: GuestLine
  /** `judged`: nobody has been told yet; `admitted`: the owner has consented, and it is being written down. */
  state: 'judged' | 'asking' | 'admitted' | 'joined' | 'over' = 'judged'
  /** End of the request, monotonic clock. */
  until = 0
  /** When others were told that the guest types, monotonic clock. */
  toldAt = -Infinity
  typedBytes = 0
  /** Cancels the expiry of the request. */
  expire = (): void => undefined
  /** Unregisters it from policy reviews. */
  forget = (): void => undefined
  /** Output from the owner's consent on, until the guest is in. */
  readonly #kept: Buffer[] = []
  #keptBytes = 0

  constructor(id: string, guest: Guest, line: GuestLine) {
    this.id = id
    this.guest = guest
    this.line = line
  }

  /** Typed, and not passed on yet; and bytes that the device has not taken. */
  readonly #typed: Uint8Array[] = []
  #underWay = 0

  /** The device has taken some of what the guest has typed. */
  readonly consumed = (count: number): void => {
    this.#underWay -= count
    if (this.state === 'joined') this.line.consumed(count)
  }

  /** Keeps typed bytes for {@link nextInput}. @returns false when they have become too many pieces */
  type(bytes: Uint8Array): boolean {
    this.typedBytes += bytes.length
    this.#typed.push(bytes)
    return this.#typed.length <= MAX_PIECES
  }

  /** What may be passed on now: the keys of the others do not wait behind all that one pastes. */
  nextInput(): Uint8Array | undefined {
    const [first] = this.#typed
    const room = MAX_UNDER_WAY - this.#underWay
    if (!first || room <= 0) return undefined
    const bytes = first.subarray(0, room)
    if (bytes.length === first.length) this.#typed.shift()
    else this.#typed[0] = first.subarray(room)
    this.#underWay += bytes.length
    return bytes
  }

  /** @param bytes copied @returns false when too much waits to be read */
  output(bytes: Uint8Array): boolean {
    if (this.state === 'joined') return this.line.output(bytes)
    if (this.state !== 'admitted') return true
    this.#keptBytes += bytes.length
    if (this.#keptBytes > TERMINAL.guestBacklogBytes) return false
    this.#kept.push(Buffer.from(bytes))
    return true
  }

  /** Sends what was kept. @returns false when too much waits to be read */
  flush(): boolean {
    return this.#kept.splice(0).every((bytes) => this.line.output(bytes))
  }

  close(cause: SessionCause): void {
    this.state = 'over'
    this.expire()
    this.forget()
    this.#kept.length = 0
    this.#typed.length = 0
    this.line.end(cause)
  }
}
