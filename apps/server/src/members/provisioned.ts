// Memberships that an identity provider manages (SCIM). It decides who is a member and with which role; whose account
// that is, people decide themselves: they accept like other invitations, or, where an administrator of the server has allowed it,
// sign in by a provider that vouches for the address. The owner is never changed.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { audit, auditAll } from '../audit/service.ts'
import { spend } from '../budgets/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { ProvisionedRole } from '../db/tables/scim-tables.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { type Account, findAccountByEmail, getAccount, inviteAccount } from '../users/service.ts'
import { INVITATIONS_OF_A_DAY, type InvitationDeps, mayInviterStillInvite, sendInvitation } from './invitations.ts'
import { endMembership } from './service.ts'
import {
  type MemberRow,
  type RoleOfUser,
  insertMember,
  listProvisionedInvitations,
  lockMember,
  updateMember,
  updateRoles,
} from './store.ts'

export { lockNamespace } from '../membership/membership.ts'

/** Somebody whom the provider makes a member. */
export interface Provisioned {
  readonly email: string
  readonly role: ProvisionedRole
  /** Account that was this person's before the provider ended the membership. */
  readonly former: UserId | null
  /** Administrator who vouches for the provider; the invitation is void when they no longer may invite. */
  readonly inviter: UserId
  readonly mails: boolean
}

/** People without an account whom one person's providers may make known in a day: as many as one namespace has. */
const NEW_PEOPLE_OF_A_DAY = { name: 'new people', limit: LIMITS.scim.people, hours: 24 }

/**
 * Counts an invitation for the namespace and for whoever vouches for it. Call it outside of transactions.
 * @throws {BowlineError} TOO_MANY_REQUESTS
 */
export async function spendInvitation(
  { db, mails }: Pick<InvitationDeps, 'db' | 'mails'>,
  ctx: TenantContext,
  invited: Pick<Provisioned, 'email' | 'inviter' | 'mails'>,
): Promise<void> {
  const budgets = { db, clock: ctx.clock }
  if (invited.mails && mails.isSending) {
    await spend(budgets, INVITATIONS_OF_A_DAY, ctx.tenant)
    // Another namespace is no further budget.
    await spend(budgets, INVITATIONS_OF_A_DAY, invited.inviter)
  }
  if (!(await findAccountByEmail(db, invited.email))) await spend(budgets, NEW_PEOPLE_OF_A_DAY, invited.inviter)
}

/**
 * Makes somebody a member, or links the member they are already: pending until they have accepted, unless they were a
 * member before.
 * @param ctx context with the system connection, in a transaction that has locked the namespace
 */
export async function provisionMember(
  deps: Omit<InvitationDeps, 'db'>,
  ctx: TenantContext,
  person: Provisioned,
): Promise<{ readonly user: UserId; readonly isNew: boolean }> {
  const { db, tenant } = ctx
  const former = person.former === null ? undefined : await getAccount(db, person.former)
  const restores = former?.status === 'confirmed'
  const known = restores ? former : await findAccountByEmail(db, person.email)
  const account = known ?? (await inviteAccount(db, deps.ids, person.email))
  const member = await lockMember(db, tenant, account.id)
  if (member) {
    await linkMember(ctx, member, person.inviter)
    return { user: account.id, isNew: false }
  }
  const row = { tenant_id: tenant, user_id: account.id, role: person.role }
  if (restores) {
    await insertMember(db, { ...row, status: 'accepted', added_at: new Date(ctx.clock.now()) })
    await audit(ctx, 'member.add', account.id, { email: account.email, role: person.role })
    return { user: account.id, isNew: true }
  }
  const sends = person.mails && deps.mails.isSending && (known?.status === 'confirmed' || deps.invitesNewPeople)
  const sig = deps.ids.secret(32)
  const invitation = { ...lifeOf(ctx, person.inviter), invite_email: account.email, invite_mailed: sends }
  const secret = sends ? { invite_hash: hashOf(sig), invite_sends: 1 } : {}
  await insertMember(db, { ...row, status: 'pending', ...invitation, ...secret })
  await audit(ctx, 'member.invite', account.id, { email: account.email, role: person.role })
  if (sends) await mail(deps, ctx, account, person, sig)
  return { user: account.id, isNew: true }
}

/** An invitation of somebody else's becomes the provider's. */
async function linkMember(ctx: TenantContext, member: MemberRow, inviter: UserId): Promise<void> {
  if (member.status === 'pending') await updateMember(ctx.db, ctx.tenant, member.user_id, lifeOf(ctx, inviter))
  await audit(ctx, 'member.provision', member.user_id, { role: member.role, status: member.status })
}

/** The provider does not repeat itself: its invitations live longer than those of people. */
function lifeOf(ctx: TenantContext, inviter: UserId) {
  const expires = new Date(ctx.clock.now() + LIMITS.scim.inviteDays * 86_400_000)
  return { expires_at: expires, inviter, invited_by_operator: false }
}

async function mail(
  deps: Omit<InvitationDeps, 'db'>,
  ctx: TenantContext,
  account: Account,
  { inviter, role }: Provisioned,
  sig: string,
): Promise<void> {
  const query = { 'tenant-id': ctx.tenant, 'user-id': account.id, sig, email: account.email }
  const link = deps.mails.link('/accept-invite', query)
  const days = LIMITS.scim.inviteDays
  await sendInvitation({ ...deps, db: ctx.db }, ctx, { account, role, link, inviter, days })
}

/** Renews whoever vouches for an invitation that is still pending. @param ctx as {@link provisionMember} */
export async function renewInviter(
  ctx: TenantContext,
  user: UserId,
  inviter: UserId,
): Promise<MemberRow['status'] | undefined> {
  const member = await lockMember(ctx.db, ctx.tenant, user)
  if (member?.status === 'pending' && member.inviter !== inviter) {
    await updateMember(ctx.db, ctx.tenant, user, lifeOf(ctx, inviter))
  }
  return member?.status
}

/**
 * Ends a membership as `removeMember` does.
 * @param ctx as {@link provisionMember}
 * @returns what it was; undefined when it has ended already
 * @throws {BowlineError} OWNER_REFUSED
 */
export async function endProvisioned(ctx: TenantContext, user: UserId): Promise<MemberRow['status'] | undefined> {
  const member = await lockMember(ctx.db, ctx.tenant, user)
  if (!member) return undefined
  if (member.role === 'owner')
    fail('OWNER_REFUSED', { rule: 'The owner of the namespace cannot be removed or deactivated' })
  await endMembership(ctx, member, 'member.remove')
  return member.status
}

/**
 * Sets the roles that groups give, in as many statements for ten thousand people as for one.
 * @param ctx as {@link provisionMember}
 * @returns members whose role is another now
 */
export async function setProvisionedRoles(ctx: TenantContext, wanted: readonly RoleOfUser[]): Promise<UserId[]> {
  if (wanted.length === 0) return []
  const changed = await updateRoles(ctx.db, ctx.tenant, wanted)
  const entries = changed.map(({ user, before, role }) => ({
    target: user,
    details: { before: { role: before }, after: { role } },
  }))
  await auditAll(ctx, 'member.update', entries)
  return changed.map(({ user }) => user)
}

/**
 * Accepts what a provider has prepared for somebody whose address another provider, of the whole server, vouches for:
 * only in namespaces for which an administrator of the server has allowed it, and which the person has not left.
 * @param db system connection, in a transaction
 * @returns namespaces that the account is a member of now
 */
export async function joinProvisioned(
  { db, clock, contextOf }: JoinDeps,
  user: UserId,
  email: string,
): Promise<TenantId[]> {
  const joined: TenantId[] = []
  const now = new Date(clock.now())
  for (const tenant of await listProvisionedInvitations(db, user, email, now)) {
    const member = await lockMember(db, tenant, user)
    if (member?.status !== 'pending' || !(await mayInviterStillInvite(db, member))) continue
    const accepted = { status: 'accepted' as const, expires_at: null, invite_hash: null, invite_email: null }
    await updateMember(db, tenant, user, { ...accepted, added_at: now, invite_sends: 0 })
    await audit({ ...contextOf(tenant), db }, 'member.accept', user, { role: member.role })
    joined.push(tenant)
  }
  return joined
}

export interface JoinDeps {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly contextOf: (tenant: TenantId) => TenantContext
}
