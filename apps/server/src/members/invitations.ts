// Invitations: pending memberships with a secret link. The link works once, for the address that was invited, while
// whoever invited still may.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { type Role, hasAuthorityOver } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Invitation } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import { audit } from '../audit/service.ts'
import { spend } from '../budgets/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import { getNamespaceName } from '../namespaces/service.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import type { Ids } from '../platform/ids.ts'
import { type Account, deletePlaceholder, findAccountByEmail, getAccount, inviteAccount } from '../users/service.ts'
import { requireAuthority, requireOwnRole } from './authority.ts'
import { emitMember } from './changes.ts'
import {
  type InvitationRow,
  type MemberRow,
  deleteExpiredInvitations,
  deleteLeft,
  findInvitation,
  findMember,
  insertMember,
  listInvitationsOf,
  listLiveInvitations,
  listTenantsOf,
  lockMember,
  moveInvitations,
  updateMember,
} from './store.ts'

export interface InvitationDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly ids: Ids
  readonly mails: Pick<MailQueue, 'add' | 'link' | 'isSending'>
  /** False where nobody can register: only people who have an account can be invited. */
  readonly invitesNewPeople: boolean
}

/** Invitations of one namespace, and of one person, in a day: mails to strangers must not be free. */
export const INVITATIONS_OF_A_DAY = { name: 'invitations', limit: 200, hours: 24 }

export interface Invited {
  readonly email: string
  readonly role: Role
}

/**
 * Invites somebody. A repetition makes a new link and ends the earlier one.
 * @param way `mail`: the link goes to the invited address and nowhere else
 * @returns id of the invited account and the link
 * @throws {BowlineError} ROLE_TOO_HIGH; NOT_FOUND for an unknown address where nobody can register; ALREADY_MEMBER;
 *   TOO_MANY_REQUESTS; ROLE_PROVISIONED
 */
export async function invite(
  deps: InvitationDeps,
  ctx: TenantContext,
  { email, role }: Invited,
  way: 'mail' | 'link',
): Promise<{ readonly user: UserId; readonly link: string }> {
  requireAuthority(ctx, role)
  const { actor } = ctx
  const budgets = { db: deps.db, clock: ctx.clock }
  if (actor.kind !== 'system') await spend(budgets, INVITATIONS_OF_A_DAY, ctx.tenant)
  // Another namespace is no further budget.
  if (actor.kind === 'user') await spend(budgets, INVITATIONS_OF_A_DAY, actor.id)
  const known = await findAccountByEmail(deps.db, email)
  if (!known && !deps.invitesNewPeople) return fail('NOT_FOUND', { what: 'The user' }, ['email'])
  if (known?.isEmailUnproven) fail('ADDRESS_UNPROVEN', {}, ['email'])
  const sig = deps.ids.secret(32)
  const { account, isNew, link } = await deps.db.transaction().execute(async (db) => {
    const invited = known ?? (await inviteAccount(db, deps.ids, email))
    const member = await lockMember(db, ctx.tenant, invited.id)
    await requireOwnRole(db, ctx.tenant, invited.id)
    const invitation = invitationOf(ctx, { member, role, sig, email: invited.email, isMailed: way === 'mail' })
    if (member) await updateMember(db, ctx.tenant, invited.id, invitation)
    else await insertMember(db, { tenant_id: ctx.tenant, user_id: invited.id, ...invitation })
    await audit({ ...ctx, db }, 'member.invite', invited.id, { email: invited.email, role })
    const query = { 'tenant-id': ctx.tenant, 'user-id': invited.id, sig, email: invited.email }
    const made = deps.mails.link('/accept-invite', query)
    if (way === 'mail') await sendInvitation({ ...deps, db }, ctx, { account: invited, role, link: made })
    return { account: invited, isNew: member === undefined, link: made }
  })
  await emitMember(deps.db, ctx, account.id, isNew ? 'member.added' : 'member.changed')
  return { user: account.id, link }
}

/** Values of the pending member's row. */
function invitationOf(
  ctx: TenantContext,
  invitation: { member: MemberRow | undefined; role: Role; sig: string; email: string; isMailed: boolean },
) {
  const { member, role, sig, email, isMailed } = invitation
  const now = ctx.clock.now()
  if (member) {
    if (member.status !== 'pending') fail('ALREADY_MEMBER', {}, ['email'])
    requireAuthority(ctx, member.role)
  }
  const lives = member?.expires_at && member.expires_at.getTime() > now
  const sends = lives ? member.invite_sends + 1 : 1
  if (sends > LIMITS.inviteSends) fail('TOO_MANY_REQUESTS', { seconds: 86_400 })
  const { actor } = ctx
  return {
    role,
    status: 'pending' as const,
    expires_at: new Date(now + LIMITS.inviteDays * 86_400_000),
    invite_hash: hashOf(sig),
    invite_email: email,
    inviter: actor.kind === 'user' ? actor.id : null,
    invited_by_operator: actor.kind === 'system',
    invite_sends: sends,
    invite_mailed: isMailed,
  }
}

/**
 * Writes the mail of an invitation.
 * @param by.inviter default: the acting person
 * @param by.days life of the link
 */
export async function sendInvitation(
  { db, mails }: Pick<InvitationDeps, 'db' | 'mails'>,
  ctx: TenantContext,
  by: { account: Account; role: Role; link: string; inviter?: UserId; days?: number },
): Promise<void> {
  const { account, role, link, days = LIMITS.inviteDays } = by
  const namespace = await getNamespaceName(db, ctx.tenant)
  const person = by.inviter ?? (ctx.actor.kind === 'user' ? ctx.actor.id : undefined)
  const inviter = person && (await getAccount(db, person))
  await mails.add(db, {
    kind: 'invitation',
    to: account.email,
    user: account.id,
    source: ctx.source,
    values: { namespace, inviter: inviter?.name ?? '', role, link, days },
  })
}

/**
 * Accepts an invitation. Only the confirmed account with the invited address may, and only while the inviter may still
 * grant the role.
 * @param ctx context of the namespace
 * @param sig secret of the link; undefined for an invitation that {@link listInvitations} has shown
 * @throws {BowlineError} NOT_YOURS for the link of another account, or a wrong one; NOT_FOUND without a valid invitation
 */
export async function acceptInvitation(
  deps: Pick<InvitationDeps, 'db'>,
  ctx: TenantContext,
  actor: UserActor,
  sig: string | undefined,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const member = await lockMember(db, ctx.tenant, actor.id)
    if (!member) {
      const ofAnother = sig && (await findInvitation(db, hashOf(sig), new Date(ctx.clock.now())))
      return ofAnother && ofAnother.tenant_id === ctx.tenant ? fail('NOT_YOURS') : fail(...gone)
    }
    requireLive(member, ctx.clock.now())
    if (sig !== undefined && !isSecretOf(member, sig)) fail('NOT_YOURS')
    const account = await getAccount(db, actor.id)
    if (account?.status !== 'confirmed' || account.email !== member.invite_email) fail('NOT_YOURS')
    if (account.isEmailUnproven) fail('ADDRESS_UNPROVEN')
    if (!(await mayInviterStillInvite(db, member))) fail(...gone)
    const accepted = { status: 'accepted' as const, expires_at: null, invite_hash: null, invite_email: null }
    const at = new Date(ctx.clock.now())
    await updateMember(db, ctx.tenant, actor.id, { ...accepted, added_at: at, invite_sends: 0 })
    await deleteLeft(db, ctx.tenant, actor.id)
    await audit({ ...ctx, db }, 'member.accept', actor.id, { role: member.role })
  })
  await emitMember(deps.db, ctx, actor.id, 'member.changed')
}

const gone = ['NOT_FOUND', { what: 'The invitation' }] as const

/** @throws {BowlineError} NOT_FOUND unless the membership is an invitation that has not expired */
function requireLive(member: MemberRow | undefined, now: number): MemberRow {
  const expiry = member?.status === 'pending' ? member.expires_at : null
  if (!member || !expiry || expiry.getTime() <= now) return fail(...gone)
  return member
}

/** Comparing hashes reveals nothing of the secret. */
function isSecretOf({ invite_hash: hash }: MemberRow, sig: string): boolean {
  return hash !== null && hashOf(sig).equals(hash)
}

/** True if the inviter may still grant the role. @param db system connection */
export async function mayInviterStillInvite(db: Kysely<Schema>, invitation: MemberRow): Promise<boolean> {
  if (invitation.invited_by_operator) return true
  if (!invitation.inviter || (await getAccount(db, invitation.inviter))?.status === 'disabled') return false
  const inviter = await findMember(db, invitation.tenant_id, invitation.inviter)
  return inviter?.status === 'accepted' && hasAuthorityOver(inviter.role, invitation.role)
}

/** The same of an invitation that was read with the present role of its inviter. */
function isStillGranted({ invited_by_operator: byOperator, inviter_role: inviter, role }: InvitationRow): boolean {
  return byOperator || (inviter !== null && hasAuthorityOver(inviter, role))
}

/** An invitation as its link shows it. */
export interface InvitationState {
  /** Of the invited account. */
  readonly status: Exclude<Account['status'], 'disabled'>
  readonly namespace: string
  readonly role: Role
  /** Name of the person who invited; '' for the operator. */
  readonly inviter: string
}

/**
 * The invitation of a link, for whoever has it.
 * @throws {BowlineError} NOT_YOURS for a wrong secret; NOT_FOUND without a valid invitation
 */
export async function describeInvitation(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  tenant: TenantId,
  user: UserId,
  sig: string,
): Promise<InvitationState> {
  // A placeholder that is gone has left its invitations to the account that has its address now.
  const isGone = (await getAccount(db, user)) === undefined
  const invited = isGone
    ? await findInvitation(db, hashOf(sig), new Date(clock.now()))
    : await findMember(db, tenant, user)
  const member = requireLive(invited?.tenant_id === tenant ? invited : undefined, clock.now())
  if (!isSecretOf(member, sig)) fail('NOT_YOURS')
  if (!(await mayInviterStillInvite(db, member))) fail(...gone)
  const { status } = (await getAccount(db, member.user_id)) ?? fail(...gone)
  const inviter = member.inviter && (await getAccount(db, member.inviter))
  const namespace = await getNamespaceName(db, tenant)
  // That an account is disabled is not for whoever holds a link.
  return {
    status: status === 'disabled' ? 'confirmed' : status,
    namespace,
    role: member.role,
    inviter: inviter ? inviter.name : '',
  }
}

/** A placeholder whose owner registers through the link. */
export interface InvitedPlaceholder {
  readonly user: UserId
  /**
   * The secret went to the address by mail, or comes from the operator of the server. Links that members pass on
   * themselves prove nothing: they could register with addresses of others.
   */
  readonly isProven: boolean
}

/**
 * The placeholder that a secret belongs to.
 * @param email lower-case
 * @returns undefined when the secret is wrong, expired, for another address, or the address has an account
 */
export async function findInvitedPlaceholder(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  sig: string,
  email: string,
): Promise<InvitedPlaceholder | undefined> {
  const invitation = await findInvitation(db, hashOf(sig), new Date(clock.now()))
  if (!invitation || invitation.invite_email !== email) return undefined
  if (!(await mayInviterStillInvite(db, invitation))) return undefined
  const account = await getAccount(db, invitation.user_id)
  if (account?.status !== 'invited' || account.email !== email) return undefined
  return { user: account.id, isProven: invitation.invite_mailed || invitation.invited_by_operator }
}

/** True if somebody who still may has invited an address that has no account yet. @param email lower-case */
export async function isInvited(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  email: string,
): Promise<boolean> {
  const account = await findAccountByEmail(db, email)
  if (account?.status !== 'invited') return false
  for (const invitation of await listLiveInvitations(db, account.id, email, new Date(clock.now()))) {
    if (await mayInviterStillInvite(db, invitation)) return true
  }
  return false
}

/** Invitations of a confirmed account to its present address that it can accept now, newest first. */
export async function listInvitations(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  user: UserId,
): Promise<Invitation[]> {
  const rows = await listInvitationsOf(db, user, new Date(clock.now()))
  return rows.filter(isStillGranted).map((row) => ({
    tenant_id: row.tenant_id,
    namespace: row.namespace,
    role: row.role,
    inviter: row.inviter ?? '',
    expires_at: row.expires_at.toISOString(),
  }))
}

/** Invitations of an address that has become that of an account. */
export interface AdoptedInvitations {
  readonly placeholder: UserId
  readonly account: UserId
  /** Namespaces that had invited the placeholder. */
  readonly tenants: readonly TenantId[]
  /** Those of them whose invitation the account has now; it was a member of the others. */
  readonly moved: readonly TenantId[]
}

/**
 * Gives the invitations of a placeholder to the account that has proven its address, and deletes the placeholder.
 * @param db system connection, in a transaction
 */
export async function adoptInvitations(
  db: Kysely<Schema>,
  placeholder: UserId,
  account: UserId,
): Promise<AdoptedInvitations> {
  const tenants = await listTenantsOf(db, placeholder)
  // In the order of other changes of memberships: first the namespaces, which are listed in a fixed order.
  for (const tenant of tenants) await lockMember(db, tenant, placeholder)
  const moved = await moveInvitations(db, placeholder, account)
  await deletePlaceholder(db, placeholder)
  return { placeholder, account, tenants, moved }
}

/** Emits what {@link adoptInvitations} has changed, after its transaction. @param db system connection */
export async function emitAdopted(
  db: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  { placeholder, account, tenants, moved }: AdoptedInvitations,
): Promise<void> {
  for (const tenant of tenants) contextOf(tenant).emit({ type: 'member.removed', id: placeholder })
  for (const tenant of moved) await emitMember(db, contextOf(tenant), account, 'member.added')
}

/**
 * Removes expired invitations, and placeholders of people whom nobody invites any more.
 * @param db system connection
 */
export async function forgetInvitations(
  db: Kysely<Schema>,
  clock: Clock,
  contextOf: (tenant: TenantId) => TenantContext,
): Promise<void> {
  const ended = await deleteExpiredInvitations(db, new Date(clock.now()))
  for (const { tenant_id: tenant, user_id: id } of ended) contextOf(tenant).emit({ type: 'member.removed', id })
}
