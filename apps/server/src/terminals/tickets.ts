// Tickets for web terminals: issued by an API call, redeemed once by the WebSocket that follows. They are kept in this
// process's memory for seconds, or in the database where there are several nodes.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { type DeviceUid, SessionUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import * as z from 'zod'
import type { Clock } from '@bowline/base/clock'

/** A sign-in at the console, or of a program. */
const SignInOfTicket = z.object({
  id: z.string().max(64),
  /** End of its token, in milliseconds since the epoch; absent: the browser session renews it. */
  endsAt: z.number().optional(),
})

/** Target of a member's ticket; the credential follows on the WebSocket. */
export interface TicketTarget {
  readonly tenant: TenantId
  readonly device: DeviceUid
  /** Account on the device. */
  readonly username: string
  /** The member who requested it. */
  readonly person: UserId | undefined
  /** Their username; undefined for a program with an API key. */
  readonly name?: string | undefined
}

/** Target of a ticket that asks to join a running terminal. */
export const JoinTarget = z.object({
  tenant: TenantId,
  session: SessionUid,
  /** The node that holds the session. */
  node: z.string().max(128),
  person: UserId,
  /** Their username. */
  name: z.string().max(256),
  /** What lets them call: it ends, and they leave. */
  signIn: SignInOfTicket,
})
export type JoinTarget = z.infer<typeof JoinTarget>

/**
 * Target of an existing client's ticket. The client is unauthenticated: nothing was looked up, and the device may not
 * exist.
 */
export interface LegacyTarget {
  readonly device: DeviceUid
  readonly username: string
  readonly credential: LegacyCredential
}

export type LegacyCredential =
  | { readonly password: string }
  /** `signature`: base64, over the user name; absent if the browser waits for a request to sign. */
  | { readonly fingerprint: string; readonly signature?: string | undefined }

/** At once from memory, later from the database that several nodes share. */
type Answer<T> = T | Promise<T>

export interface Tickets<Target> {
  /**
   * @param source the client's source, as the limits count it
   * @throws {BowlineError} TOO_MANY_REQUESTS when too many tickets are pending
   */
  issue(target: Target, source: string): Answer<string>
  /** Redeems a ticket; undefined if it is unknown, redeemed or expired. */
  take(ticket: string): Answer<Target | undefined>
}

export interface TicketLimits {
  /** Limit of pending tickets. */
  readonly total: number
  readonly perSource: number
  /** Life of a ticket; default: that of a terminal's. */
  readonly seconds?: number
}

/** Tickets in this process's memory. */
export interface OwnTickets<Target> extends Tickets<Target> {
  issue(target: Target, source: string): string
  take(ticket: string): Target | undefined
}

export function createTickets<Target>(clock: Clock, limits: TicketLimits): OwnTickets<Target> {
  const { seconds = TERMINAL.ticketSeconds } = limits
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
        fail('TOO_MANY_REQUESTS', { seconds })
      }
      counts.set(source, count + 1)
      // The tilde distinguishes clients: those that send text percent-encode it in the URL of their WebSocket.
      const ticket = `${randomBytes(32).toString('base64url')}~`
      const key = keyOf(ticket)
      waiting.set(key, { target, source, expire: clock.after(seconds * 1_000, () => void take(key)) })
      return ticket
    },
    take: (ticket) => take(keyOf(ticket)),
  }
}

/** Separate limits: a flood of unauthenticated clients does not block members. */
export interface TerminalTickets {
  readonly tickets: Tickets<TicketTarget>
  readonly legacyTickets: Tickets<LegacyTarget>
  readonly joinTickets: Tickets<JoinTarget>
}

/** Limits of terminals of members, and of existing clients. */
export const TERMINAL_TICKETS = {
  own: { total: 10_000, perSource: 10_000 },
  legacy: { total: 10_000, perSource: 64 },
  join: { total: 10_000, perSource: 64 },
}

export function createTerminalTickets(clock: Clock): TerminalTickets {
  return {
    tickets: createTickets(clock, TERMINAL_TICKETS.own),
    legacyTickets: createTickets(clock, TERMINAL_TICKETS.legacy),
    joinTickets: createTickets(clock, TERMINAL_TICKETS.join),
  }
}

/** The map is keyed by hash: lookup timing reveals nothing about tickets. */
function keyOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64')
}
