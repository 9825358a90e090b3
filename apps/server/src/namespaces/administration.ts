// What administrators of the server do to a namespace: disable it for a while, limit it, hand it over.
import { fail } from '@bowline/contract/errors'
import type { DefaultLimits, NamespaceLimits } from '@bowline/contract/schemas/instance/administration'
import { LIMIT_NAMES } from '@bowline/contract/schemas/instance/administration'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { lockAccount } from '../users/service.ts'
import { listDefaultLimits, listLimits, saveDefaultLimit, saveLimit } from './limits-store.ts'
import { findMembership, lockNamespaceRow, transferOwnership, updateNamespace } from './store.ts'

/**
 * Disables or enables a namespace.
 * @param ctx context with the system connection, in a transaction
 * @returns false when nothing changes
 * @throws {BowlineError} NOT_FOUND
 */
export async function setDisabled(ctx: TenantContext, isDisabled: boolean): Promise<boolean> {
  const row = (await lockNamespaceRow(ctx.db, ctx.tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  if ((row.disabled_at !== null) === isDisabled) return false
  await updateNamespace(ctx.db, ctx.tenant, { disabled_at: isDisabled ? new Date(ctx.clock.now()) : null })
  await audit(ctx, isDisabled ? 'namespace.disable' : 'namespace.enable', ctx.tenant, { name: row.name })
  return true
}

/**
 * Makes another member the owner; the owner before becomes an administrator.
 * @param ctx context with the system connection, in a transaction
 * @returns both people, the new owner first; undefined when the person owns it already
 * @throws {BowlineError} NOT_FOUND for the namespace, and for a person who is no accepted member or is disabled
 */
export async function handOver(ctx: TenantContext, user: UserId): Promise<readonly UserId[] | undefined> {
  const { db, tenant } = ctx
  // Namespaces before accounts, as every change of memberships.
  const row = (await lockNamespaceRow(db, tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const account = await lockAccount(db, user)
  if (row.owner === user) return undefined
  const role = await findMembership(db, user, tenant)
  if (role === undefined || account?.status !== 'confirmed') fail('NOT_FOUND', { what: 'The member' }, ['user'])
  await transferOwnership(db, tenant, { from: row.owner, to: user })
  await audit(ctx, 'namespace.hand-over', tenant, { before: { owner: row.owner }, after: { owner: user } })
  return [user, row.owner]
}

/** Limits of namespaces without their own. @param db system connection */
export async function defaultLimits(db: Kysely<Schema>): Promise<DefaultLimits> {
  const rows = await listDefaultLimits(db)
  const of = (name: keyof DefaultLimits): number => rows.find((row) => row.name === name)?.value ?? -1
  return {
    devices: of('devices'),
    members: of('members'),
    sessions: of('sessions'),
    tunnels: of('tunnels'),
    api_keys: of('api_keys'),
  }
}

/** Limits of the namespace's own. @param ctx context with the system connection */
export async function limitsOf({ db, tenant }: Pick<TenantContext, 'db' | 'tenant'>): Promise<NamespaceLimits> {
  const rows = await listLimits(db, tenant)
  const of = (name: keyof NamespaceLimits): number | null => rows.find((row) => row.name === name)?.value ?? null
  return {
    devices: of('devices'),
    members: of('members'),
    sessions: of('sessions'),
    tunnels: of('tunnels'),
    api_keys: of('api_keys'),
  }
}

type Wanted<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/**
 * Sets limits; omitted ones stay. What is above a limit stays too, and nothing is added to it.
 * @param ctx context with the system connection, in a transaction
 * @throws {BowlineError} NOT_FOUND
 */
export async function setLimits(ctx: TenantContext, wanted: Wanted<NamespaceLimits>): Promise<NamespaceLimits> {
  const { db, tenant } = ctx
  if (!(await lockNamespaceRow(db, tenant))) fail('NOT_FOUND', { what: 'The namespace' })
  const before = await limitsOf(ctx)
  for (const name of LIMIT_NAMES) {
    const value = wanted[name]
    if (value !== undefined) await saveLimit(db, tenant, name, value)
  }
  const after = await limitsOf(ctx)
  await audit(ctx, 'namespace.limit', tenant, { before, after })
  return after
}

/** Sets limits of namespaces without their own; omitted ones stay. @param db system connection, in a transaction */
export async function setDefaultLimits(db: Kysely<Schema>, wanted: Wanted<DefaultLimits>): Promise<DefaultLimits> {
  for (const name of LIMIT_NAMES) {
    const value = wanted[name]
    if (value !== undefined) await saveDefaultLimit(db, { name, value })
  }
  return defaultLimits(db)
}
