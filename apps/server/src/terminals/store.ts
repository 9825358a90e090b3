// SQL of tickets that any node may redeem. System rows; no tenant sees them.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

export interface StoredTicket {
  /** SHA-256 of the ticket. */
  readonly hash: Buffer
  readonly sealed: Buffer
  readonly kind: string
  readonly source: string
  readonly seconds: number
}

/** Stores a ticket unless too many of its kind wait. @returns true if it was stored */
export async function putTicket(
  db: Kysely<Schema>,
  { hash, sealed, kind, source, seconds }: StoredTicket,
  limits: { readonly total: number; readonly perSource: number },
): Promise<boolean> {
  const waiting = sql`select from terminal_tickets where kind = ${kind} and expires_at > now()`
  const { numAffectedRows } = await sql`
    insert into terminal_tickets (ticket_hash, sealed, kind, source, expires_at)
      select ${hash}, ${sealed}, ${kind}, ${source}, now() + make_interval(secs => ${seconds})
      where (select count(*) from (${waiting} limit ${limits.total}) counted) < ${limits.total}
        and (select count(*) from (${waiting} and source = ${source} limit ${limits.perSource}) counted)
          < ${limits.perSource}`.execute(db)
  return numAffectedRows === 1n
}

/** Redeems a ticket: of several callers one gets it. @returns what it holds; undefined if it is unknown or expired */
export async function takeTicket(db: Kysely<Schema>, kind: string, hash: Buffer): Promise<Buffer | undefined> {
  const row = await db
    .deleteFrom('terminal_tickets')
    .where('ticket_hash', '=', hash)
    .where('kind', '=', kind)
    .returning(['sealed', sql<boolean>`expires_at > now()`.as('isValid')])
    .executeTakeFirst()
  return row?.isValid ? row.sealed : undefined
}

/** Deletes tickets that nobody has redeemed in time. */
export async function forgetTickets(db: Kysely<Schema>): Promise<void> {
  await db
    .deleteFrom('terminal_tickets')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}
