// Access requests, roles, tag rules and snippets of a test's namespace, and calls about them.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TenantIds, TestTenant } from './tenant.ts'

const HOUR_MS = 3_600_000

/**
 * A pending request of the observer, who decides none, an active one of the owner, a role of the person who is invited, a tag
 * rule and a snippet.
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
  const created = { created_at: new Date(0), created_by: owner, created_by_name: mark }
  const changed = { changed_at: new Date(0), changed_by: owner, changed_by_name: mark }
  await db
    .insertInto('shared_snippets')
    .values({ tenant_id, id: ids.snippet, name: mark, text: mark, tags: [tag], ...created, ...changed })
    .execute()
  // A rule that nothing matches: it takes no tag away.
  await db
    .insertInto('tag_rules')
    .values({ tenant_id, id: ids.tagRule, tag: mark, query: `note:${mark}-rule`, created_at: new Date(0) })
    .execute()
}

/** Inputs of calls. @param tag of the namespace @param member that roles are given to */
export function accessSamples(
  { accessRequest, activeAccess, role, tagRule }: TenantIds,
  tag: string,
  member: { readonly tenant: string; readonly uid: string },
) {
  const pending = { params: { id: accessRequest }, body: {} }
  return {
    'accessRequests.create': { body: { tag, accounts: ['root'], minutes: 60, reason: 'to look' } },
    'accessRequests.approve': pending,
    'accessRequests.deny': pending,
    'accessRequests.end': { params: { id: activeAccess } },
    'tagRules.create': { body: { tag: `t${randomUUID().slice(0, 8)}`, query: 'os:alpine' } },
    'tagRules.tryChange': { body: { tag, query: 'arch:arm64' } },
    'tagRules.update': { params: { id: tagRule }, body: { query: 'arch:arm64' } },
    'tagRules.remove': { params: { id: tagRule } },
    'roles.create': { body: { name: `r${randomUUID()}`, permissions: ['auditRead'] } },
    'roles.update': { params: { id: role }, body: { name: `r${randomUUID()}`, permissions: ['auditRead'] } },
    'roles.remove': { params: { id: role } },
    'roles.assign': { params: member, body: { roles: [role] } },
  }
}
