// Entries of the audit log: who changed what, from where.
import * as z from 'zod'
import { Time, UserId } from './common.ts'

export const When = z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time' })

/** Filters of an audit log. */
export const AuditFilter = z.object({
  /** Id of the person who acted. */
  person: UserId.optional(),
  /** Action, or a noun such as `device` for all of its actions. */
  action: z
    .string()
    .max(64)
    .regex(/^[a-z-]+(\.[a-z-]+)?$/, 'must be an action such as device.accept, or a noun such as device')
    .optional(),
  from: When.optional(),
  /** Entries before this time. */
  to: When.optional(),
  /** Id of a change of many devices: the entries of each device that it has changed. */
  job: z.uuid('must be the id of a job').optional(),
  /**
   * `folded` leaves out the entries of each device that changes of many devices have written, `each` has them. Lists without a
   * search are folded, searches and exports are not, unless it is given.
   */
  bulk: z.enum(['folded', 'each'], 'must be folded or each').optional(),
})
export type AuditFilter = z.infer<typeof AuditFilter>

export const AuditEntry = z
  .object({
    id: z.number().int(),
    at: Time,
    actor: z.object({ type: z.enum(['user', 'api-key', 'system']), id: z.string(), name: z.string() }),
    /** Noun and verb, for example `device.accept`. */
    action: z.string(),
    target: z.string(),
    /** Name of the target, as it is now or was then, where it has one. */
    target_name: z.string().optional(),
    ip: z.string(),
    /** Non-secret fields before and after. */
    details: z.record(z.string(), z.unknown()),
    /** Id of the change of many devices that it is part of. */
    job: z.string().optional(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>
