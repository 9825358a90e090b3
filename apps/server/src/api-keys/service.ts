// Use cases of API keys. A key is a UUID shown once; only its hash is stored. Its role is capped at its creator's
// current role, and it dies with the creator's membership.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { apiKeys as operations } from '@bowline/contract/operations/api-keys'
import type { Input, Output } from '@bowline/contract/operation'
import { type Role, rank } from '@bowline/contract/roles'
import type { UserId } from '@bowline/contract/schemas/common'
import type { ApiKey } from '@bowline/contract/schemas/api-key'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { ApiKeyActor, TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Listing } from '../db/lists/listing.ts'
import { holdMembership } from '../membership/membership.ts'
import type { Ids } from '../platform/ids.ts'
import {
  type ApiKeyRow,
  deleteApiKey,
  findApiKey,
  findKeyByHash,
  insertApiKey,
  isHashTaken,
  isNameTaken,
  listApiKeys,
  updateApiKey,
} from './store.ts'

export interface ApiKeyDeps {
  /** System connection: a key's value is unique over all namespaces. */
  readonly system: Kysely<Schema>
  readonly ids: Ids
}

/** Creator of a key, which never exceeds this member's role. */
export interface Creator {
  readonly id: UserId
  readonly role: Role
}

/**
 * Creates a key. The role defaults to the creator's, but is never `owner`: no key may have that.
 * @throws {BowlineError} ROLE_TOO_HIGH above the creator's role; CONFLICT for a taken name or key; UNAUTHORIZED when
 *   the creator's membership has just ended
 */
export async function createApiKey(
  deps: ApiKeyDeps,
  ctx: TenantContext,
  body: Input<typeof operations.create>['body'],
  creator: Creator = userOf(ctx),
): Promise<Output<typeof operations.create>> {
  const role = body.role ?? (creator.role === 'owner' ? 'administrator' : creator.role)
  requireGrantable(creator.role, role)
  if (await isNameTaken(ctx.db, body.name)) fail('CONFLICT', { field: 'name' }, ['name'])
  const id = body.key ?? deps.ids.uuid()
  const hash = keyHash(id)
  if (await isHashTaken(deps.system, hash)) fail('CONFLICT', { field: 'key' }, ['key'])
  const row = await ctx.db.transaction().execute(async (db) => {
    if (!(await holdMembership({ ...ctx, db }, creator.id))) fail('UNAUTHORIZED')
    const inserted = await insertApiKey(db, {
      tenant_id: ctx.tenant,
      name: body.name,
      key_hash: hash,
      role,
      scopes: body.scopes ?? null,
      created_by: creator.id,
      expires_at: expiry(ctx.clock.now(), body.expires_at),
    })
    await audit({ ...ctx, db }, 'api-key.create', body.name, {
      role,
      scopes: inserted.scopes,
      expires_at: body.expires_at,
    })
    return inserted
  })
  return { ...toApiKey(row), id, user_id: row.created_by }
}

export async function list(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<ApiKey>> {
  const { rows, total } = await listApiKeys(ctx.db, {
    sortBy: query.sort_by,
    order: query.order_by,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toApiKey(row)), total }
}

/** @throws {BowlineError} NOT_FOUND; ROLE_TOO_HIGH; CONFLICT when another key has the name */
export async function update(
  ctx: TenantContext,
  name: string,
  body: Input<typeof operations.update>['body'],
): Promise<void> {
  const own = userOf(ctx).role
  if (body.role) requireGrantable(own, body.role)
  await ctx.db.transaction().execute(async (db) => {
    // Locked, so that fields that this call omits keep the values of a concurrent change.
    const row = (await findApiKey(db, name, 'for update')) ?? fail('NOT_FOUND', { what: 'The API key' })
    requireGrantable(own, row.role)
    const newName = body.name ?? name
    if (newName !== name && (await isNameTaken(db, newName))) fail('CONFLICT', { field: 'name' }, ['name'])
    const role = body.role ?? row.role
    const scopes = body.scopes === undefined ? row.scopes : body.scopes
    await updateApiKey(db, name, { name: newName, role, scopes, updated_at: new Date(ctx.clock.now()) })
    await audit({ ...ctx, db }, 'api-key.update', name, {
      before: { name, role: row.role, scopes: row.scopes },
      after: { name: newName, role, scopes },
    })
  })
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, name: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteApiKey(db, name))) fail('NOT_FOUND', { what: 'The API key' })
    await audit({ ...ctx, db }, 'api-key.remove', name)
  })
}

/** Actor of a presented key; undefined when the key is unknown or expired, or its creator has left or is disabled. */
export async function actorOfKey(system: Kysely<Schema>, key: string, now: number): Promise<ApiKeyActor | undefined> {
  const found = await findKeyByHash(system, keyHash(key), new Date(now))
  if (!found) return undefined
  const role = rank(found.role) <= rank(found.creatorRole) ? found.role : found.creatorRole
  const { name, tenant, scopes, creator, isDisabled: inDisabledNamespace } = found
  return { kind: 'api-key', name, tenant, role, scopes, creator, inDisabledNamespace }
}

function userOf(ctx: TenantContext): UserActor & { readonly role: Role } {
  const { actor } = ctx
  if (actor.kind !== 'user' || actor.role === undefined) return fail('USER_TOKEN_REQUIRED')
  return { ...actor, role: actor.role }
}

/** Requires a role that a member with `own` may grant: its own or lower, never `owner`. */
function requireGrantable(own: Role, role: Role): void {
  if (role === 'owner' || rank(role) > rank(own)) fail('ROLE_TOO_HIGH', { role: own, target: role })
}

/** 365 days count as a calendar year, as existing clients expect. */
function expiry(now: number, days: number): Date | null {
  if (days < 0) return null
  const end = new Date(now)
  if (days === 365) end.setUTCFullYear(end.getUTCFullYear() + 1)
  else end.setUTCDate(end.getUTCDate() + days)
  return end
}

function keyHash(key: string): Buffer {
  return createHash('sha256').update(key.toLowerCase()).digest()
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    name: row.name,
    tenant_id: row.tenant_id,
    role: row.role,
    scopes: row.scopes,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    expires_in: row.expires_at ? Math.floor(row.expires_at.getTime() / 1_000) : -1,
  }
}
