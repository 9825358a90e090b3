// The audit log for administrators: page by page, or all of it as JSON lines.
import { Readable } from 'node:stream'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import { listAudit, readAudit } from './store.ts'

const EXPORT_PAGE = 1_000

/** @param system connection: user names are instance-wide */
export function auditRoutes(system: Kysely<Schema>): Route[] {
  return [
    memberRoute(operations.audit.list, async (ctx, { query }) => {
      if (query.format === 'jsonl') {
        const first = await listAudit(ctx.db, system, { limit: EXPORT_PAGE, offset: 0 })
        void ctx.reply.header('x-total-count', String(first.total)).type('application/jsonl')
        await ctx.reply.send(Readable.from(lines(system, ctx, first.items)))
        return undefined
      }
      return listAudit(ctx.db, system, { limit: query.per_page, offset: (query.page - 1) * query.per_page })
    }),
  ]
}

/** Every entry as a line, newest first; pages are read as the consumer pulls. */
async function* lines(
  system: Kysely<Schema>,
  { db }: MemberContext,
  first: readonly AuditEntry[],
): AsyncGenerator<string> {
  for (let items = first; ;) {
    yield items.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    const before = items.at(-1)
    if (items.length < EXPORT_PAGE || !before) return
    items = await readAudit(db, system, { limit: EXPORT_PAGE, before })
  }
}
