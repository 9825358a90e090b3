// SQL of all audit logs. System connection.
import type { TenantId } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, sql } from 'kysely'
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

export interface AuditQuery {
  /** Undefined: all; null: entries of the instance itself. */
  readonly tenant: TenantId | null | undefined
  readonly person: string | undefined
  /** An action, or the noun of several. */
  readonly action: string | undefined
  readonly from: Date | undefined
  /** Entries before this time. */
  readonly to: Date | undefined
}

/** Entries after a place, newest first. */
export function readEntries(
  db: Kysely<Schema>,
  { tenant, person, action, from, to }: AuditQuery,
  { limit, after }: { readonly limit: number; readonly after: Place | undefined },
): Promise<InstanceAuditRow[]> {
  let query = db
    .selectFrom('audit_log')
    .leftJoin('namespaces', 'namespaces.tenant_id', 'audit_log.tenant_id')
    .leftJoin('users', (join) => join.on(sql<boolean>`audit_log.actor_type = 'user' and users.id = audit_log.actor_id`))
    .selectAll('audit_log')
    .select(['namespaces.name as namespace', 'users.username'])
    .orderBy('audit_log.at', 'desc')
    .orderBy('audit_log.id', 'desc')
    .limit(limit)
  if (tenant === null) query = query.where('audit_log.tenant_id', 'is', null)
  else if (tenant !== undefined) query = query.where('audit_log.tenant_id', '=', tenant)
  if (person !== undefined) query = query.where('actor_type', '=', 'user').where('actor_id', '=', person)
  if (action?.includes('.')) query = query.where('action', '=', action)
  else if (action !== undefined) query = query.where('action', 'like', `${action}.%`)
  if (from) query = query.where('at', '>=', from)
  if (to) query = query.where('at', '<', to)
  if (after) query = query.where(sql<boolean>`(audit_log.at, audit_log.id) < (${after.at}, ${after.id})`)
  return query.execute()
}
