// Access requests and roles of a test's namespace, and calls about them.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TenantIds, TestTenant } from './tenant.ts'

const HOUR_MS = 3_600_000

/**
 * A pending request of the observer, who decides none, an active one of the owner, and a role of the person who is invited.
 * @param mark text of the rows
 * @param tag of the devices that the role is for
 */
export async function fillAccess(
  db: Kysely<Schema>,
  { id: tenant_id, ids, members, owner, pending }: TestTenant,
  mark: string,
  tag: string,
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
  const role = { tenant_id, id: ids.role, name: mark, permissions: ['sessionPlay'], tags: [tag] }
  await db.insertInto('namespace_roles').values(role).execute()
  await db.insertInto('member_roles').values({ tenant_id, user_id: pending, role_id: ids.role }).execute()
}

/** Inputs of calls. @param tag of the namespace @param member that roles are given to */
export function accessSamples(
  { accessRequest, activeAccess, role }: TenantIds,
  tag: string,
  member: { readonly tenant: string; readonly uid: string },
) {
  const pending = { params: { id: accessRequest }, body: {} }
  return {
    'accessRequests.create': { body: { tag, accounts: ['root'], minutes: 60, reason: 'to look' } },
    'accessRequests.approve': pending,
    'accessRequests.deny': pending,
    'accessRequests.end': { params: { id: activeAccess } },
    'roles.create': { body: { name: `r${randomUUID()}`, permissions: ['auditRead'] } },
    'roles.update': { params: { id: role }, body: { name: `r${randomUUID()}`, permissions: ['auditRead'] } },
    'roles.remove': { params: { id: role } },
    'roles.assign': { params: member, body: { roles: [role] } },
  }
}
