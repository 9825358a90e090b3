// SQL of the audit log.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { type Page, readPage } from '../db/lists/page.ts'
import { totalOf } from '../db/lists/row-counts.ts'
import type { AuditLogTable, Schema } from '../db/schema.ts'
import type { Listing } from '../db/lists/listing.ts'
import { SERVER_ACTIONS, SERVER_ADMINISTRATION } from './actions.ts'

type AuditRow = Selectable<AuditLogTable>

/**
 * A page of the namespace's entries, newest first; ordered by time so that the namespace's index applies.
 * @param db the tenant's connection
 * @param system connection: for user names
 */
export async function listAudit(db: Kysely<Schema>, system: Kysely<Schema>, page: Page): Promise<Listing<AuditEntry>> {
  const { rows, total } = await readPage(db, page, {
    total: (one) => totalOf(one, 'audit_log'),
    read: (one, { limit, offset }, opposite) =>
      one
        .selectFrom('audit_log')
        .selectAll()
        .orderBy('at', opposite ? 'asc' : 'desc')
        .orderBy('id', opposite ? 'asc' : 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    isTotalKept: true,
  })
  return { items: await describe(system, rows), total }
}

/**
 * Entries older than `before`, or the newest ones, newest first.
 * @param system connection: for user names
 */
export async function readAudit(
  db: Kysely<Schema>,
  system: Kysely<Schema>,
  { limit, before }: { readonly limit: number; readonly before: AuditEntry | undefined },
): Promise<AuditEntry[]> {
  let older = db.selectFrom('audit_log').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  if (before) older = older.where(sql<boolean>`(at, id) < (${new Date(before.at)}, ${before.id})`)
  return describe(system, await older.execute())
}

async function describe(system: Kysely<Schema>, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const people = rows.filter((row) => row.actor_type === 'user').map((row) => UserId.parse(row.actor_id))
  const names = new Map<string, string>()
  if (people.length) {
    const known = await system.selectFrom('users').select(['id', 'username']).where('id', 'in', people).execute()
    for (const { id, username } of known) names.set(id, username ?? '')
  }
  return rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    target: row.target,
    details: { ...row.details },
    ...(SERVER_ACTIONS.includes(row.action) ? BY_SERVER : { actor: actorOf(row, names), ip: row.ip }),
  }))
}

const BY_SERVER = {
  actor: { type: 'system', id: SERVER_ADMINISTRATION, name: SERVER_ADMINISTRATION },
  ip: '',
} as const

function actorOf(row: AuditRow, names: ReadonlyMap<string, string>): AuditEntry['actor'] {
  const { actor_type: type, actor_id: id } = row
  return { type, id, name: type === 'user' ? (names.get(id) ?? '') : id }
}

/** Writes an entry, within the transaction of the action. */
export async function insertEntry(db: Kysely<Schema>, entry: Insertable<AuditLogTable>): Promise<void> {
  await db.insertInto('audit_log').values(entry).execute()
}

/** @param shared what all entries have; their number is not limited by that of a statement's parameters */
export async function insertEntries(
  db: Kysely<Schema>,
  shared: Omit<AuditRow, 'id' | 'at' | 'target' | 'details'>,
  entries: readonly { readonly target: string; readonly details: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  const targets = entries.map(({ target }) => target)
  const details = entries.map((entry) => JSON.stringify(entry.details))
  await sql`insert into audit_log (tenant_id, actor_type, actor_id, action, ip, target, details)
    select ${shared.tenant_id}, ${shared.actor_type}, ${shared.actor_id}, ${shared.action}, ${shared.ip},
      entry.target, entry.details
    from unnest(${targets}::text[], ${details}::jsonb[]) as entry (target, details)`.execute(db)
}
