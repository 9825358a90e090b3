// SQL of memberships in one namespace, on the system connection: users are instance-wide rows. Every statement names
// the tenant.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { isLimitReached } from '../db/limit-reached.ts'
import { showClosed } from '../db/show-closed.ts'
import { lockNamespace } from '../membership/membership.ts'
import type { MembersTable } from '../db/tables/namespace-tables.ts'
import type { Schema } from '../db/schema.ts'

export type MemberRow = Selectable<MembersTable>

/** Locks the namespace and returns a member. */
export async function lockMember(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<MemberRow | undefined> {
  await lockNamespace(db, tenant)
  return findMember(db, tenant, user)
}

export function findMember(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .executeTakeFirst()
}

/** The invitation with that secret, unless it has expired. */
export function findInvitation(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('invite_hash', '=', hash)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Invitations of a placeholder that have not expired. */
export function listLiveInvitations(db: Kysely<Schema>, user: UserId, email: string, now: Date): Promise<MemberRow[]> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('user_id', '=', user)
    .where('status', '=', 'pending')
    .where('invite_email', '=', email)
    .where('expires_at', '>', now)
    .execute()
}

export interface InvitationRow {
  readonly tenant_id: TenantId
  readonly namespace: string
  readonly role: Role
  /** Name of the person who invited; null for the operator. */
  readonly inviter: string | null
  readonly invited_by_operator: boolean
  /** Present role of whoever invited; null when they are disabled or no member. */
  readonly inviter_role: Role | null
  readonly expires_at: Date
}

/** Valid invitations of a user to the address that the account has now, newest first. */
export async function listInvitationsOf(db: Kysely<Schema>, user: UserId, now: Date): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    select members.tenant_id, namespaces.name as namespace, members.role, inviter.name as inviter, members.expires_at,
      members.invited_by_operator, inviting.role as inviter_role
    from members join namespaces on namespaces.tenant_id = members.tenant_id
      join users on users.id = members.user_id
      left join users as inviter on inviter.id = members.inviter
      left join members as inviting on inviting.tenant_id = members.tenant_id and inviting.user_id = members.inviter
        and inviting.status = 'accepted' and inviter.status <> 'disabled'
    where members.user_id = ${user} and members.status = 'pending' and members.expires_at > ${now}
      and members.invite_email = users.email and users.status = 'confirmed'
    order by members.expires_at desc, members.tenant_id`.execute(db)
  return rows
}

/** Deletes expired invitations, and placeholders without any. @returns the ended memberships */
export async function deleteExpiredInvitations(
  db: Kysely<Schema>,
  now: Date,
): Promise<{ tenant_id: TenantId; user_id: UserId }[]> {
  const ended = await db
    .deleteFrom('members')
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .returning(['tenant_id', 'user_id'])
    .execute()
  // Namespaces that can be restored have people, too.
  await db.transaction().execute(async (all) => {
    await showClosed(all)
    await sql`delete from users where status = 'invited'
      and not exists (select from members where members.user_id = users.id)`.execute(all)
  })
  return ended
}

/**
 * Makes invitations of a placeholder those of an account, except in namespaces that know the account already.
 * @param db in a transaction
 * @returns namespaces whose invitation is the account's now
 */
export async function moveInvitations(db: Kysely<Schema>, placeholder: UserId, account: UserId): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`
    update members set user_id = ${account} where user_id = ${placeholder} and status = 'pending'
      and not exists (select from members as own where own.tenant_id = members.tenant_id and own.user_id = ${account})
    returning tenant_id`.execute(db)
  return rows.map(({ tenant_id: tenant }) => tenant)
}

/** Namespaces that a user is a member of or invited to, in a fixed order that prevents deadlocks. */
export async function listTenantsOf(db: Kysely<Schema>, user: UserId): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('members')
    .select('tenant_id')
    .where('user_id', '=', user)
    .orderBy('tenant_id')
    .execute()
  return rows.map(({ tenant_id: tenant }) => tenant)
}

export async function insertMember(db: Kysely<Schema>, member: Insertable<MembersTable>): Promise<void> {
  await db.insertInto('members').values(member).execute()
}

/**
 * Adds a member unless the namespace is full.
 * @param db in a transaction, which goes on in either case
 * @returns false when there is no room
 */
export async function insertMemberWithinLimit(db: Kysely<Schema>, member: Insertable<MembersTable>): Promise<boolean> {
  await sql`savepoint before_member`.execute(db)
  try {
    await insertMember(db, member)
    return true
  } catch (error) {
    if (!isLimitReached(error)) throw error
    await sql`rollback to savepoint before_member`.execute(db)
    return false
  } finally {
    await sql`release savepoint before_member`.execute(db).catch(() => undefined)
  }
}

export async function updateMember(
  db: Kysely<Schema>,
  tenant: TenantId,
  user: UserId,
  values: Updateable<MembersTable> & { role?: Role },
): Promise<void> {
  await db.updateTable('members').set(values).where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
}

/** The role that a member is to have. */
export interface RoleOfUser {
  readonly user: UserId
  readonly role: Role
}

/**
 * Changes the roles of members in one statement; owners keep theirs.
 * @param db in a transaction that has locked the namespace
 * @returns members whose role was another, with that one
 */
export async function updateRoles(
  db: Kysely<Schema>,
  tenant: TenantId,
  wanted: readonly RoleOfUser[],
): Promise<(RoleOfUser & { readonly before: Role })[]> {
  const users = wanted.map(({ user }) => user)
  const roles = wanted.map(({ role }) => role)
  const { rows } = await sql<RoleOfUser & { readonly before: Role }>`
    update members as member set role = wanted.role
    from unnest(${users}::text[], ${roles}::text[]) as wanted (user_id, role)
      join members as known on known.tenant_id = ${tenant} and known.user_id = wanted.user_id
    where member.tenant_id = ${tenant} and member.user_id = wanted.user_id
      and member.role <> 'owner' and member.role <> wanted.role
    returning member.user_id as user, member.role as role, known.role as before`.execute(db)
  return rows
}

export async function deleteMember(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db.deleteFrom('members').where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
}

/** Clears the namespace as the user's preferred one. */
export async function clearPreference(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db
    .updateTable('users')
    .set({ preferred_tenant: null })
    .where('id', '=', user)
    .where('preferred_tenant', '=', tenant)
    .execute()
}

/**
 * True if an identity provider decides the member's role: provisioning is on, has a token, and knows the member; or it is
 * off, and the groups of a sign-in made the membership.
 */
export async function isProvisioned(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<boolean> {
  const { rows } = await sql`
    select from scim_people join scim_settings on scim_settings.tenant_id = scim_people.tenant_id
    where scim_people.tenant_id = ${tenant} and scim_people.user_id = ${user} and scim_settings.enabled
      and exists (select from scim_tokens where scim_tokens.tenant_id = ${tenant})
    union all
    select from provided_members where tenant_id = ${tenant} and user_id = ${user}
      and not exists (select from scim_settings where scim_settings.tenant_id = ${tenant} and enabled)`.execute(db)
  return rows.length > 0
}

/** Keeps that somebody has left by themselves. */
export async function insertLeft(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db
    .insertInto('left_members')
    .values({ tenant_id: tenant, user_id: user })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets it: they have accepted an invitation. */
export async function deleteLeft(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db.deleteFrom('left_members').where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
}

/**
 * Namespaces whose identity provider has invited a user by this address, and which an administrator of the server trusts
 * to make people members at a sign-in, in a fixed order. Those that the user has left are not among them.
 */
export async function listProvisionedInvitations(
  db: Kysely<Schema>,
  user: UserId,
  email: string,
  now: Date,
): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('scim_people', (join) =>
      join
        .onRef('scim_people.tenant_id', '=', 'members.tenant_id')
        .onRef('scim_people.user_id', '=', 'members.user_id'),
    )
    .innerJoin('scim_settings', 'scim_settings.tenant_id', 'members.tenant_id')
    .select('members.tenant_id')
    .where('members.user_id', '=', user)
    .where('members.status', '=', 'pending')
    .where('members.invite_email', '=', email)
    .where('members.expires_at', '>', now)
    .where('scim_settings.enabled', '=', true)
    .where('scim_settings.joins_at_sign_in', '=', true)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('left_members')
            .select('left_members.user_id')
            .whereRef('left_members.tenant_id', '=', 'members.tenant_id')
            .whereRef('left_members.user_id', '=', 'members.user_id'),
        ),
      ),
    )
    .orderBy('members.tenant_id')
    .execute()
  return rows.map(({ tenant_id: tenant }) => tenant)
}
