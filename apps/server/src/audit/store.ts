// SQL of reading the audit log.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { countRows } from '../db/count.ts'
import type { Schema } from '../db/schema.ts'
import type { Listing } from '../http/route.ts'

export interface AuditPage {
  readonly limit: number
  readonly offset: number
  /** Only entries older than the one with this id. */
  readonly before?: number
}

/**
 * A page of the namespace's entries, the newest first.
 * @param db the tenant's connection
 * @param system connection: for the names of people
 */
export async function readAudit(
  db: Kysely<Schema>,
  system: Kysely<Schema>,
  { limit, offset, before }: AuditPage,
): Promise<Listing<AuditEntry>> {
  let base = db.selectFrom('audit_log')
  if (before !== undefined) base = base.where('id', '<', before)
  const rows = await base.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const count = await countRows(base)
  const people = rows.filter((row) => row.actor_type === 'user').map((row) => UserId.parse(row.actor_id))
  const names = new Map<string, string>()
  if (people.length) {
    const known = await system.selectFrom('users').select(['id', 'username']).where('id', 'in', people).execute()
    for (const { id, username } of known) names.set(id, username ?? '')
  }
  const items = rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    actor: {
      type: row.actor_type,
      id: row.actor_id,
      name: row.actor_type === 'user' ? (names.get(row.actor_id) ?? '') : row.actor_id,
    },
    action: row.action,
    target: row.target,
    ip: row.ip,
    details: { ...row.details },
  }))
  return { items, total: count }
}
