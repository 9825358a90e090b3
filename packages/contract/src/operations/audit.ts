// The audit log: who changed what.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Page } from '../schemas/common.ts'
import { AuditEntry } from '../schemas/audit.ts'

export const audit = {
  list: operation({
    method: 'GET',
    path: '/api/audit',
    noun: 'audit',
    summary: 'Entries of the audit log, the newest first; `format=jsonl` exports them all as JSON lines',
    access: { kind: 'member', permission: 'namespaceUpdate', keys: true },
    query: Page.extend({ format: z.enum(['json', 'jsonl']).default('json') }),
    response: z.array(AuditEntry),
    total: true,
    jsonLines: true,
  }),
}
