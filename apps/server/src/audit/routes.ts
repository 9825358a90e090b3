// The audit log for administrators: page by page, or all of it as JSON lines.
import { Readable } from 'node:stream'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import { type AuditPage, readAudit } from './store.ts'

const EXPORT_PAGE = 1_000

/** @param system connection: names of people are instance-wide */
export function auditRoutes(system: Kysely<Schema>): Route[] {
  return [
    memberRoute(operations.audit.list, async (ctx, { query }) => {
      if (query.format === 'jsonl') {
        await ctx.reply.type('application/jsonl').send(Readable.from(lines(system, ctx)))
        return undefined
      }
      const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
      return readAudit(ctx.db, system, page)
    }),
  ]
}

/** Every entry as a line, the newest first, read a page at a time as the reader takes them. */
async function* lines(system: Kysely<Schema>, { db }: MemberContext): AsyncGenerator<string> {
  let before: number | undefined
  for (;;) {
    const page: AuditPage = { limit: EXPORT_PAGE, offset: 0, ...(before === undefined ? {} : { before }) }
    const { items } = await readAudit(db, system, page)
    yield items.map((entry: AuditEntry) => `${JSON.stringify(entry)}\n`).join('')
    before = items.at(-1)?.id
    if (items.length < EXPORT_PAGE) return
  }
}
