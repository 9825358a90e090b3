// Rows of a test's namespace that its roles do not depend on.
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TestTenant } from './tenant.ts'

/**
 * Provisioning that is off, so that roles can be changed by hand; billing and exports.
 * @param mark text of the rows
 */
export async function fillProvisioning(
  db: Kysely<Schema>,
  { id: tenant_id, ids, owner, sealedAuthority }: TestTenant,
  mark: string,
): Promise<void> {
  const [person, group, at] = [ids.connector, ids.recording, new Date(0)]
  const made = { tenant_id, created_at: at, changed_at: at }
  await db
    .insertInto('billing_accounts')
    .values({ tenant_id, customer_id: `cus_${tenant_id}` })
    .execute()
  await db.insertInto('scim_settings').values({ tenant_id, mails: false }).execute()
  await db.insertInto('scim_roles').values({ tenant_id, group_key: mark, group_name: mark, role: 'operator' }).execute()
  const given = { provider_id: null, group_name: mark, role: 'observer' as const }
  await db
    .insertInto('group_roles')
    .values({ tenant_id, ...given })
    .execute()
  await db.insertInto('user_authorities').values({ tenant_id, sealed: sealedAuthority }).execute()
  await db.insertInto('left_members').values({ tenant_id, user_id: owner }).execute()
  await db.insertInto('provided_members').values({ tenant_id, user_id: owner, provider_id: null }).execute()
  const past = new Date(0)
  await db
    .insertInto('namespace_exports')
    .values({ tenant_id, user_id: owner, link_hash: null, link_expires_at: past, busy_until: past })
    .execute()
  await db.insertInto('agent_update_policies').values({ tenant_id, mode: 'manual' }).execute()
  const rollout = {
    release: 2,
    version: mark,
    state: 'paused',
    stage: 'all',
    started_at: at,
    stage_since: at,
  } as const
  await db
    .insertInto('agent_rollouts')
    .values({ tenant_id, id: ids.rollout, ...rollout })
    .execute()
  await db
    .insertInto('agent_states')
    .values({ tenant_id, device_uid: ids.device, release: 1, since: at, reported_at: at })
    .execute()
  await db.insertInto('namespace_limits').values({ tenant_id, name: 'tunnels', value: 1_000 }).execute()
  const token = { id: ids.scimToken, name: mark, token_hash: createHash('sha256').update(ids.scimToken).digest() }
  await db
    .insertInto('scim_tokens')
    .values({ tenant_id, ...token, created_by: owner, created_at: at })
    .execute()
  await db
    .insertInto('scim_people')
    .values({ ...made, id: person, user_name: mark, user_name_key: mark, email: `${mark}@example.com` })
    .execute()
  await db
    .insertInto('scim_groups')
    .values({ ...made, id: group, name: mark, name_key: mark })
    .execute()
  await db.insertInto('scim_group_people').values({ tenant_id, group_id: group, person_id: person }).execute()
  await sql`insert into scim_requests (id, tenant_id, at, token_name, method, path, status, detail)
    overriding system value
    values (${ids.rule}, ${tenant_id}, ${at}, ${mark}, 'GET', '/Users', 400, ${mark})`.execute(db)
}
