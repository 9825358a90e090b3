// Use cases of memberships. Owners cannot be added or changed; members act on roles up to their own.
import { fail } from '@bowline/contract/errors'
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Namespace, NamespaceAfterRemoval } from '@bowline/contract/schemas/namespace'
import type { DisabledKey } from '@bowline/contract/schemas/public-key'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Kysely } from 'kysely'
import { LIMITS } from '@bowline/contract/limits'
import { audit } from '../audit/service.ts'
import { spend } from '../budgets/service.ts'
import { type AuthDeps, authenticate, sameLife } from '../auth/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { endAccessOf } from '../access-requests/ending.ts'
import { forgetPersonInRules } from '../firewall/policy.ts'
import { getNamespace } from '../namespaces/service.ts'
import { disableKeysOf } from '../public-keys/service.ts'
import { type Account, findAccountByEmail, getAccount } from '../users/service.ts'
import { requireAuthority, requireOwnRole } from './authority.ts'
import { emitMember } from './changes.ts'
import { type InvitationDeps, type Invited, invite } from './invitations.ts'
import {
  type MemberRow,
  clearPreference,
  deleteMember,
  insertLeft,
  insertMember,
  listTenantsOf,
  lockMember,
  updateMember,
} from './store.ts'

export interface MemberDeps extends Omit<InvitationDeps, 'mails'>, AuthDeps {
  readonly edition: 'community' | 'enterprise' | 'cloud'
}

/**
 * Adds a member. The cloud edition mails an invitation, which a repetition renews; in the others people who have an
 * account are members at once.
 * @throws {BowlineError} as {@link invite} and {@link addKnownMember}
 */
export async function addMember(
  deps: InvitationDeps & Pick<MemberDeps, 'edition'>,
  ctx: TenantContext,
  input: Invited,
): Promise<Namespace> {
  if (deps.edition !== 'cloud') return addKnownMember(deps, ctx, input)
  await invite(deps, ctx, input, 'mail')
  return getNamespace(deps.db, ctx.tenant)
}

/** Addresses without an account that one caller may ask for. */
const UNKNOWN_ADDRESSES = { name: 'unknown addresses', limit: LIMITS.unknownAddressesPerHour, hours: 1 }

/**
 * Makes somebody who has an account a member at once.
 * @throws {BowlineError} ROLE_TOO_HIGH; NOT_FOUND for an unknown address; ADDRESS_UNPROVEN; ALREADY_MEMBER; ROLE_PROVISIONED; TOO_MANY_REQUESTS
 */
export async function addKnownMember(
  deps: Pick<InvitationDeps, 'db'>,
  ctx: TenantContext,
  { email, role }: Invited,
): Promise<Namespace> {
  requireAuthority(ctx, role)
  const account = await findAccountByEmail(deps.db, email)
  // A placeholder is nobody yet.
  if (!account || account.status === 'invited') {
    // Each answer tells that an address has no account.
    const { actor } = ctx
    const person = actor.kind === 'user' ? actor.id : actor.kind === 'api-key' ? actor.creator : ''
    if (actor.kind !== 'system') await spend({ db: deps.db, clock: ctx.clock }, UNKNOWN_ADDRESSES, person)
    return fail('NOT_FOUND', { what: 'The user' }, ['email'])
  }
  if (account.isEmailUnproven) fail('ADDRESS_UNPROVEN', {}, ['email'])
  const isNew = await deps.db.transaction().execute(async (db) => {
    const known = await lockMember(db, ctx.tenant, account.id)
    if (known && known.status !== 'pending') fail('ALREADY_MEMBER', {}, ['email'])
    await requireOwnRole(db, ctx.tenant, account.id)
    if (known) requireAuthority(ctx, known.role)
    const accepted = { role, status: 'accepted' as const, expires_at: null, invite_hash: null, invite_email: null }
    if (known) await updateMember(db, ctx.tenant, account.id, accepted)
    else await insertMember(db, { tenant_id: ctx.tenant, user_id: account.id, ...accepted })
    await audit({ ...ctx, db }, 'member.add', account.id, { email: account.email, role })
    return known === undefined
  })
  return emitMember(deps.db, ctx, account.id, isNew ? 'member.added' : 'member.changed')
}

/**
 * Changes a member's role; does nothing without one.
 * @throws {BowlineError} NOT_FOUND; ROLE_TOO_HIGH for the member's current or new role; ROLE_PROVISIONED
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
    await requireOwnRole(db, ctx.tenant, user)
    // Whoever changes the role of somebody invited answers for the invitation from then on.
    const { actor } = ctx
    const inviter = actor.kind === 'user' ? actor.id : null
    const vouched = member.status === 'pending' ? { inviter, invited_by_operator: actor.kind === 'system' } : {}
    await updateMember(db, ctx.tenant, user, { role, ...vouched })
    await audit({ ...ctx, db }, 'member.update', user, { before: { role: member.role }, after: { role } })
  })
  if (role !== undefined) await emitMember(deps.db, ctx, user, 'member.changed')
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

/** Outcome of ending an account's memberships. */
export interface EndedMemberships {
  readonly tenants: readonly TenantId[]
  readonly keys: readonly DisabledKeyOf[]
}

/**
 * Ends every membership of an account that will be deleted, as {@link removeMember} does; the caller refuses owners of
 * namespaces.
 * @param db system connection, in the transaction that deletes the account
 * @param contextOf the namespace's context; its connection is not used, and nothing is emitted
 */
export async function endEveryMembership(
  db: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  user: UserId,
): Promise<EndedMemberships> {
  const keys: DisabledKeyOf[] = []
  const tenants: TenantId[] = []
  for (const tenant of await listTenantsOf(db, user)) {
    const member = await lockMember(db, tenant, user)
    if (!member) continue
    const disabled = await endMembership({ ...contextOf(tenant), db }, member, 'member.remove')
    keys.push(...disabled.map((key) => ({ ...key, tenant })))
    tenants.push(tenant)
  }
  return { tenants, keys }
}

/**
 * The person's API keys are deleted with the member's row: a later membership does not restore them. SSH keys are kept
 * but disabled, so that another member can take them over. Firewall rules forget the person.
 * @param ctx context with the system connection, in a transaction
 */
export async function endMembership(
  ctx: TenantContext,
  { user_id: user, role }: MemberRow,
  action: 'member.remove' | 'member.leave',
): Promise<DisabledKey[]> {
  const keys = await disableKeysOf(ctx, user)
  await forgetPersonInRules(ctx, user)
  await endAccessOf(ctx, user)
  await deleteMember(ctx.db, ctx.tenant, user)
  await clearPreference(ctx.db, ctx.tenant, user)
  if (action === 'member.leave') await insertLeft(ctx.db, ctx.tenant, user)
  await audit(ctx, action, user, { role, keys: keys.map(({ fingerprint }) => fingerprint) })
  return keys
}
