// Counters, live events and the audit log of a namespace.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { AuditEntry, AuditFilter } from '../schemas/audit.ts'
import { Page } from '../schemas/common.ts'
import { LiveEvent } from '../schemas/event.ts'

/** Counts devices and containers together; the number of containers is also given separately. */
export const Stats = z
  .object({
    registered_devices: z.number().int(),
    online_devices: z.number().int(),
    pending_devices: z.number().int(),
    rejected_devices: z.number().int(),
    active_sessions: z.number().int(),
    /** Of others, for whoever may decide them; 0 for everybody else. */
    pending_access_requests: z.number().int(),
    containers: z.object({
      registered: z.number().int(),
      online: z.number().int(),
      pending: z.number().int(),
      rejected: z.number().int(),
    }),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>

export const stats = {
  get: operation({
    method: 'GET',
    path: '/api/stats',
    noun: 'stats',
    summary: 'Counts of devices and active sessions of the namespace',
    access: { kind: 'member', keys: true },
    response: Stats,
  }),
}

export const events = {
  /**
   * Read with fetch streaming; `Last-Event-ID` resumes. The stream ends when the token expires. Every member may read
   * it: its devices, sessions and members are in lists that observers can read too.
   */
  stream: operation({
    method: 'GET',
    path: '/api/events',
    noun: 'events',
    summary: 'Stream of changes in the namespace as they happen',
    access: { kind: 'member', keys: false },
    response: LiveEvent,
    stream: true,
    errors: ['TOO_MANY_REQUESTS'],
  }),
}

export const audit = {
  list: operation({
    method: 'GET',
    path: '/api/audit',
    noun: 'audit',
    summary: 'Entries of the audit log, the newest first; `format=csv` and `format=jsonl` export all that match',
    access: { kind: 'member', permission: 'auditRead', keys: true },
    query: Page.extend({
      ...AuditFilter.shape,
      /** Part of a target, of its name, or of a text in the details; case does not matter. */
      search: z.string().max(100, 'must have at most 100 characters').default(''),
      format: z.enum(['json', 'csv', 'jsonl'], 'must be json, csv or jsonl').default('json'),
    }),
    response: z.array(AuditEntry),
    total: true,
    jsonLines: true,
    asCsv: true,
    errors: ['TOO_MANY_REQUESTS'],
  }),
}
