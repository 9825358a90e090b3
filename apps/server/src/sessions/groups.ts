// Sessions counted by device or by person: what the list shows when it is grouped.
import type { Input } from '@bowline/contract/operation'
import type { sessions as operations } from '@bowline/contract/operations/sessions'
import type { SessionGroup } from '@bowline/contract/schemas/session'
import type { TenantContext } from '../context.ts'
import { compileFilter } from '../db/lists/filter.ts'
import type { Listing } from '../db/lists/listing.ts'
import { getMany } from '../devices/service.ts'
import { groupSessions } from './group-store.ts'
import { SESSION_PROPERTIES } from './store.ts'

/** A page of groups, of the sessions that match the filter. @throws {BowlineError} INVALID_FILTER */
export async function listGroups(
  ctx: TenantContext,
  query: Input<typeof operations.groups>['query'],
): Promise<Listing<SessionGroup>> {
  const { rows, total } = await groupSessions(ctx.db, {
    by: query.by,
    where: compileFilter(query.filter, SESSION_PROPERTIES, 'and'),
    sortBy: query.sort_by,
    order: query.order_by,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  const devices = await getMany(
    ctx,
    rows.flatMap(({ device_uid: uid }) => uid ?? []),
  )
  const items = rows.map((row): SessionGroup => {
    const device = row.device_uid === null ? undefined : devices.get(row.device_uid)
    return {
      device: row.device_uid && { uid: row.device_uid, name: device?.name ?? '', online: device?.online ?? false },
      person: row.person_id && { id: row.person_id, name: row.person },
      sessions: row.sessions,
      active: row.active,
      last_started_at: row.last_started_at.toISOString(),
    }
  })
  return { items, total }
}
