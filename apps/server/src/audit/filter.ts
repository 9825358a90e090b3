// Filters that every audit log has, as conditions of SQL.
import type { AuditFilter } from '@bowline/contract/schemas/audit'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../db/schema.ts'

export type AuditBuilder = ExpressionBuilder<Schema, 'audit_log'>

/** Conditions that every audit log has. */
export function matchesFilter(
  eb: AuditBuilder,
  { person, action, from, to, job, bulk }: AuditFilter,
): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = []
  if (person !== undefined) {
    all.push(eb('audit_log.actor_type', '=', 'user'), eb('audit_log.actor_id', '=', person))
  }
  if (action?.includes('.')) all.push(eb('audit_log.action', '=', action))
  else if (action !== undefined) all.push(eb('audit_log.action', 'like', `${action}.%`))
  if (from !== undefined) all.push(eb('audit_log.at', '>=', new Date(from)))
  if (to !== undefined) all.push(eb('audit_log.at', '<', new Date(to)))
  if (job !== undefined) all.push(eb('audit_log.job_id', '=', job))
  else if (bulk === 'folded') all.push(eb('audit_log.job_id', 'is', null))
  return eb.and(all)
}

export interface NamespaceAuditFilter extends AuditFilter {
  /** Empty: everything. */
  readonly search: string
}
