// Use cases of namespaces and memberships.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Role } from '@bowline/contract/roles'
import { NEVER, type TenantId, type UserId } from '@bowline/contract/schemas/common'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { compileFilter } from '../db/lists/filter.ts'
import type { Listing } from '../db/lists/listing.ts'
import { countOwnedNamespaces, lockAccount } from '../users/service.ts'
import type { Ids } from '../platform/ids.ts'
import { settingsOf } from './settings.ts'
import {
  NAMESPACE_PROPERTIES,
  type MemberRow,
  type NamespaceRow,
  findFirstMembership,
  findMembership,
  findNamespace,
  findTenantByName,
  findWholeNamespace,
  insertNamespace,
  isNamespaceNameTaken,
  listDisabled,
  listEveryNamespace,
  listMembers,
  listNamespacesOf,
  tenantExists,
  updateNamespace,
  readSessionRecord,
} from './store.ts'

/**
 * Creates a namespace with its owner.
 * @param db system connection, inside the caller's transaction
 * @throws {BowlineError} CONFLICT when the name is taken, or was another namespace's lately
 */
export async function createNamespace(
  db: Kysely<Schema>,
  ids: Ids,
  namespace: NewNamespace & { readonly owner: UserId },
): Promise<TenantId> {
  if (await isNamespaceNameTaken(db, namespace.name)) fail('CONFLICT', { field: 'name' }, ['name'])
  const tenant = namespace.tenant ?? ids.tenant()
  await insertNamespace(
    db,
    { tenant_id: tenant, name: namespace.name, owner: namespace.owner, type: namespace.type, session_record: true },
    { tenant_id: tenant, user_id: namespace.owner, role: 'owner', status: 'accepted' },
  )
  return tenant
}

/** Default announcement on login to a device of a new community namespace. */
const WELCOME = 'Welcome. This device is reached through Bowline.'

export interface NewNamespace {
  readonly name: string
  readonly tenant?: TenantId | undefined
  readonly type: 'personal' | 'team'
}

/**
 * Creates a namespace for a signed-in person.
 * @param db system connection
 * @throws {BowlineError} NOT_FOUND when the account is gone; NAMESPACE_LIMIT; CONFLICT for a taken name or tenant
 */
export async function createOwnNamespace(
  db: Kysely<Schema>,
  ids: Ids,
  edition: 'community' | 'enterprise' | 'cloud',
  user: UserId,
  wanted: NewNamespace,
): Promise<Namespace> {
  const tenant = await db.transaction().execute(async (inner) => {
    // Locks the account so that concurrent calls respect the limit.
    const { maxNamespaces: limit } = (await lockAccount(inner, user)) ?? fail('NOT_FOUND', { what: 'The user' })
    if (limit >= 0 && (await countOwnedNamespaces(inner, user)) >= limit) fail('NAMESPACE_LIMIT', { limit })
    return createDefaultNamespace(inner, ids, edition, { ...wanted, owner: user })
  })
  return getNamespace(db, tenant)
}

/**
 * Creates a namespace with default settings, regardless of its owner's limit.
 * @param db system connection, inside the caller's transaction
 * @throws {BowlineError} CONFLICT for a taken name or tenant
 */
export async function createDefaultNamespace(
  db: Kysely<Schema>,
  ids: Ids,
  edition: 'community' | 'enterprise' | 'cloud',
  wanted: NewNamespace & { readonly owner: UserId },
): Promise<TenantId> {
  if (wanted.tenant && (await tenantExists(db, wanted.tenant))) fail('CONFLICT', { field: 'tenant' }, ['tenant'])
  const tenant = await createNamespace(db, ids, wanted)
  await updateNamespace(db, tenant, {
    max_devices: edition === 'cloud' ? LIMITS.maxDevices : -1,
    connection_announcement: edition === 'community' ? WELCOME : '',
  })
  return tenant
}

/** All namespaces, ordered by name. @param db system connection */
export async function listAllNamespaces(db: Kysely<Schema>): Promise<Namespace[]> {
  const rows = await listEveryNamespace(db)
  const members = await listMembers(
    db,
    rows.map((row) => row.tenant_id),
  )
  return rows.map((row) => toNamespace(row, members))
}

/** The tenant id of the namespace with that name, in any case. @param db system connection */
export function findTenant(db: Kysely<Schema>, name: string): Promise<TenantId | undefined> {
  return findTenantByName(db, name.toLowerCase())
}

/** One namespace with its members. @param db system connection. @throws {BowlineError} NOT_FOUND */
export async function getNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<Namespace> {
  const row = (await findWholeNamespace(db, tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  return toNamespace(row, await listMembers(db, [tenant]))
}

/** Name of a namespace, without reading its members. @param db system connection @throws {BowlineError} NOT_FOUND */
export async function getNamespaceName(db: Kysely<Schema>, tenant: TenantId): Promise<string> {
  return (await findNamespace(db, tenant))?.name ?? fail('NOT_FOUND', { what: 'The namespace' })
}

/** True if the namespace's sessions are recorded. @throws {BowlineError} NOT_FOUND */
export async function getRecording(ctx: TenantContext): Promise<boolean> {
  return (await readSessionRecord(ctx.db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
}

/** Enables or disables recording of the namespace's sessions. */
export async function setRecording(ctx: TenantContext, on: boolean): Promise<void> {
  const before = await getRecording(ctx)
  await ctx.db.transaction().execute(async (db) => {
    await updateNamespace(db, ctx.tenant, { session_record: on })
    await audit({ ...ctx, db }, 'namespace.update', ctx.tenant, {
      before: { session_record: before },
      after: { session_record: on },
    })
  })
}

export interface Membership {
  readonly tenant: TenantId
  readonly role: Role
}

/** The accepted membership in `preferred` if there is one, else the oldest; in a disabled namespace if there is no other. */
export async function chooseMembership(
  db: Kysely<Schema>,
  user: UserId,
  preferred: TenantId | undefined,
): Promise<Membership | undefined> {
  const isOpen = preferred !== undefined && !(await isNamespaceDisabled(db, preferred))
  const role = isOpen && (await findMembership(db, user, preferred))
  if (preferred && role) return { tenant: preferred, role }
  const first = await findFirstMembership(db, user)
  return first && { tenant: first.tenant_id, role: first.role }
}

/**
 * Role of an accepted member; undefined for others.
 * @throws {BowlineError} NAMESPACE_DISABLED, to members
 */
export async function membershipRole(db: Kysely<Schema>, user: UserId, tenant: TenantId): Promise<Role | undefined> {
  const role = await findMembership(db, user, tenant)
  if (role !== undefined && (await isNamespaceDisabled(db, tenant))) fail('NAMESPACE_DISABLED')
  return role
}

/** True while administrators of the instance have disabled the namespace. @param db system connection */
export async function isNamespaceDisabled(db: Kysely<Schema>, tenant: TenantId): Promise<boolean> {
  const row = await findNamespace(db, tenant)
  return row !== undefined && row.disabled_at !== null
}

/** Those of the namespaces that are disabled. @param system connection of all namespaces */
export function findDisabledNamespaces(system: Kysely<Schema>, of: readonly TenantId[]): Promise<TenantId[]> {
  return of.length === 0 ? Promise.resolve([]) : listDisabled(system, of)
}

/** True if logins to the namespace's devices need a second factor. */
export async function asksForFactor({ db, tenant }: Pick<TenantContext, 'db' | 'tenant'>): Promise<boolean> {
  const row = await findWholeNamespace(db, tenant)
  return row !== undefined && settingsOf(row).ssh_second_factor
}

/** Name and device limit of a namespace; undefined when there is none, and while it is disabled. */
export async function getNamespaceLimits(
  db: Kysely<Schema>,
  tenant: TenantId,
): Promise<{ name: string; maxDevices: number } | undefined> {
  const row = await findNamespace(db, tenant)
  return row && row.disabled_at === null ? { name: row.name, maxDevices: row.max_devices } : undefined
}

/** A page of the namespaces in which a user is an accepted member. @param db system connection */
export async function listNamespaces(
  db: Kysely<Schema>,
  user: UserId,
  query: { page: number; per_page: number; filter?: string | undefined },
): Promise<Listing<Namespace>> {
  const { rows, total } = await listNamespacesOf(db, user, {
    where: compileFilter(query.filter, NAMESPACE_PROPERTIES, 'or'),
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  const members = await listMembers(
    db,
    rows.map((row) => row.tenant_id),
  )
  return { items: rows.map((row) => toNamespace(row, members)), total }
}

function toNamespace(row: NamespaceRow, members: readonly MemberRow[]): Namespace {
  return {
    name: row.name,
    owner: row.owner,
    tenant_id: row.tenant_id,
    members: members
      .filter((member) => member.tenant_id === row.tenant_id)
      .map((member) => ({
        id: member.user_id,
        added_at: member.added_at.toISOString(),
        expires_at: member.expires_at?.toISOString() ?? NEVER,
        email: member.email,
        role: member.role,
        status: member.status,
        provisioned: member.provisioned,
      })),
    settings: settingsOf(row),
    max_devices: row.max_devices,
    devices_count: row.devices_count,
    device_count: row.devices_count,
    created_at: row.created_at.toISOString(),
    billing: row.billing,
    type: row.type,
    disabled: row.disabled_at !== null,
  }
}
