// Use cases of groups of an identity provider. What changes in them changes the roles of their members.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { emitMembers } from '../../members/changes.ts'
import { lockNamespace } from '../../members/provisioned.ts'
import type { ScimContext, ScimDeps } from '../context.ts'
import { applyRoles } from '../people/roles.ts'
import { isRowId } from '../people/store.ts'
import { failField } from '../protocol/patch.ts'
import type { Condition } from '../protocol/paths.ts'
import type { GroupDescription } from './description.ts'
import {
  type GroupMember,
  type GroupRow,
  addGroupPeople,
  countGroupPeople,
  countGroups,
  deleteGroup,
  findGroup,
  insertGroup,
  isGroupNameTaken,
  listGroupPeople,
  listGroups,
  removeGroupPeople,
  updateGroup,
} from './store.ts'

export interface Group {
  readonly row: GroupRow
  /** Undefined where they were not asked for. */
  readonly people: readonly GroupMember[] | undefined
}

/** Members of all groups of one page: a page ends earlier when it would have more. */
const MEMBERS_OF_A_PAGE = 20_000

/** @param withPeople false leaves the members out */
export async function list(
  ctx: ScimContext,
  query: { readonly conditions: readonly Condition[]; readonly offset: number; readonly limit: number },
  withPeople: boolean,
): Promise<{ readonly groups: readonly Group[]; readonly total: number }> {
  const { rows, total } = await listGroups(ctx.db, ctx.tenant, query)
  if (!withPeople) return { groups: rows.map((row) => ({ row, people: undefined })), total }
  const ids = rows.map(({ id }) => id)
  const sizes = await countGroupPeople(ctx.db, ctx.tenant, ids)
  let sum = 0
  const fitting = rows.filter(({ id }, index) => (sum += sizes.get(id) ?? 0) <= MEMBERS_OF_A_PAGE || index === 0)
  const people = await listGroupPeople(
    ctx.db,
    ctx.tenant,
    fitting.map(({ id }) => id),
  )
  const byGroup = Map.groupBy(people, ({ group }) => group)
  return { groups: fitting.map((row) => ({ row, people: byGroup.get(row.id) ?? [] })), total }
}

/** @throws {BowlineError} NOT_FOUND */
export async function get(ctx: ScimContext, id: string, withPeople: boolean): Promise<Group> {
  const row = (await findGroup(ctx.db, ctx.tenant, id)) ?? fail('NOT_FOUND', { what: 'The group' })
  return { row, people: withPeople ? await listGroupPeople(ctx.db, ctx.tenant, [id]) : undefined }
}

/** @throws {BowlineError} CONFLICT for a taken name; POLICY_LIMIT; INVALID_INPUT for members that are not there */
export async function create(
  deps: ScimDeps,
  ctx: ScimContext,
  wanted: GroupDescription & { readonly members: readonly string[] | undefined },
): Promise<Group> {
  const id = deps.ids.uuid()
  await change(deps, ctx, async (inner) => {
    const { db, tenant } = inner
    if ((await countGroups(db, tenant)) >= LIMITS.scim.groups) {
      fail('POLICY_LIMIT', { limit: LIMITS.scim.groups, what: 'groups of the identity provider' })
    }
    await requireFreeName(inner, id, wanted)
    const at = new Date(ctx.clock.now())
    await insertGroup(db, { tenant_id: tenant, id, ...valuesOf(wanted), created_at: at, changed_at: at })
    await add(inner, id, wanted.members ?? [])
    return wanted.members ?? []
  })
  return get(ctx, id, true)
}

/**
 * Changes name and members of a group.
 * @param describe makes the wanted description of the present one, and changes the members in place
 * @throws {BowlineError} NOT_FOUND; as {@link create}
 */
export async function update(
  deps: ScimDeps,
  ctx: ScimContext,
  id: string,
  describe: (before: GroupDescription, members: Set<string>) => GroupDescription,
): Promise<void> {
  await change(deps, ctx, async (inner) => {
    const { db, tenant } = inner
    const row = (await findGroup(db, tenant, id)) ?? fail('NOT_FOUND', { what: 'The group' })
    const before = new Set((await listGroupPeople(db, tenant, [id])).map(({ person }) => person))
    const after = new Set(before)
    const wanted = describe({ name: row.name, externalId: row.external_id }, after)
    await requireFreeName(inner, id, wanted)
    await updateGroup(db, tenant, id, { ...valuesOf(wanted), changed_at: new Date(ctx.clock.now()) })
    const added = [...after].filter((person) => !before.has(person))
    const gone = [...before].filter((person) => !after.has(person))
    await removeGroupPeople(db, tenant, id, gone)
    await add(inner, id, added)
    // Another name may have another role, for everybody.
    return row.name_key === wanted.name.toLowerCase() ? [...added, ...gone] : [...after, ...gone]
  })
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(deps: ScimDeps, ctx: ScimContext, id: string): Promise<void> {
  await change(deps, ctx, async ({ db, tenant }) => {
    if (!(await findGroup(db, tenant, id))) fail('NOT_FOUND', { what: 'The group' })
    const people = await listGroupPeople(db, tenant, [id])
    await deleteGroup(db, tenant, id)
    return people.map(({ person }) => person)
  })
}

/** @param work @returns people whose groups it has changed */
async function change(
  deps: ScimDeps,
  ctx: ScimContext,
  work: (inner: ScimContext) => Promise<readonly string[]>,
): Promise<void> {
  const apply = async (db: Kysely<Schema>): Promise<UserId[]> => {
    const inner = { ...ctx, db }
    await lockNamespace(db, ctx.tenant)
    const people = await work(inner)
    return people.length === 0 ? [] : applyRoles(inner, people)
  }
  const changed = await deps.turns.run(ctx.tenant, () => deps.system.transaction().execute(apply))
  await emitMembers(deps.system, ctx, changed)
}

/** People of other namespaces are unknown here. */
async function add({ db, tenant }: ScimContext, group: string, people: readonly string[]): Promise<void> {
  if (people.length === 0) return
  const known = people.every((id) => isRowId(id)) ? await addGroupPeople(db, tenant, group, people) : 0
  if (known < people.length) failField('members', 'must be users of this namespace')
}

async function requireFreeName(ctx: ScimContext, id: string, { name }: GroupDescription): Promise<void> {
  if (await isGroupNameTaken(ctx.db, ctx.tenant, name.toLowerCase(), id)) {
    fail('CONFLICT', { field: 'displayName' }, ['displayName'])
  }
}

function valuesOf({ name, externalId }: GroupDescription) {
  return { name, name_key: name.toLowerCase(), external_id: externalId }
}
