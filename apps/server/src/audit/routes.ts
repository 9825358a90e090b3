// The audit log for administrators: page by page, or all that matches as CSV or JSON lines.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import { personOf } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { sendLines } from '../http/attachment.ts'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import { csvLine } from '@bowline/base/csv'
import type { NamespaceAuditFilter } from './filter.ts'
import { listAudit, readAudit } from './store.ts'

const EXPORT_PAGE = 1_000
const HEADINGS = ['at', 'actor_type', 'actor_id', 'actor', 'action', 'target', 'target_name', 'ip', 'details', 'job']

/**
 * @param system connection: user names are instance-wide
 * @param exports rate limit per person: each reads every entry that matches
 */
export function auditRoutes(system: Kysely<Schema>, exports: RateLimiter): Route[] {
  return [
    memberRoute(operations.audit.list, async (ctx, { query: { format, page, per_page: limit, ...filter } }) => {
      if (format === 'json') {
        // Whoever searches for a device wants to know what has happened to it.
        const { bulk = filter.search === '' ? 'folded' : 'each' } = filter
        return listAudit(ctx.db, system, { ...filter, bulk }, { limit, offset: (page - 1) * limit })
      }
      if (!exports.take(personOf(ctx.actor) ?? ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      const first = await listAudit(ctx.db, system, filter, { limit: EXPORT_PAGE, offset: 0 })
      void ctx.reply.header('x-total-count', String(first.total))
      const lines = exported(system, ctx, filter, first.items, format === 'csv' ? asCsv : asJson)
      return sendLines(ctx, 'audit-log', format, format === 'csv' ? withHeadings(lines) : lines)
    }),
  ]
}

const asJson = (entry: AuditEntry): string => `${JSON.stringify(entry)}\n`

const asCsv = ({ at, actor, action, target, target_name: name = '', ip, details, job = '' }: AuditEntry): string =>
  csvLine([at, actor.type, actor.id, actor.name, action, target, name, ip, JSON.stringify(details), job])

async function* withHeadings(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield csvLine(HEADINGS)
  yield* lines
}

/**
 * Every entry that matches as a line, newest first; pages are read as the consumer pulls.
 * @throws {Error} when the reader has lost the right meanwhile, so that what has been written is no complete file
 */
async function* exported(
  system: Kysely<Schema>,
  ctx: MemberContext,
  filter: NamespaceAuditFilter,
  first: readonly AuditEntry[],
  lineOf: (entry: AuditEntry) => string,
): AsyncGenerator<string> {
  for (let items = first; ;) {
    yield items.map((entry) => lineOf(entry)).join('')
    const before = items.at(-1)
    if (items.length < EXPORT_PAGE || !before) return
    if (!(await ctx.isStillAdmitted())) throw new Error('the reader of the export may not read it any more')
    items = await readAudit(ctx.db, system, filter, { limit: EXPORT_PAGE, before })
  }
}
