// Entries of the audit log: who changed what, from where.
import * as z from 'zod'
import { Time } from './common.ts'

export const AuditEntry = z
  .object({
    id: z.number().int(),
    at: Time,
    actor: z.object({ type: z.enum(['user', 'api-key', 'system']), id: z.string(), name: z.string() }),
    /** Noun and verb, for example `device.accept`. */
    action: z.string(),
    target: z.string(),
    ip: z.string(),
    /** Non-secret fields before and after. */
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>
