// The audit logs of all namespaces and of the instance itself, page by page or all of it as CSV or JSON lines. An export
// is read in pages as its reader takes it, so that its size costs no memory.
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { administration } from '@bowline/contract/operations/instance/administration'
import type { ExportFormat } from '@bowline/contract/schemas/common'
import type { InstanceAuditEntry } from '@bowline/contract/schemas/instance/administration'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type AuditQuery, type InstanceAuditRow, type Place, readEntries } from './audit-store.ts'
import { csvLine } from '@bowline/base/csv'

export type AuditFilter = Omit<Input<typeof administration.exportAudit>['query'], 'format'>

const EXPORT_PAGE = LIMITS.perPage.max * 10
const HEADINGS = [
  'at',
  'namespace',
  'tenant_id',
  'actor_type',
  'actor_id',
  'actor',
  'action',
  'target',
  'ip',
  'details',
  'job',
]

/** Entries after `before`, newest first. @param before `<at>,<id>` of an entry */
export async function listEntries(
  system: Kysely<Schema>,
  { before, per_page: limit, ...filter }: Input<typeof administration.listAudit>['query'],
): Promise<InstanceAuditEntry[]> {
  const [at = '', id = ''] = before?.split(',') ?? []
  const after = before === undefined ? undefined : { at: new Date(at), id: Number(id) }
  if (after && Number.isNaN(after.at.getTime())) return []
  const rows = await readEntries(system, toQuery({ ...filter, bulk: filter.bulk ?? 'folded' }), { limit, after })
  return rows.map((row) => toEntry(row))
}

/**
 * Every entry that matches, newest first, in chunks of text.
 * @param mayGoOn asked before each page: whoever reads may lose the right meanwhile
 * @throws {Error} when `mayGoOn` says no, so that what has been written is no complete file
 */
export async function* exportedEntries(
  system: Kysely<Schema>,
  filter: AuditFilter,
  format: ExportFormat,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  const query = toQuery(filter)
  if (format === 'csv') yield csvLine(HEADINGS)
  for (let after: Place | undefined; ;) {
    if (after && !(await mayGoOn())) throw new Error('the export has ended with the sign-in of its reader')
    const rows: InstanceAuditRow[] = await readEntries(system, query, { limit: EXPORT_PAGE, after })
    if (rows.length > 0) yield rows.map((row) => lineOf(toEntry(row), format)).join('')
    after = rows.at(-1)
    if (!after || rows.length < EXPORT_PAGE) return
  }
}

function toQuery({ namespace, ...filter }: AuditFilter): AuditQuery {
  return { tenant: namespace === 'server' ? null : namespace, ...filter }
}

function lineOf(entry: InstanceAuditEntry, format: ExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`
  const { at, namespace, tenant_id: tenant, actor, action, target, ip, details, job = '' } = entry
  const { type, id, name } = actor
  return csvLine([at, namespace, tenant, type, id, name, action, target, ip, JSON.stringify(details), job])
}

function toEntry(row: InstanceAuditRow): InstanceAuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    tenant_id: row.tenant_id ?? '',
    namespace: row.namespace ?? '',
    actor: {
      type: row.actor_type,
      id: row.actor_id,
      name: row.actor_type === 'user' ? (row.username ?? '') : row.actor_id,
    },
    action: row.action,
    target: row.target,
    ip: row.ip,
    details: { ...row.details },
    ...(row.job_id === null ? {} : { job: row.job_id }),
  }
}
