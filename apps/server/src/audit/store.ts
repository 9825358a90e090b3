// SQL of the audit log.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { type Page, readPage } from '../db/lists/page.ts'
import { totalOf } from '../db/lists/row-counts.ts'
import type { AuditLogTable, Schema } from '../db/schema.ts'
import type { Listing } from '../db/lists/listing.ts'
import { SERVER_ACTIONS, SERVER_ADMINISTRATION } from './actions.ts'
import type { NamespaceAuditFilter } from './filter.ts'
import { namesOf } from './names-store.ts'
import { matchesInNamespace } from './search-store.ts'

type AuditRow = Selectable<AuditLogTable>

/**
 * A page of the namespace's entries that match, newest first; ordered by time so that the namespace's index applies.
 * @param db the tenant's connection
 * @param system connection: for user names
 */
export async function listAudit(
  db: Kysely<Schema>,
  system: Kysely<Schema>,
  filter: NamespaceAuditFilter,
  page: Page,
): Promise<Listing<AuditEntry>> {
  const { bulk, ...narrowing } = filter
  const isWhole = Object.values(narrowing).every((value) => value === undefined || value === '')
  const { rows, total } = await readPage(db, page, {
    total: (one) =>
      isWhole ? totalOf(one, 'audit_log', bulk === 'folded' ? '' : undefined) : countMatches(one, filter),
    read: (one, { limit, offset }, opposite) =>
      one
        .selectFrom('audit_log')
        .selectAll()
        .where((eb) => matchesInNamespace(eb, filter))
        .orderBy('at', opposite ? 'asc' : 'desc')
        .orderBy('id', opposite ? 'asc' : 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    isTotalKept: isWhole,
  })
  return { items: await describe(db, system, rows), total }
}

async function countMatches(db: Kysely<Schema>, filter: NamespaceAuditFilter): Promise<number> {
  const { total } = await db
    .selectFrom('audit_log')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where((eb) => matchesInNamespace(eb, filter))
    .executeTakeFirstOrThrow()
  return total
}

/**
 * Entries that match and are older than `before`, newest first.
 * @param system connection: for user names
 */
export async function readAudit(
  db: Kysely<Schema>,
  system: Kysely<Schema>,
  filter: NamespaceAuditFilter,
  { limit, before }: { readonly limit: number; readonly before: AuditEntry },
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .where((eb) => matchesInNamespace(eb, filter))
    .where(sql<boolean>`(at, id) < (${new Date(before.at)}, ${before.id})`)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return describe(db, system, rows)
}

/**
 * Entries of the namespace after one, oldest first.
 * @param system connection: for user names
 * @param nouns of actions; none: all entries
 */
export async function readAuditAfter(
  db: Kysely<Schema>,
  system: Kysely<Schema>,
  {
    after,
    upTo,
    nouns,
    recordings,
    limit,
  }: {
    readonly after: number
    readonly upTo: number
    /** Of actions; none: all. */
    readonly nouns: readonly string[]
    /** Whether entries about complete recordings are among them, whatever the nouns are; others never have these. */
    readonly recordings: boolean
    readonly limit: number
  },
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where(
      sql<boolean>`case action when 'recording.complete' then ${recordings}
        else cardinality(${nouns}::text[]) = 0 or split_part(action, '.', 1) = any(${nouns}::text[]) end`,
    )
    .orderBy('id')
    .limit(limit)
    .execute()
  return describe(db, system, rows)
}

async function describe(db: Kysely<Schema>, system: Kysely<Schema>, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const names = await namesOf(db, system, rows)
  return rows.map((row) => {
    const name = names.nameOf(row)
    return {
      id: row.id,
      at: row.at.toISOString(),
      action: row.action,
      target: row.target,
      ...(name === undefined ? {} : { target_name: name }),
      details: { ...row.details },
      ...(row.job_id === null ? {} : { job: row.job_id }),
      ...(SERVER_ACTIONS.includes(row.action) ? BY_SERVER : { actor: actorOf(row, names.people), ip: row.ip }),
    }
  })
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
  await sql`insert into audit_log (tenant_id, actor_type, actor_id, action, ip, job_id, target, details)
    select ${shared.tenant_id}, ${shared.actor_type}, ${shared.actor_id}, ${shared.action}, ${shared.ip},
      ${shared.job_id}::uuid, entry.target, entry.details
    from unnest(${targets}::text[], ${details}::jsonb[]) as entry (target, details)`.execute(db)
}
