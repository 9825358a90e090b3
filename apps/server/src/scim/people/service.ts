// Use cases of people whom an identity provider manages. A person is active while they have a membership, accepted or
// pending; nothing here touches accounts.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { emitMembers } from '../../members/changes.ts'
import {
  endProvisioned,
  lockNamespace,
  provisionMember,
  renewInviter,
  spendInvitation,
} from '../../members/provisioned.ts'
import type { ScimContext, ScimDeps } from '../context.ts'
import type { Condition } from '../protocol/paths.ts'
import { findSettings } from '../store.ts'
import type { PersonDescription } from './description.ts'
import { applyRoles } from './roles.ts'
import {
  type PersonRow,
  countPeople,
  deletePerson,
  findPerson,
  insertPerson,
  isMemberTaken,
  isUserNameTaken,
  listPeople,
  updatePerson,
} from './store.ts'

export interface Listed<T> {
  readonly rows: readonly T[]
  readonly total: number
}

/** Changes of memberships, emitted after the transaction. */
interface Effects {
  readonly added: Set<UserId>
  readonly changed: Set<UserId>
  readonly removed: Set<UserId>
}

export function list(
  ctx: ScimContext,
  query: { readonly conditions: readonly Condition[]; readonly offset: number; readonly limit: number },
): Promise<Listed<PersonRow>> {
  return listPeople(ctx.db, ctx.tenant, query)
}

/** @throws {BowlineError} NOT_FOUND */
export async function get(ctx: ScimContext, id: string): Promise<PersonRow> {
  return (await findPerson(ctx.db, ctx.tenant, id)) ?? fail('NOT_FOUND', { what: 'The user' })
}

/**
 * Adds somebody; who is active becomes a member or is invited.
 * @throws {BowlineError} CONFLICT for a taken userName or address; POLICY_LIMIT; TOO_MANY_REQUESTS for invitations
 */
export async function create(deps: ScimDeps, ctx: ScimContext, wanted: PersonDescription): Promise<PersonRow> {
  return change(deps, ctx, wanted.active ? wanted.email : undefined, async (inner, effects) => {
    const { db, tenant } = inner
    if ((await countPeople(db, tenant)) >= LIMITS.scim.people) {
      fail('POLICY_LIMIT', { limit: LIMITS.scim.people, what: 'users of the identity provider' })
    }
    const at = new Date(ctx.clock.now())
    const row = { tenant_id: tenant, id: deps.ids.uuid(), created_at: at, changed_at: at }
    await requireFreeName(inner, row.id, wanted)
    const person = await insertPerson(db, { ...row, ...valuesOf(wanted), user_id: null, former_user: null })
    if (wanted.active) await activate(deps, inner, person, effects)
    return row.id
  })
}

/**
 * Changes somebody: a new `active` ends or restores the membership.
 * @param describe makes the wanted description of the present one
 * @throws {BowlineError} NOT_FOUND; as {@link create}; OWNER_REFUSED
 */
export async function update(
  deps: ScimDeps,
  ctx: ScimContext,
  id: string,
  describe: (before: PersonDescription) => PersonDescription,
): Promise<PersonRow> {
  const known = await get(ctx, id)
  const next = describe(descriptionOf(known))
  const mayInvite = next.active && (known.user_id === null || known.email !== next.email)
  return change(deps, ctx, mayInvite ? next.email : undefined, async (inner, effects) => {
    const before = (await findPerson(inner.db, inner.tenant, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    const wanted = describe(descriptionOf(before))
    await requireFreeName(inner, id, wanted)
    const values = { ...valuesOf(wanted), changed_at: new Date(ctx.clock.now()) }
    await updatePerson(inner.db, inner.tenant, id, values)
    const person = { ...before, ...values }
    const moved = before.email !== wanted.email
    if (!wanted.active) await deactivate(inner, person, effects)
    // Another address may be another person's: they are invited.
    if (!wanted.active && moved) await updatePerson(inner.db, inner.tenant, id, { former_user: null })
    if (!wanted.active) return id
    if (person.user_id !== null) await keep(deps, inner, { person, user: person.user_id, moved }, effects)
    else await activate(deps, inner, moved ? { ...person, former_user: null } : person, effects)
    return id
  })
}

/** Deletes somebody, and ends the membership. @throws {BowlineError} NOT_FOUND; OWNER_REFUSED */
export async function remove(deps: ScimDeps, ctx: ScimContext, id: string): Promise<void> {
  const effects: Effects = { added: new Set(), changed: new Set(), removed: new Set() }
  const end = async (db: Kysely<Schema>): Promise<void> => {
    const inner = { ...ctx, db }
    await lockNamespace(db, ctx.tenant)
    const person = (await findPerson(db, ctx.tenant, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    await deactivate(inner, person, effects)
    await deletePerson(db, ctx.tenant, id)
  }
  await deps.turns.run(ctx.tenant, () => deps.system.transaction().execute(end))
  await tell(deps, ctx, effects)
}

/** Present description of a person. */
export function descriptionOf(row: PersonRow): PersonDescription {
  return {
    userName: row.user_name,
    externalId: row.external_id,
    displayName: row.display_name,
    givenName: row.given_name,
    familyName: row.family_name,
    email: row.email,
    active: row.user_id !== null,
  }
}

/** @param invited address of whom the change may invite */
async function change(
  deps: ScimDeps,
  ctx: ScimContext,
  invited: string | undefined,
  work: (inner: ScimContext, effects: Effects) => Promise<string>,
): Promise<PersonRow> {
  const effects: Effects = { added: new Set(), changed: new Set(), removed: new Set() }
  const apply = async (db: Kysely<Schema>): Promise<PersonRow> => {
    const inner = { ...ctx, db }
    await lockNamespace(db, ctx.tenant)
    const id = await work(inner, effects)
    for (const user of await applyRoles(inner, [id])) effects.changed.add(user)
    return (await findPerson(db, ctx.tenant, id)) ?? fail('INTERNAL')
  }
  const row = await deps.turns.run(ctx.tenant, async () => {
    if (invited !== undefined) {
      const { mails } = await findSettings(ctx.db, ctx.tenant)
      await spendInvitation({ db: deps.system, mails: deps.mails }, ctx, {
        email: invited,
        inviter: ctx.creator,
        mails,
      })
    }
    return deps.system.transaction().execute(apply)
  })
  await tell(deps, ctx, effects)
  return row
}

async function tell(deps: ScimDeps, ctx: ScimContext, { added, changed, removed }: Effects): Promise<void> {
  for (const id of removed) ctx.emit({ type: 'member.removed', id })
  await emitMembers(deps.system, ctx, changed, added)
}

async function requireFreeName(ctx: ScimContext, id: string, { userName }: PersonDescription): Promise<void> {
  if (await isUserNameTaken(ctx.db, ctx.tenant, userName.toLowerCase(), id)) {
    fail('CONFLICT', { field: 'userName' }, ['userName'])
  }
}

async function activate(deps: ScimDeps, ctx: ScimContext, person: PersonRow, effects: Effects): Promise<void> {
  const { db, tenant, creator: inviter } = ctx
  const { mails, default_role: role } = await findSettings(db, tenant)
  const { user, isNew } = await provisionMember(deps, ctx, {
    email: person.email,
    role,
    former: person.former_user,
    inviter,
    mails,
  })
  if (await isMemberTaken(db, tenant, user, person.id)) fail('CONFLICT', { field: 'emails' }, ['emails'])
  await updatePerson(db, tenant, person.id, { user_id: user, former_user: null })
  effects[isNew ? 'added' : 'changed'].add(user)
}

/** @throws {BowlineError} OWNER_REFUSED */
async function deactivate(ctx: ScimContext, { id, user_id: user }: PersonRow, effects: Effects): Promise<void> {
  if (user === null) return
  const ended = await endProvisioned(ctx, user)
  // Only who has accepted before comes back without another invitation.
  await updatePerson(ctx.db, ctx.tenant, id, { user_id: null, former_user: ended === 'accepted' ? user : null })
  effects.removed.add(user)
}

/** A new address of somebody who has not accepted yet is another invitation; the account of a member stays theirs. */
async function keep(
  deps: ScimDeps,
  ctx: ScimContext,
  { person, user, moved }: { readonly person: PersonRow; readonly user: UserId; readonly moved: boolean },
  effects: Effects,
): Promise<void> {
  const status = await renewInviter(ctx, user, ctx.creator)
  if (!moved || status !== 'pending') return
  await deactivate(ctx, person, effects)
  await activate(deps, ctx, { ...person, user_id: null, former_user: null }, effects)
}

function valuesOf(wanted: PersonDescription) {
  return {
    user_name: wanted.userName,
    user_name_key: wanted.userName.toLowerCase(),
    external_id: wanted.externalId,
    email: wanted.email,
    display_name: wanted.displayName,
    given_name: wanted.givenName,
    family_name: wanted.familyName,
  }
}
