// Search in the audit log of one namespace.
import { type Expression, type SqlBool, sql } from 'kysely'
import { containing } from '../db/lists/filter.ts'
import { SERVER_ACTIONS } from './actions.ts'
import { type AuditBuilder, type NamespaceAuditFilter, matchesFilter } from './filter.ts'

/**
 * Entries of a namespace that match. A person's entries are without those of the server's administration: members do not
 * learn which person that was.
 */
export function matchesInNamespace(eb: AuditBuilder, filter: NamespaceAuditFilter): Expression<SqlBool> {
  const matches = matchesFilter(eb, filter)
  const all = filter.person === undefined ? [matches] : [matches, eb('audit_log.action', 'not in', SERVER_ACTIONS)]
  return filter.search === '' ? eb.and(all) : eb.and([...all, mentions(eb, containing(filter.search))])
}

/** @param pattern of `ilike` */
function mentions(eb: AuditBuilder, pattern: string): Expression<SqlBool> {
  return eb.or([
    eb('audit_log.target', 'ilike', pattern),
    sql<SqlBool>`exists (select from jsonb_path_query(audit_log.details, 'strict $.**') as value
      where jsonb_typeof(value) = 'string' and value #>> '{}' ilike ${pattern})`,
    eb(
      'audit_log.target',
      'in',
      eb.selectFrom('devices').select('devices.uid').where('devices.name', 'ilike', pattern),
    ),
  ])
}
