// SQL of mails: rows of the instance, written inside the transactions that cause them.
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { MailsTable } from '../db/tables/mail-tables.ts'
import type { Schema } from '../db/schema.ts'
import type { MailKind } from './kinds.ts'

export type MailRow = Selectable<MailsTable> & { readonly kind: MailKind }
export type MailState = 'queued' | 'sent' | 'failed'

type NewMail = Pick<Insertable<MailsTable>, 'id' | 'recipient' | 'user_id' | 'sealed'> & {
  readonly kind: MailKind
  /** '' is not counted. */
  readonly source: string
  /** Namespace on whose behalf it is; undefined: of nobody's, or not counted. */
  readonly namespace?: TenantId | undefined
  readonly at: Date
}

export interface MailLimits {
  readonly category: string
  readonly perRecipient: number
  /** Of these, on behalf of one namespace. */
  readonly perNamespace?: number | undefined
  /** Undefined: unlimited. */
  readonly perSource: number | undefined
}

const HOUR_MS = 3_600_000

/**
 * Writes a mail unless its source, its namespace or its recipient has had its share of the hour. One statement: rows of counts
 * are locked in one order, and concurrent calls cannot pass a limit together.
 * @returns whether it was written, and whether the recipient can get another such mail within the hour
 */
export async function insertMail(
  db: Kysely<Schema>,
  mail: NewMail,
  limits: MailLimits,
): Promise<'written' | 'last' | 'refused'> {
  const { at } = mail
  const { perNamespace } = limits
  const source = limits.perSource === undefined ? '' : mail.source
  const namespace = perNamespace === undefined ? undefined : mail.namespace
  const before = new Date(at.getTime() - HOUR_MS)
  const taken = (limit: number) => sql`
    on conflict (category, counted) do update set
      since = case when mail_counts.since <= ${before} then excluded.since else mail_counts.since end,
      mails = case when mail_counts.since <= ${before} then 1 else mail_counts.mails + 1 end
    where mail_counts.since <= ${before} or mail_counts.mails < ${limit}
    returning mails`
  const { rows } = await sql<{ isLast: boolean }>`
    with of_source as (
      insert into mail_counts (category, counted, since, mails)
      select ${limits.category}, ${`from:${source}`}, ${at}, 1 where ${source !== ''}::boolean
      ${taken(limits.perSource ?? 0)}
    ), of_namespace as (
      insert into mail_counts (category, counted, since, mails)
      select ${limits.category}, ${`to:${mail.recipient} of:${namespace ?? ''}`}, ${at}, 1
      where ${namespace !== undefined}::boolean and (${source === ''}::boolean or exists (select from of_source))
      ${taken(perNamespace ?? 0)}
    ), of_recipient as (
      insert into mail_counts (category, counted, since, mails)
      select ${limits.category}, ${`to:${mail.recipient}`}, ${at}, 1
      where case when ${namespace !== undefined}::boolean then exists (select from of_namespace)
        else ${source === ''}::boolean or exists (select from of_source) end
      ${taken(limits.perRecipient)}
    )
    insert into mails (id, kind, recipient, user_id, source, sealed, created_at, due_at)
    select ${mail.id}::uuid, ${mail.kind}, ${mail.recipient}, ${mail.user_id ?? null}::text, ${mail.source},
      ${mail.sealed}::bytea, ${at}::timestamptz, ${at}::timestamptz
    where exists (select from of_recipient)
    returning (select mails from of_recipient) >= ${limits.perRecipient}::integer
      or coalesce((select mails from of_namespace) >= ${perNamespace ?? 0}::integer, false) as "isLast"`.execute(db)
  const [row] = rows
  if (!row) return 'refused'
  return row.isLast ? 'last' : 'written'
}

/** Replaces what a mail says that has not been sent. */
export async function reseal(db: Kysely<Schema>, id: string, sealed: Buffer): Promise<void> {
  await db.updateTable('mails').set({ sealed }).where('id', '=', id).execute()
}

/**
 * Leases mails that are due, the oldest first, and counts the attempt. Other processes get other ones.
 * @param lease holder and end of the lease; excepted mails stay
 */
export async function leaseMails(
  db: Kysely<Schema>,
  lease: {
    readonly node: string
    readonly now: Date
    readonly until: Date
    readonly limit: number
    readonly except?: { readonly ids: readonly string[]; readonly domains: readonly string[] }
  },
): Promise<MailRow[]> {
  const due = db
    .selectFrom('mails')
    .select('id')
    .where('due_at', '<=', lease.now)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', lease.now)]))
    .where(sql<boolean>`substring(recipient from '[^@]*$') <> all(${lease.except?.domains ?? []}::text[])`)
    .where(sql<boolean>`id <> all(${lease.except?.ids ?? []}::uuid[])`)
    .orderBy('due_at')
    .orderBy('id')
    .limit(lease.limit)
    .forUpdate()
    .skipLocked()
  return db
    .with('due', () => due)
    .updateTable('mails')
    .set((set) => ({ leased_until: lease.until, leased_by: lease.node, attempts: set('attempts', '+', 1) }))
    .where('id', 'in', (from) => from.selectFrom('due').select('id'))
    .returningAll()
    .$castTo<MailRow>()
    .execute()
}

/** Ends the leases of an earlier life of this node. */
export async function releaseLeases(db: Kysely<Schema>, node: string): Promise<void> {
  await db.updateTable('mails').set(FREE).where('leased_by', '=', node).execute()
}

const FREE = { leased_until: null, leased_by: null }

/** The mail was taken: what it said is not needed any more. */
export async function markSent(db: Kysely<Schema>, id: string, at: Date, answer: string): Promise<void> {
  const sent = { ...FREE, due_at: null, sent_at: at, failed_at: null, sealed: null, answer }
  await db.updateTable('mails').set(sent).where('id', '=', id).execute()
}

/** The mail is given up; it keeps what it said, for another try. */
export async function markFailed(db: Kysely<Schema>, id: string, at: Date, answer: string): Promise<void> {
  const gone = { ...FREE, due_at: null, failed_at: at, answer }
  await db.updateTable('mails').set(gone).where('id', '=', id).where('sent_at', 'is', null).execute()
}

/** The mail is tried again at that time. */
export async function postpone(db: Kysely<Schema>, id: string, dueAt: Date, answer: string): Promise<void> {
  const later = { ...FREE, due_at: dueAt, answer }
  await db.updateTable('mails').set(later).where('id', '=', id).where('sent_at', 'is', null).execute()
}

/** Gives mails up that should have been sent before a time. @returns how many */
export async function failStale(db: Kysely<Schema>, before: Date, now: Date, answer: string): Promise<number> {
  const result = await db
    .updateTable('mails')
    .set({ ...FREE, due_at: null, failed_at: now, answer })
    .where('due_at', '<', before)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', now)]))
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Makes a failed mail due again. @returns false when there is no failed mail with that id that still has its values */
export async function requeue(db: Kysely<Schema>, id: string, now: Date): Promise<boolean> {
  const result = await db
    .updateTable('mails')
    .set({ ...FREE, due_at: now, failed_at: null, attempts: 0 })
    .where('id', '=', id)
    .where('failed_at', 'is not', null)
    .where('sealed', 'is not', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Takes mails of some kinds whose link has not been logged yet. */
export function takeUnlogged(
  db: Kysely<Schema>,
  kinds: readonly MailKind[],
  now: Date,
  limit: number,
): Promise<MailRow[]> {
  const waiting = db
    .selectFrom('mails')
    .select('id')
    .where('due_at', '<=', now)
    .where('logged_at', 'is', null)
    .where('kind', 'in', kinds)
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .with('waiting', () => waiting)
    .updateTable('mails')
    .set({ logged_at: now })
    .where('id', 'in', (from) => from.selectFrom('waiting').select('id'))
    .returningAll()
    .$castTo<MailRow>()
    .execute()
}

/** Deletes old mails and counts. */
export async function sweepMails(db: Kysely<Schema>, mailsBefore: Date, countsBefore: Date): Promise<void> {
  await db.deleteFrom('mails').where('created_at', '<', mailsBefore).execute()
  await db.deleteFrom('mail_counts').where('since', '<', countsBefore).execute()
}

/** Mails, the newest first. */
export async function listMails(
  db: Kysely<Schema>,
  query: { readonly state: MailState | undefined; readonly limit: number; readonly offset: number },
): Promise<{ rows: MailRow[]; total: number }> {
  let base = db.selectFrom('mails')
  if (query.state === 'failed') base = base.where('failed_at', 'is not', null)
  if (query.state === 'sent') base = base.where('sent_at', 'is not', null)
  if (query.state === 'queued') base = base.where('due_at', 'is not', null)
  const rows = await base
    .selectAll()
    .$castTo<MailRow>()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { rows, total: await countRows(base) }
}

export function findMail(db: Kysely<Schema>, id: string): Promise<MailRow | undefined> {
  return db.selectFrom('mails').selectAll().where('id', '=', id).$castTo<MailRow>().executeTakeFirst()
}
