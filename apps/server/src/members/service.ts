// Use cases of memberships. Owners cannot be added or changed; members act on roles up to their own.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { type Role, hasAuthorityOver } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Namespace, NamespaceAfterRemoval } from '@bowline/contract/schemas/namespace'
import type { DisabledKey } from '@bowline/contract/schemas/public-key'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import { type AuthDeps, authenticate, sameLife } from '../auth/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace } from '../namespaces/service.ts'
import { disableKeysOf } from '../public-keys/service.ts'
import { type Account, findAccountByEmail, getAccount, inviteAccount } from '../users/service.ts'
import {
  type MemberRow,
  clearPreference,
  deleteMember,
  insertMember,
  listTenantsOf,
  lockMember,
  updateMember,
} from './store.ts'

/** Content of an invitation link. */
export interface Invite {
  readonly tenant: TenantId
  readonly user: UserId
  readonly email: string
  readonly sig: string
}

export interface InvitationDeps extends Pick<AuthDeps, 'db' | 'ids'> {
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** Sends the link to the invited person; undefined if this server cannot. */
  readonly sendInvite?: ((invite: Invite) => void) | undefined
}

export type MemberDeps = InvitationDeps & AuthDeps

/**
 * Adds a member. In the cloud edition the member is pending for 7 days and can be invited again afterwards; otherwise
 * accepted immediately.
 * @throws {BowlineError} ROLE_TOO_HIGH; NOT_FOUND for an unknown address; ALREADY_MEMBER; NOT_WORKING_YET for an
 *   invitation that cannot be sent
 */
export async function addMember(
  deps: InvitationDeps,
  ctx: TenantContext,
  input: { email: string; role: Role },
): Promise<Namespace> {
  requireAuthority(ctx, input.role)
  const { sendInvite } = deps
  const cloud = deps.edition === 'cloud'
  if (cloud && !sendInvite) fail('NOT_WORKING_YET')
  const account =
    (await findAccountByEmail(deps.db, input.email)) ??
    (cloud ? await inviteAccount(deps.db, deps.ids, input.email) : undefined)
  if (!account) return fail('NOT_FOUND', { what: 'The user' }, ['email'])
  const now = ctx.clock.now()
  const sig = deps.ids.secret(32)
  const renewed = await deps.db.transaction().execute(async (db) => {
    const known = await lockMember(db, ctx.tenant, account.id)
    const lapsed = known?.status === 'pending' && known.expires_at !== null && known.expires_at.getTime() <= now
    if (known && !lapsed) fail('ALREADY_MEMBER', {}, ['email'])
    const invite = cloud
      ? {
          status: 'pending' as const,
          expires_at: new Date(now + LIMITS.inviteDays * 86_400_000),
          invite_hash: inviteHash(sig),
        }
      : { status: 'accepted' as const, expires_at: null, invite_hash: null }
    if (known) await updateMember(db, ctx.tenant, account.id, { role: input.role, ...invite })
    else await insertMember(db, { tenant_id: ctx.tenant, user_id: account.id, role: input.role, ...invite })
    await audit({ ...ctx, db }, 'member.add', account.id, { email: account.email, role: input.role })
    return known !== undefined
  })
  if (cloud) sendInvite?.({ tenant: ctx.tenant, user: account.id, email: account.email, sig })
  return emitMember(deps, ctx, account.id, renewed ? 'member.changed' : 'member.added')
}

/** Emits the member's new state. @returns the whole namespace, for the answer */
async function emitMember(
  deps: Pick<InvitationDeps, 'db'>,
  ctx: TenantContext,
  user: UserId,
  type: 'member.added' | 'member.changed',
): Promise<Namespace> {
  const namespace = await getNamespace(deps.db, ctx.tenant)
  const member = namespace.members.find(({ id }) => id === user)
  // If the member was removed meanwhile, that removal has emitted its own event.
  if (member) ctx.emit({ type, member })
  return namespace
}

/**
 * Changes a member's role; does nothing without one.
 * @throws {BowlineError} NOT_FOUND; ROLE_TOO_HIGH for the member's current or new role
 */
export async function updateMemberRole(
  deps: MemberDeps,
  ctx: TenantContext,
  user: UserId,
  role: Role | undefined,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const member = (await lockMember(db, ctx.tenant, user)) ?? fail('NOT_FOUND', { what: 'The member' })
    if (role === undefined) return
    requireAuthority(ctx, member.role)
    requireAuthority(ctx, role)
    await updateMember(db, ctx.tenant, user, { role })
    await audit({ ...ctx, db }, 'member.update', user, { before: { role: member.role }, after: { role } })
  })
  if (role !== undefined) await emitMember(deps, ctx, user, 'member.changed')
}

/**
 * Ends a membership: the member's SSH keys are disabled, their API keys end, and so do their sessions.
 * @returns the namespace without the member, and the keys that were disabled
 * @throws {BowlineError} NOT_FOUND; ROLE_TOO_HIGH
 */
export async function removeMember(
  deps: Pick<InvitationDeps, 'db'>,
  ctx: TenantContext,
  user: UserId,
): Promise<NamespaceAfterRemoval> {
  const keys = await deps.db.transaction().execute(async (db) => {
    const member = (await lockMember(db, ctx.tenant, user)) ?? fail('NOT_FOUND', { what: 'The member' })
    requireAuthority(ctx, member.role)
    return endMembership({ ...ctx, db }, member, 'member.remove')
  })
  ctx.emit({ type: 'member.removed', id: user })
  return { ...(await getNamespace(deps.db, ctx.tenant)), disabled_keys: keys }
}

/**
 * Ends the caller's own membership.
 * @param ctx context of the namespace to leave
 * @returns a sign-in to another namespace when the token's own was left
 * @throws {BowlineError} NOT_FOUND for a namespace that the person is not in; OWNER_REFUSED
 */
export async function leaveNamespace(
  deps: MemberDeps,
  ctx: TenantContext,
  actor: UserActor,
): Promise<UserAuth | undefined> {
  await deps.db.transaction().execute(async (db) => {
    const member = (await lockMember(db, ctx.tenant, actor.id)) ?? fail('NOT_FOUND', { what: 'The namespace' })
    if (member.role === 'owner')
      fail('OWNER_REFUSED', { rule: 'The owner cannot leave a namespace; delete it instead' })
    await endMembership({ ...ctx, db }, member, 'member.leave')
  })
  ctx.emit({ type: 'member.removed', id: actor.id })
  if (actor.tenant !== ctx.tenant) return undefined
  const account: Account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
  return authenticate(deps, account, sameLife(actor))
}

/** A key disabled by the end of a membership. */
export interface DisabledKeyOf extends DisabledKey {
  readonly tenant: TenantId
}

/**
 * Ends every membership of an account that will be deleted, as {@link removeMember} does; the caller refuses owners of
 * namespaces.
 * @param db system connection, in the transaction that deletes the account
 * @param contextOf the namespace's context; its connection is not used
 */
export async function endEveryMembership(
  db: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  user: UserId,
): Promise<DisabledKeyOf[]> {
  const keys: DisabledKeyOf[] = []
  for (const tenant of await listTenantsOf(db, user)) {
    const member = await lockMember(db, tenant, user)
    if (!member) continue
    const disabled = await endMembership({ ...contextOf(tenant), db }, member, 'member.remove')
    keys.push(...disabled.map((key) => ({ ...key, tenant })))
  }
  return keys
}

/**
 * The person's API keys are deleted with the member's row: a later membership does not restore them. SSH keys are kept
 * but disabled, so that another member can take them over.
 * @param ctx context with the system connection, in a transaction
 */
async function endMembership(
  ctx: TenantContext,
  { user_id: user, role }: MemberRow,
  action: 'member.remove' | 'member.leave',
): Promise<DisabledKey[]> {
  const keys = await disableKeysOf(ctx, user)
  await deleteMember(ctx.db, ctx.tenant, user)
  await clearPreference(ctx.db, ctx.tenant, user)
  await audit(ctx, action, user, { role, keys: keys.map(({ fingerprint }) => fingerprint) })
  return keys
}

export function inviteHash(sig: string): Buffer {
  return createHash('sha256').update(sig).digest()
}

/** The operator of the instance has an owner's authority. */
function requireAuthority({ actor }: TenantContext, target: Role): void {
  const own = actor.kind === 'system' ? 'owner' : actor.kind === 'device' ? undefined : actor.role
  if (own === undefined || !hasAuthorityOver(own, target)) fail('ROLE_TOO_HIGH', { role: own ?? 'nobody', target })
}
