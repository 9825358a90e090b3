// Tickets for web terminals: made by an authenticated call, taken once by the WebSocket that follows. They live in this
// process's memory, for seconds.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { Clock } from '../platform/clock.ts'

/** What a ticket opens. */
export interface TicketTarget {
  readonly tenant: TenantId
  readonly device: DeviceUid
  /** Account on the device. */
  readonly username: string
  /** Who has asked for it. */
  readonly person: UserId | undefined
  /** What existing clients have sent along; the others show their credential on the WebSocket itself. */
  readonly credential?: { readonly password: string } | { readonly fingerprint: string }
}

export interface Tickets {
  /** @throws {BowlineError} TOO_MANY_REQUESTS when too many wait to be taken */
  issue(target: TicketTarget): string
  /** What a ticket opens, once; undefined when it is unknown, taken or too old. */
  take(ticket: string): TicketTarget | undefined
}

const MAX_WAITING = 10_000

export function createTickets(clock: Clock): Tickets {
  const waiting = new Map<string, { target: TicketTarget; expire: () => void }>()
  const take = (key: string): TicketTarget | undefined => {
    const found = waiting.get(key)
    waiting.delete(key)
    found?.expire()
    return found?.target
  }
  return {
    issue(target) {
      if (waiting.size >= MAX_WAITING) fail('TOO_MANY_REQUESTS', { seconds: TERMINAL.ticketSeconds })
      const ticket = randomBytes(32).toString('base64url')
      const key = keyOf(ticket)
      waiting.set(key, { target, expire: clock.after(TERMINAL.ticketSeconds * 1_000, () => void take(key)) })
      return ticket
    },
    take: (ticket) => take(keyOf(ticket)),
  }
}

/** The map is searched by hash: how long a search takes tells nothing about tickets. */
function keyOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64')
}
