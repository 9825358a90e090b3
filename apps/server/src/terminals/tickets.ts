// Tickets for web terminals: made by a call, taken once by the WebSocket that follows. They live in this process's
// memory, for seconds.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { Clock } from '@bowline/base/clock'

/** What a member's ticket opens; the credential follows on the WebSocket. */
export interface TicketTarget {
  readonly tenant: TenantId
  readonly device: DeviceUid
  /** Account on the device. */
  readonly username: string
  /** Who has asked for it. */
  readonly person: UserId | undefined
}

/**
 * What the ticket of an existing client opens. Whoever asked for it is a stranger: nothing was looked up, and the device
 * may not exist.
 */
export interface LegacyTarget {
  readonly device: DeviceUid
  readonly username: string
  readonly credential: LegacyCredential
}

export type LegacyCredential =
  | { readonly password: string }
  /** `signature`: base64, over the user name; absent when the browser waits to be asked for one. */
  | { readonly fingerprint: string; readonly signature?: string | undefined }

export interface Tickets<Target> {
  /**
   * @param source who asks, as the limits know it
   * @throws {BowlineError} TOO_MANY_REQUESTS when too many wait to be taken
   */
  issue(target: Target, source: string): string
  /** What a ticket opens, once; undefined when it is unknown, taken or too old. */
  take(ticket: string): Target | undefined
}

export interface TicketLimits {
  /** Most tickets that wait to be taken. */
  readonly total: number
  readonly perSource: number
}

export function createTickets<Target>(clock: Clock, limits: TicketLimits): Tickets<Target> {
  const waiting = new Map<string, { target: Target; source: string; expire: () => void }>()
  const counts = new Map<string, number>()
  const take = (key: string): Target | undefined => {
    const found = waiting.get(key)
    if (!found) return undefined
    waiting.delete(key)
    const left = (counts.get(found.source) ?? 1) - 1
    if (left > 0) counts.set(found.source, left)
    else counts.delete(found.source)
    found.expire()
    return found.target
  }
  return {
    issue(target, source) {
      const count = counts.get(source) ?? 0
      if (waiting.size >= limits.total || count >= limits.perSource) {
        fail('TOO_MANY_REQUESTS', { seconds: TERMINAL.ticketSeconds })
      }
      counts.set(source, count + 1)
      // The tilde tells clients apart: those that send text percent-encode it in the URL of their WebSocket.
      const ticket = `${randomBytes(32).toString('base64url')}~`
      const key = keyOf(ticket)
      waiting.set(key, { target, source, expire: clock.after(TERMINAL.ticketSeconds * 1_000, () => void take(key)) })
      return ticket
    },
    take: (ticket) => take(keyOf(ticket)),
  }
}

/** Members and strangers wait apart: a flood of strangers keeps no member out. */
export interface TerminalTickets {
  readonly tickets: Tickets<TicketTarget>
  readonly legacyTickets: Tickets<LegacyTarget>
}

export function createTerminalTickets(clock: Clock): TerminalTickets {
  return {
    tickets: createTickets(clock, { total: 10_000, perSource: 10_000 }),
    legacyTickets: createTickets(clock, { total: 10_000, perSource: 64 }),
  }
}

/** The map is searched by hash: how long a search takes tells nothing about tickets. */
function keyOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64')
}
