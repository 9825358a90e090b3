// SQL of all audit logs. System connection.
import type { AuditFilter } from '@bowline/contract/schemas/audit'
import type { TenantId } from '@bowline/contract/schemas/common'
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import { matchesFilter } from '../audit/filter.ts'
import type { AuditLogTable, Schema } from '../db/schema.ts'

export type InstanceAuditRow = Selectable<AuditLogTable> & {
  readonly namespace: string | null
  readonly username: string | null
}

/** Place of an entry: the next page begins after it. */
export interface Place {
  readonly at: Date
  readonly id: number
}

export interface AuditQuery extends AuditFilter {
  /** Undefined: all; null: entries of the instance itself. */
  readonly tenant: TenantId | null | undefined
}

/** Entries after a place, newest first. */
export function readEntries(
  db: Kysely<Schema>,
  { tenant, ...filter }: AuditQuery,
  { limit, after }: { readonly limit: number; readonly after: Place | undefined },
): Promise<InstanceAuditRow[]> {
  let query = db
    .selectFrom('audit_log')
    .leftJoin('namespaces', 'namespaces.tenant_id', 'audit_log.tenant_id')
    .leftJoin('users', (join) => join.on(sql<boolean>`audit_log.actor_type = 'user' and users.id = audit_log.actor_id`))
    .selectAll('audit_log')
    .select(['namespaces.name as namespace', 'users.username'])
    .where((eb) => matchesFilter(eb as ExpressionBuilder<Schema, 'audit_log'>, filter))
    .orderBy('audit_log.at', 'desc')
    .orderBy('audit_log.id', 'desc')
    .limit(limit)
  if (tenant === null) query = query.where('audit_log.tenant_id', 'is', null)
  else if (tenant !== undefined) query = query.where('audit_log.tenant_id', '=', tenant)
  if (after) query = query.where(sql<boolean>`(audit_log.at, audit_log.id) < (${after.at}, ${after.id})`)
  return query.execute()
}
