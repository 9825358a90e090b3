// Use cases of the settings of provisioning: its switch, the roles that groups give, and tokens.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input, Output } from '@bowline/contract/operation'
import type { scim as operations } from '@bowline/contract/operations/scim'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Scim, ScimToken } from '@bowline/contract/schemas/scim'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { emitMembers } from '../members/changes.ts'
import { lockNamespace } from '../members/provisioned.ts'
import { holdMembership } from '../membership/membership.ts'
import type { Ids } from '../platform/ids.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { countGroups } from './groups/store.ts'
import { applyRoles } from './people/roles.ts'
import { countPeople, isRowId } from './people/store.ts'
import { TOKEN_PREFIX } from './protocol/access.ts'
import { scimBase } from './protocol/endpoints.ts'
import {
  type ScimTokenRow,
  deleteToken,
  findSettings,
  insertToken,
  listRequests,
  listRoles,
  listTokens,
  replaceRoles,
  saveSettings,
} from './store.ts'
import type { ScimTurns } from './turns.ts'

export interface ScimSettingsDeps {
  /** System connection: roles are those of members. */
  readonly system: Kysely<Schema>
  readonly ids: Ids
  readonly turns: ScimTurns
  /** Origin of this server as providers know it. */
  readonly origin: () => string
}

export async function getScim({ origin }: Pick<ScimSettingsDeps, 'origin'>, ctx: TenantContext): Promise<Scim> {
  const { db, tenant } = ctx
  const settings = await findSettings(db, tenant)
  return {
    ...settings,
    base_url: scimBase(origin(), tenant),
    roles: await listRoles(db, tenant),
    tokens: (await listTokens(db, tenant)).map((row) => toToken(row)),
    users: await countPeople(db, tenant),
    groups: await countGroups(db, tenant),
    requests: (await listRequests(db, tenant)).map(({ id, at, token_name: token, method, path, status, detail }) => ({
      id,
      at: at.toISOString(),
      token,
      method,
      path,
      status,
      detail,
    })),
  }
}

/** What namespaces set themselves, and what only administrators of the server do. */
type ScimChanges = Input<typeof operations.update>['body'] & { readonly joins_at_sign_in?: boolean }

/**
 * Changes the settings. While provisioning is on, roles follow at once.
 * @throws {BowlineError} INVALID_INPUT for a group that is named twice; TOO_MANY_REQUESTS
 */
export async function updateScim(
  deps: ScimSettingsDeps,
  ctx: TenantContext,
  { roles, ...changes }: ScimChanges,
): Promise<Scim> {
  const rows = roles?.map(({ group, role }) => ({
    tenant_id: ctx.tenant,
    group_key: group.toLowerCase(),
    group_name: group,
    role,
  }))
  if (rows && new Set(rows.map((row) => row.group_key)).size < rows.length) {
    fail('INVALID_INPUT', { field: 'roles', rule: 'must not name a group twice' }, ['roles'])
  }
  const change = async (db: Kysely<Schema>): Promise<UserId[]> => {
    const inner = { ...ctx, db }
    await lockNamespace(db, ctx.tenant)
    const before = { ...(await findSettings(db, ctx.tenant)), roles: await listRoles(db, ctx.tenant) }
    const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    await saveSettings(db, ctx.tenant, values)
    if (rows) await replaceRoles(db, ctx.tenant, rows)
    const after = { ...(await findSettings(db, ctx.tenant)), roles: await listRoles(db, ctx.tenant) }
    await audit(inner, 'scim.update', ctx.tenant, { before, after })
    return after.enabled ? applyRoles(inner) : []
  }
  const changed = await deps.turns.run(ctx.tenant, () => deps.system.transaction().execute(change))
  await emitMembers(deps.system, ctx, changed)
  return getScim(deps, ctx)
}

/**
 * Creates a token, which ends with the membership of whoever makes it.
 * @param creator default: the acting person
 * @throws {BowlineError} CONFLICT for a taken name; POLICY_LIMIT; UNAUTHORIZED when the membership has just ended
 */
export async function createToken(
  { ids }: Pick<ScimSettingsDeps, 'ids'>,
  ctx: TenantContext,
  name: string,
  creator: UserId = ctx.actor.kind === 'user' ? ctx.actor.id : fail('USER_TOKEN_REQUIRED'),
): Promise<Output<typeof operations.createToken>> {
  const token = `${TOKEN_PREFIX}${ids.secret(32)}`
  const row = await ctx.db.transaction().execute(async (db) => {
    if (!(await holdMembership({ ...ctx, db }, creator))) fail('UNAUTHORIZED')
    const known = await listTokens(db, ctx.tenant)
    if (known.length >= LIMITS.scim.tokens) fail('POLICY_LIMIT', { limit: LIMITS.scim.tokens, what: 'tokens of SCIM' })
    if (known.some((one) => one.name === name)) fail('CONFLICT', { field: 'name' }, ['name'])
    const inserted = await insertToken(db, {
      id: ids.uuid(),
      tenant_id: ctx.tenant,
      name,
      token_hash: hashOf(token),
      created_by: creator,
      created_at: new Date(ctx.clock.now()),
    })
    await audit({ ...ctx, db }, 'scim-token.create', name)
    return inserted
  })
  return { ...toToken(row), token }
}

/** Revokes a token. @throws {BowlineError} NOT_FOUND */
export async function removeToken(ctx: TenantContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const gone = isRowId(id) ? await deleteToken(db, ctx.tenant, id) : undefined
    if (!gone) return fail('NOT_FOUND', { what: 'The token' })
    await audit({ ...ctx, db }, 'scim-token.remove', gone.name)
  })
}

function toToken(row: ScimTokenRow): ScimToken {
  return {
    id: row.id,
    name: row.name,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}
