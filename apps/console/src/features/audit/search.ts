// URL search parameters of audit logs.
import { UserId } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { PageSearch } from '../../ui/list/page-search.ts'

const Day = z.iso.date().optional().catch(undefined)

/** Filters that every audit log has. */
export const AuditFilterSearch = z.object({
  /** Id of the person who acted. */
  person: UserId.optional().catch(undefined),
  /** Action, or a noun for all of its actions. */
  action: z
    .string()
    .regex(/^[a-z-]{1,32}(\.[a-z-]{1,31})?$/)
    .optional()
    .catch(undefined),
  /** Days of the console's time zone; both inclusive. */
  from: Day,
  to: Day,
})
export type AuditFilterSearch = z.output<typeof AuditFilterSearch>

/** Invalid values are ignored: a mistyped URL shows the log, not an error. */
export const AuditSearch = PageSearch.extend({
  ...AuditFilterSearch.shape,
  /** Words in targets, their names and the details. */
  q: z.string().trim().max(64).optional().catch(undefined),
  /** Id of a change of many devices: the entries of each device. */
  job: z.uuid().optional().catch(undefined),
})
export type AuditSearch = z.output<typeof AuditSearch>

/** True when anything narrows the list. */
export function isFiltered({ q, job, person, action, from, to }: AuditSearch): boolean {
  return [q, job, person, action, from, to].some((value) => value !== undefined)
}
