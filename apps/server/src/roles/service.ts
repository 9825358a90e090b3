// Use cases of the roles that a namespace makes for itself. They never give more than an administrator has, so that whoever
// makes or assigns one gives nothing away that they do not have.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { OwnRole, OwnRoleBody } from '@bowline/contract/operations/fleet/roles'
import type { UserId } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { lockNamespace } from '../membership/membership.ts'
import type { Ids } from '../platform/ids.ts'
import {
  type RoleRow,
  countOwnRoles,
  deleteOwnRole,
  insertOwnRole,
  isOwnRoleNameTaken,
  listOwnRoles,
  listOwnRolesOf,
  lockOwnRole,
  lockOwnRoles,
  membersOf,
  setOwnRolesOf,
  updateOwnRole,
} from './store.ts'

export interface RoleDeps {
  readonly ids: Ids
  /** Refuses members whom the caller has no authority over. */
  readonly lockSubordinate: (ctx: TenantContext, user: UserId) => Promise<void>
  /** Tells live listeners about members whose roles have changed. */
  readonly changed: (ctx: TenantContext, users: readonly UserId[]) => Promise<void>
}

export async function list(ctx: TenantContext): Promise<OwnRole[]> {
  return (await listOwnRoles(ctx.db)).map((row) => toRole(row, row.members))
}

/** @throws {BowlineError} CONFLICT for a name in use; NAMESPACE_FULL */
export async function create({ ids }: RoleDeps, ctx: TenantContext, body: OwnRoleBody): Promise<OwnRole> {
  return ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db, ctx.tenant)
    const limit = LIMITS.roles.perNamespace
    if ((await countOwnRoles(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'roles' })
    if (await isOwnRoleNameTaken(db, body.name)) fail('CONFLICT', { field: 'name' }, ['name'])
    const row = await insertOwnRole(db, { ...body, id: ids.uuid(), tenant_id: ctx.tenant })
    await audit({ ...ctx, db }, 'role.create', row.id, described(row))
    return toRole(row, [])
  })
}

/** @throws {BowlineError} NOT_FOUND; CONFLICT for a name in use */
export async function update(
  { changed }: RoleDeps,
  ctx: TenantContext,
  id: string,
  body: OwnRoleBody,
): Promise<OwnRole> {
  const role = await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db, ctx.tenant)
    const before = (await lockOwnRole(db, id)) ?? fail('NOT_FOUND', { what: 'The role' })
    if (await isOwnRoleNameTaken(db, body.name, id)) fail('CONFLICT', { field: 'name' }, ['name'])
    const after = await updateOwnRole(db, id, body)
    await audit({ ...ctx, db }, 'role.update', id, { before: described(before), after: described(after) })
    return toRole(after, await membersOf(db, id))
  })
  await changed(ctx, role.members)
  return role
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove({ changed }: RoleDeps, ctx: TenantContext, id: string): Promise<void> {
  const members = await ctx.db.transaction().execute(async (db) => {
    const row = (await lockOwnRole(db, id)) ?? fail('NOT_FOUND', { what: 'The role' })
    const had = await membersOf(db, id)
    await deleteOwnRole(db, id)
    await audit({ ...ctx, db }, 'role.remove', id, { ...described(row), members: had })
    return had
  })
  await changed(ctx, members)
}

/**
 * Sets the roles of a member, also of one who is invited.
 * @throws {BowlineError} NOT_FOUND for the member or a role; ROLE_TOO_HIGH
 */
export async function assign(
  deps: RoleDeps,
  ctx: TenantContext,
  user: UserId,
  roles: readonly string[],
): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    await deps.lockSubordinate(inner, user)
    const before = await listOwnRolesOf(db, user)
    const wanted = await lockOwnRoles(db, roles)
    if (wanted.length < new Set(roles).size) fail('NOT_FOUND', { what: 'The role' })
    await setOwnRolesOf(db, ctx.tenant, user, roles)
    const names = (rows: readonly RoleRow[]): string[] => rows.map(({ name }) => name).toSorted()
    await audit(inner, 'member.roles', user, { before: names(before), after: names(wanted) })
  })
  await deps.changed(ctx, [user])
}

/** For the audit log. */
export function described({ name, permissions, tags }: RoleRow) {
  return { name, permissions: [...permissions], tags: tags && [...tags] }
}

function toRole(row: RoleRow, members: readonly UserId[]): OwnRole {
  return { id: row.id, ...described(row), members: [...members] } as OwnRole
}
