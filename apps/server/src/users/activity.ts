// Account activity: people see their own, operators of the server all of it, namespaces none.
import type { AccountEvent, AccountEventKind } from '@bowline/contract/schemas/account-event'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Page } from '../db/lists/page.ts'
import type { Schema } from '../db/schema.ts'
import type { Listing } from '../db/lists/listing.ts'
import { sourceKey } from '../platform/network/address.ts'
import { countAccountEvents, insertAccountEvent, listAccountEvents, listEveryAccountEvent } from './activity-store.ts'

const HOUR_MS = 3_600_000

/** Kinds that programs and attackers repeat: counted in one event per hour and source. */
const COUNTED: ReadonlySet<AccountEventKind> = new Set([
  'sign-in',
  'sign-in.fail',
  'sign-in.lock',
  'sign-in.guard',
  'session.replay',
  'factor.fail',
  'factor.guard',
])

/** Origin of actions on the command line. */
export const COMMAND_LINE: Origin = { source: '', userAgent: '' }

/** Origin of failures that belong to no account: one event an hour, so that strangers cannot fill the table. */
const NOBODYS: Origin = { source: '', userAgent: '' }

/**
 * Records a failed or refused second factor.
 * @param now milliseconds since the epoch
 * @param event.user '' for an unknown name
 */
export function noteFactorFailure(
  db: Kysely<Schema>,
  now: number,
  event: { readonly user: UserId | ''; readonly kind: 'factor.fail' | 'factor.guard'; readonly origin: Origin },
): Promise<void> {
  return noteAccountEvent(db, now, event.user === '' ? { ...event, origin: NOBODYS } : event)
}

/**
 * Records an event. Call it in the transaction of the action itself.
 * @param now milliseconds since the epoch
 * @param event.user '' for an unknown name
 * @param event.details non-secret facts
 */
export function noteAccountEvent(
  db: Kysely<Schema>,
  now: number,
  event: {
    readonly user: UserId | ''
    readonly kind: AccountEventKind
    readonly origin: Origin
    readonly details?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const at = new Date(now)
  return insertAccountEvent(db, {
    user_id: event.user,
    kind: event.kind,
    at,
    last_at: at,
    source: event.origin.source === '' ? '' : sourceKey(event.origin.source),
    user_agent: event.origin.userAgent.slice(0, 256),
    details: { ...event.details },
    bucket: COUNTED.has(event.kind) ? new Date(now - (now % HOUR_MS)) : null,
  })
}

/** Number of an account's events of a kind in the last hour. @param now milliseconds since the epoch */
export function countWithinTheHour(
  db: Kysely<Schema>,
  now: number,
  user: UserId,
  kind: AccountEventKind,
): Promise<number> {
  return countAccountEvents(db, user, kind, new Date(now - HOUR_MS))
}

/** A page of a user's events, newest first. @param db system connection */
export async function listActivity(db: Kysely<Schema>, user: UserId, page: Page): Promise<Listing<AccountEvent>> {
  const { rows, total } = await listAccountEvents(db, user, page)
  return { items: rows.map((row) => toEvent(row)), total }
}

/**
 * The newest events of the whole instance, including those of unknown names.
 * @param db system connection
 * @returns `username` is '' for such names and for accounts that are gone
 */
export async function listEveryActivity(
  db: Kysely<Schema>,
  limit: number,
): Promise<(AccountEvent & { readonly username: string })[]> {
  const rows = await listEveryAccountEvent(db, limit)
  return rows.map((row) => ({ ...toEvent(row), username: row.username ?? '' }))
}

type EventRow = Awaited<ReturnType<typeof listAccountEvents>>['rows'][number]

function toEvent(row: EventRow): AccountEvent {
  return {
    id: row.id,
    kind: row.kind,
    at: row.at.toISOString(),
    last_at: row.last_at.toISOString(),
    count: row.count,
    source: row.source,
    user_agent: row.user_agent,
    details: { ...row.details },
  }
}
