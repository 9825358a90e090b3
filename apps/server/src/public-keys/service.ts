// Use cases of public keys. A key belongs to a member or is a service key; one that is neither is disabled.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { publicKeys as operations } from '@bowline/contract/operations/public-keys'
import type { Input } from '@bowline/contract/operation'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { DisabledKey, PublicKey } from '@bowline/contract/schemas/public-key'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import { type Actor, type TenantContext, personOf } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { compileFilter } from '../db/lists/filter.ts'
import type { Listing } from '../db/lists/listing.ts'
import { holdMembership } from '../membership/membership.ts'
import { reportUnusable } from '../filters/unusable-patterns.ts'
import { requirePatterns, toColumns, toFilter, withTag, withTags, withoutTag } from '../filters/device-filter.ts'
import { requireUsed } from '../filters/used-tags.ts'
import { fingerprintOf, readKeyData, sha256FingerprintOf } from '../platform/keys/key-data.ts'
import { type KeyUse, isEnabled, mayUseKey } from './rules.ts'
import { isOfAnother, requireMayServe } from './service-keys.ts'
import {
  PUBLIC_KEY_PROPERTIES,
  type PublicKeyRow,
  countPublicKeys,
  deletePublicKey,
  disownKeys,
  findPublicKey,
  insertPublicKey,
  listEveryPublicKey,
  listPublicKeys,
  listWithDisabled,
  lockPublicKey,
  updatePublicKey,
} from './store.ts'

export async function list(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<PublicKey>> {
  const { rows, total } = await listPublicKeys(ctx.db, {
    where: compileFilter(query.filter, PUBLIC_KEY_PROPERTIES, 'or'),
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toPublicKey(row)), total }
}

/**
 * Registers a key, owned by the caller unless the body names another owner or none.
 * @throws {BowlineError} INVALID_KEY_DATA, INVALID_INPUT, NOT_FOUND for an unused tag or an owner who is no member,
 *   CONFLICT for a known key, UNAUTHORIZED when the caller's membership has just ended, SERVICE_KEY_REFUSED
 */
export async function create(ctx: TenantContext, body: Input<typeof operations.create>['body']): Promise<PublicKey> {
  const { fingerprint, blob, data } = readKeyData(body.data)
  await requireUsable(ctx, body)
  return ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const { keys: limit } = LIMITS.policy
    if ((await countPublicKeys(db)) >= limit) fail('POLICY_LIMIT', { what: 'public keys', limit })
    const ownership = body.owner === undefined ? await ownedByCaller(inner) : await ownedBy(inner, body.owner)
    await requireMayServe(inner, undefined, ownership, false)
    const row = await insertPublicKey(db, {
      tenant_id: ctx.tenant,
      fingerprint,
      blob,
      data,
      name: body.name,
      username: body.username,
      ...toColumns(body.filter),
      ...ownership,
    })
    if (!row) return fail('CONFLICT', { field: 'data' }, ['data'])
    await audit(inner, 'public-key.create', fingerprint, { after: facts(row) })
    return toPublicKey(row)
  })
}

/**
 * Changes a key. Naming an owner hands it over, which enables a disabled one.
 * @param requireProof refuses people who have not proven lately who they are: asked before another's key becomes a
 *   service key
 * @throws {BowlineError} NOT_FOUND, also for an owner who is no member; INVALID_INPUT; SERVICE_KEY_REFUSED
 */
export async function update(
  ctx: TenantContext,
  fingerprint: string,
  body: Input<typeof operations.update>['body'],
  requireProof: (actor: Actor) => Promise<void>,
): Promise<PublicKey> {
  const seen = body.owner === null ? await findPublicKey(ctx.db, fingerprint) : undefined
  const isProven = seen !== undefined && isOfAnother(ctx, seen)
  if (isProven) await requireProof(ctx.actor)
  const changesOf = async (inner: TenantContext) => {
    await requireUsable(inner, body)
    const owned = body.owner === undefined ? {} : await ownedBy(inner, body.owner)
    return { name: body.name, username: body.username, ...toColumns(body.filter), ...owned }
  }
  return change(ctx, fingerprint, changesOf, isProven)
}

/** Every key of the namespace. */
export async function listOwned(ctx: TenantContext): Promise<PublicKey[]> {
  return (await listEveryPublicKey(ctx.db)).map((row) => toPublicKey(row))
}

/**
 * Makes a member the owner of keys, which enables disabled ones. Atomic.
 * @throws {BowlineError} NOT_FOUND for a key, and for an owner who is no member
 */
export async function handOver(
  ctx: TenantContext,
  fingerprints: readonly string[],
  owner: UserId,
): Promise<PublicKey[]> {
  const keys = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const changed: PublicKey[] = []
    // In a fixed order, so that concurrent calls do not deadlock.
    for (const fingerprint of fingerprints.toSorted()) {
      changed.push(await changeLocked(inner, fingerprint, () => ownedBy(inner, owner)))
    }
    return changed
  })
  ctx.emit({ type: 'policy.changed' })
  return keys
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, fingerprint: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const row = (await deletePublicKey(db, fingerprint)) ?? unknownKey()
    await audit({ ...ctx, db }, 'public-key.remove', fingerprint, { before: facts(row) })
  })
  ctx.emit({ type: 'policy.changed' })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT, CONFLICT, TAG_LIMIT */
export async function addTag(ctx: TenantContext, fingerprint: string, tag: string): Promise<void> {
  await change(ctx, fingerprint, async (inner, row) => {
    await requireUsed(inner, [tag])
    return { tags: withTag(row, tag) }
  })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT, TAG_LIMIT */
export async function setTags(ctx: TenantContext, fingerprint: string, tags: readonly string[]): Promise<void> {
  await change(ctx, fingerprint, async (inner, row) => {
    const wanted = withTags(row, tags)
    await requireUsed(inner, wanted)
    return { tags: wanted }
  })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT */
export async function removeTag(ctx: TenantContext, fingerprint: string, tag: string): Promise<void> {
  await change(ctx, fingerprint, (_, row) => Promise.resolve({ tags: withoutTag(row, tag) }))
}

type Ownership = Pick<
  PublicKeyRow,
  'owner' | 'service' | 'former_owner' | 'former_user' | 'vouched_by' | 'vouched_in_person'
>
type Changes = Partial<Pick<PublicKeyRow, 'name' | 'username' | 'hostname' | 'tags'> & Ownership>

/** @param ctx context in a transaction. @throws {BowlineError} NOT_FOUND for a user who is no accepted member */
async function ownedBy(ctx: TenantContext, owner: UserId | null): Promise<Ownership> {
  const vouched = { vouched_by: personOf(ctx.actor) ?? null, vouched_in_person: ctx.actor.kind === 'user' }
  if (owner === null) return { owner, service: true, former_owner: '', former_user: null, ...vouched }
  if (!(await holdMembership(ctx, owner))) fail('NOT_FOUND', { what: 'The member' }, ['owner'])
  return { owner, service: false, former_owner: '', former_user: null, ...vouched }
}

/** Keys of the platform have no owner. @param ctx context in a transaction. @throws {BowlineError} UNAUTHORIZED */
async function ownedByCaller(ctx: TenantContext): Promise<Ownership> {
  const person = personOf(ctx.actor)
  if (person === undefined) return ownedBy(ctx, null)
  if (!(await holdMembership(ctx, person))) fail('UNAUTHORIZED')
  // A program with an API key of the person registers keys that it has itself.
  const vouched = { vouched_by: person, vouched_in_person: ctx.actor.kind === 'user' }
  return { owner: person, service: false, former_owner: '', former_user: null, ...vouched }
}

/**
 * Disables the keys of a member who leaves, including those that the member assigned to others or made service keys,
 * and writes each to the audit log. Administrators can hand them over.
 * @param ctx context with the system connection, in the transaction that ends the membership
 */
export async function disableKeysOf(ctx: TenantContext, owner: UserId): Promise<DisabledKey[]> {
  const keys = await disownKeys(ctx.db, ctx.tenant, owner)
  for (const { fingerprint, name } of keys) await audit(ctx, 'public-key.disable', fingerprint, { name, owner })
  return keys
}

/** True if a key is registered in the namespace but disabled. @param blob SSH wire encoding */
export async function isDisabled(ctx: TenantContext, blob: Uint8Array): Promise<boolean> {
  const row = await findPublicKey(ctx.db, fingerprintOf(blob))
  return row !== undefined && row.blob.equals(blob) && !isEnabled(row)
}

/** A key in a namespace. */
export interface UsedKey {
  readonly tenant: TenantId
  readonly blob: Uint8Array
}

/** Namespaces in which one of the keys is disabled. @param system connection of all namespaces */
export async function findWithDisabled(system: Kysely<Schema>, used: readonly UsedKey[]): Promise<TenantId[]> {
  if (used.length === 0) return []
  return listWithDisabled(
    system,
    used.map(({ tenant, blob }) => ({ tenant, fingerprint: fingerprintOf(blob) })),
  )
}

/** True if a key is registered in the namespace and usable for a login. @param blob SSH wire encoding */
export async function mayLogIn(ctx: TenantContext, blob: Uint8Array, use: KeyUse): Promise<boolean> {
  const row = await findPublicKey(ctx.db, fingerprintOf(blob))
  // The fingerprint is MD5: only a comparison of the key itself is proof.
  if (row === undefined || !row.blob.equals(blob) || !isEnabled(row)) return false
  const { name, fingerprint, username, hostname } = row
  reportUnusable(ctx, `public key ${name} (${fingerprint})`, { username, hostname })
  return mayUseKey(row, use)
}

/**
 * Owner of a key that logs in; null: it is a service key. Undefined for an unknown or disabled key. `byOwner`: the owner
 * registered it, so that what the key says of its user is what the owner vouches for.
 */
export async function findKeyOwner(
  ctx: TenantContext,
  blob: Uint8Array,
): Promise<{ readonly name: string; readonly owner: UserId | null; readonly byOwner: boolean } | undefined> {
  const row = await findPublicKey(ctx.db, fingerprintOf(blob))
  if (!row?.blob.equals(blob) || !isEnabled(row)) return undefined
  const byOwner = row.owner !== null && row.vouched_by === row.owner && row.vouched_in_person
  return { name: row.name, owner: row.owner, byOwner }
}

/** Wire encoding of a registered key; undefined for an unknown one. */
export async function findKeyBlob(ctx: TenantContext, fingerprint: string): Promise<Uint8Array | undefined> {
  return (await findPublicKey(ctx.db, fingerprint))?.blob
}

/** Changes a key under its lock, so that concurrent changes are not lost, and emits an event. */
async function change(
  ctx: TenantContext,
  fingerprint: string,
  changesOf: (inner: TenantContext, row: PublicKeyRow) => Promise<Changes>,
  isProven = false,
): Promise<PublicKey> {
  const key = await ctx.db.transaction().execute((db) => {
    const inner = { ...ctx, db }
    return changeLocked(inner, fingerprint, (row) => changesOf(inner, row), isProven)
  })
  ctx.emit({ type: 'policy.changed' })
  return key
}

/** @param ctx context in a transaction */
async function changeLocked(
  ctx: TenantContext,
  fingerprint: string,
  changesOf: (row: PublicKeyRow) => Promise<Changes>,
  isProven = false,
): Promise<PublicKey> {
  const before = (await lockPublicKey(ctx.db, fingerprint)) ?? unknownKey()
  const changes = await changesOf(before)
  const after = { ...before, ...changes }
  await requireMayServe(ctx, before, after, isProven)
  await updatePublicKey(ctx.db, fingerprint, changes)
  await audit(ctx, 'public-key.update', fingerprint, { before: facts(before), after: facts(after) })
  return toPublicKey(after)
}

function unknownKey(): never {
  return fail('NOT_FOUND', { what: 'The public key' })
}

/** Facts about a key for the audit log. */
export function facts({ name, username, hostname, tags, owner, service, blob }: PublicKeyRow) {
  return { name, fingerprint: sha256FingerprintOf(blob), username, hostname, tags, owner, service }
}

async function requireUsable(
  ctx: TenantContext,
  body: { username: string; filter: { hostname?: string | undefined; tags?: string[] | undefined } },
): Promise<void> {
  requirePatterns({ username: body.username, 'filter.hostname': body.filter.hostname })
  await requireUsed(ctx, body.filter.tags ?? [])
}

function toPublicKey(row: PublicKeyRow & { readonly suspended?: boolean }): PublicKey {
  return {
    data: row.data,
    fingerprint: row.fingerprint,
    fingerprint_sha256: sha256FingerprintOf(row.blob),
    created_at: row.created_at.toISOString(),
    tenant_id: row.tenant_id,
    name: row.name,
    username: row.username,
    filter: toFilter(row),
    owner: row.owner,
    disabled: !isEnabled(row),
    former_owner: row.former_owner,
  }
}
