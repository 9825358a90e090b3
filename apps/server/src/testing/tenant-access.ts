// Access requests of a test's namespace, and calls about them.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TenantIds, TestTenant } from './tenant.ts'

const HOUR_MS = 3_600_000

/** A pending request of the observer, who decides none, and an active one of the owner. @param mark text of the rows */
export async function fillAccess(
  db: Kysely<Schema>,
  { id: tenant_id, ids, members, owner }: TestTenant,
  mark: string,
): Promise<void> {
  const [now, later] = [new Date(), new Date(Date.now() + HOUR_MS)]
  const to = { tenant_id, device_name: mark, device_uid: ids.device, accounts: [mark], minutes: 60, reason: mark }
  const asked = { ...to, user_name: mark, created_at: now, pending_until: later }
  const decided = { state: 'approved' as const, decided_at: now, decided_by_name: mark, expires_at: later }
  await db
    .insertInto('access_requests')
    .values([
      { ...asked, id: ids.accessRequest, user_id: members.observer },
      { ...asked, ...decided, id: ids.activeAccess, user_id: owner },
    ])
    .execute()
}

/** Inputs of calls. @param tag of the namespace */
export function accessSamples({ accessRequest, activeAccess }: TenantIds, tag: string) {
  const pending = { params: { id: accessRequest }, body: {} }
  return {
    'accessRequests.create': { body: { tag, accounts: ['root'], minutes: 60, reason: 'to look' } },
    'accessRequests.approve': pending,
    'accessRequests.deny': pending,
    'accessRequests.end': { params: { id: activeAccess } },
  }
}
