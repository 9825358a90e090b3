// Tickets in the database, for installations of several nodes: the browser's next connection may reach another one. What
// a ticket stands for is sealed under a key made of the ticket, of which only a hash is stored.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { Kysely } from 'kysely'
import * as z from 'zod'
import type { Schema } from '../db/schema.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { putTicket, takeTicket } from './store.ts'
import { TERMINAL_TICKETS, type TerminalTickets, type TicketLimits, type Tickets } from './tickets.ts'

export { forgetTickets } from './store.ts'

/** @param kind separates tickets that are redeemed at different places */
export function createSharedTickets<Target>(db: Kysely<Schema>, kind: string, limits: TicketLimits): Tickets<Target> {
  const { seconds = TERMINAL.ticketSeconds } = limits
  const Sealed = z.custom<Target>()
  return {
    async issue(target, source) {
      const ticket = `${randomBytes(32).toString('base64url')}~`
      const sealed = keyOf(ticket).seal(kind, Buffer.from(JSON.stringify(target)))
      const isStored = await putTicket(db, { hash: hashOf('', ticket), sealed, kind, source, seconds }, limits)
      return isStored ? ticket : fail('TOO_MANY_REQUESTS', { seconds })
    },
    async take(ticket) {
      const sealed = await takeTicket(db, kind, hashOf('', ticket))
      return sealed && Sealed.parse(JSON.parse(keyOf(ticket).open(kind, sealed).toString()))
    },
  }
}

function hashOf(purpose: string, ticket: string): Buffer {
  return createHash('sha256')
    .update(purpose + ticket)
    .digest()
}

function keyOf(ticket: string): SecretKey {
  return new SecretKey(hashOf('seal ', ticket).toString('hex'))
}

/** Tickets of terminals for several nodes. @param db system connection */
export function sharedTerminalTickets(db: Kysely<Schema>): TerminalTickets {
  return {
    tickets: createSharedTickets(db, 'terminal', TERMINAL_TICKETS.own),
    legacyTickets: createSharedTickets(db, 'legacy terminal', TERMINAL_TICKETS.legacy),
    joinTickets: createSharedTickets(db, 'join', TERMINAL_TICKETS.join),
  }
}
