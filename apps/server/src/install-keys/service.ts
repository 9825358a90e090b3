// Use cases of install keys. A key is shown once; only its hash is stored. It belongs to the namespace, so it outlives
// the membership of its creator.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { installKeys as operations } from '@bowline/contract/operations/fleet/install-keys'
import type { Input, Output } from '@bowline/contract/operation'
import type { UserId } from '@bowline/contract/schemas/common'
import type { InstallKey } from '@bowline/contract/schemas/fleet/install-key'
import { audit } from '../audit/service.ts'
import { type TenantContext, personOf } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { lockNamespace } from '../devices/acceptance.ts'
import { authorizeDeviceChange } from '../policy/device-policy.ts'
import { type InstallKeyRow, countInstallKeys, deleteInstallKey, insertInstallKey, listInstallKeys } from './store.ts'

const KEY_BYTES = 16
const DAY_MS = 86_400_000
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** What a device is before a key tags it, for the rules and keys that are for devices with a tag. */
const UNTAGGED = { name: '', tags: [] }

/**
 * Its tags put devices under rules, public keys and roles, as those that a member adds to a device do.
 * @param creator person it is listed under; by default the caller
 * @throws {BowlineError} CONFLICT when another key has the name; NAMESPACE_FULL; POLICY_CHANGE
 */
export async function createInstallKey(
  ctx: TenantContext,
  body: Input<typeof operations.create>['body'],
  creator: UserId = personOf(ctx.actor) ?? fail('USER_TOKEN_REQUIRED'),
): Promise<Output<typeof operations.create>> {
  const key = `ik-${base32(randomBytes(KEY_BYTES))}`
  const { name, accepts, tags, max_uses, expires_in_days: days } = body
  const row = await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const limit = LIMITS.installKeysPerNamespace
    if ((await countInstallKeys(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'install keys' })
    const policy = await authorizeDeviceChange({ ...ctx, db }, UNTAGGED, { ...UNTAGGED, tags })
    const inserted = await insertInstallKey(db, {
      tenant_id: ctx.tenant,
      name,
      key_hash: installKeyHash(key),
      accepts,
      tags,
      max_uses,
      expires_at: days === null ? null : new Date(ctx.clock.now() + days * DAY_MS),
      created_by: creator,
    })
    if (!inserted) return fail('CONFLICT', { field: 'name' }, ['name'])
    const facts = { accepts, tags, max_uses, expires_in_days: days }
    await audit({ ...ctx, db }, 'install-key.create', name, { ...facts, ...(policy ? { policy } : {}) })
    return inserted
  })
  return { ...toInstallKey(row), key }
}

export async function listKeys(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<InstallKey>> {
  const limit = query.per_page
  const { rows, total } = await listInstallKeys(ctx.db, { limit, offset: (query.page - 1) * limit })
  return { items: rows.map((row) => toInstallKey(row)), total }
}

/** @throws {BowlineError} NOT_FOUND */
export async function removeInstallKey(ctx: TenantContext, name: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteInstallKey(db, name))) fail('NOT_FOUND', { what: 'The install key' })
    await audit({ ...ctx, db }, 'install-key.remove', name)
  })
}

/** SHA-256 of the key's text. */
export function installKeyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function toInstallKey(row: InstallKeyRow): InstallKey {
  return {
    name: row.name,
    accepts: row.accepts,
    tags: [...row.tags],
    max_uses: row.max_uses,
    uses: row.uses,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

/** RFC 4648, in lower case and without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
