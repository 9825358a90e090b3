// The place of one guest in a terminal.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { SessionCause } from '../../sessions/service.ts'
import type { Guest, GuestLine } from './guest.ts'

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

  /** Credit for input that the guest has typed. */
  readonly consumed = (count: number): void => {
    if (this.state === 'joined') this.line.consumed(count)
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
    this.line.end(cause)
  }
}
