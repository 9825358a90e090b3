// Namespaces of the whole instance, for its administrators.
import { fail } from '@bowline/contract/errors'
import type { Input } from '@bowline/contract/operation'
import type { administration } from '@bowline/contract/operations/instance/administration'
import type {
  DefaultLimits,
  DescribedNamespace,
  ListedDeletedNamespace,
  ListedNamespace,
  NamespaceLimits,
} from '@bowline/contract/schemas/instance/administration'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { auditInstance } from '../audit/service.ts'
import { noteChangeOfNamespace } from '../auth/access-changes.ts'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { showClosed } from '../db/show-closed.ts'
import { emitMember } from '../members/changes.ts'
import {
  defaultLimits,
  handOver,
  limitsOf,
  setDefaultLimits,
  setDisabled,
  setLimits,
} from '../namespaces/administration.ts'
import { type AdministrationDeps, type By, auditOrigin } from './deps.ts'
import { restoreNamespace } from '../namespaces/closing.ts'
import {
  type ListedRow,
  countOfNamespace,
  listDeletedRows,
  listNamespaceRows,
  listPeopleOf,
  readNamespace,
} from './namespaces-store.ts'

/** A page of the namespaces of the instance. */
export async function listNamespaces(
  { system }: Pick<AdministrationDeps, 'system'>,
  { page, per_page: limit, ...query }: Input<typeof administration.listNamespaces>['query'],
): Promise<Listing<ListedNamespace>> {
  const { rows, total } = await listNamespaceRows(system, query, { limit, offset: (page - 1) * limit })
  return { items: rows.map((row) => toListed(row)), total }
}

/** One namespace with its people, counts and limits. @throws {BowlineError} NOT_FOUND */
export async function describeNamespace(
  { system }: Pick<AdministrationDeps, 'system'>,
  tenant: TenantId,
): Promise<DescribedNamespace> {
  const row = (await readNamespace(system, tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  return {
    ...toListed(row),
    ...(await countOfNamespace(system, tenant)),
    people: await listPeopleOf(system, tenant),
    limits: await limitsOf({ db: system, tenant }),
  }
}

function toListed(row: ListedRow): ListedNamespace {
  const { owner, owner_username: username, owner_email: email, created_at, disabled_at, ...rest } = row
  return {
    ...rest,
    owner: { id: owner, username, email },
    created_at: created_at.toISOString(),
    disabled_at: disabled_at?.toISOString() ?? null,
  }
}

/**
 * Disables or enables a namespace. Sessions of a disabled one end at once, here and within seconds in other processes;
 * agents stay connected, and nothing is opened on their links.
 * @throws {BowlineError} NOT_FOUND
 */
export async function switchNamespace(
  deps: AdministrationDeps,
  by: By,
  tenant: TenantId,
  isDisabled: boolean,
): Promise<void> {
  const ctx = deps.contextOf(tenant, by.actor, by.origin.source)
  const changed = await inTransaction(deps, ctx, async (inner) => {
    if (!(await setDisabled(inner, isDisabled))) return false
    await noteChangeOfNamespace(inner.db, tenant)
    return true
  })
  if (!changed) return
  ctx.emit({ type: 'policy.changed' })
  await deps.reviewTunnels(tenant)
}

/** Sets limits of a namespace. @throws {BowlineError} NOT_FOUND */
export function limitNamespace(
  deps: AdministrationDeps,
  by: By,
  tenant: TenantId,
  wanted: Parameters<typeof setLimits>[1],
): Promise<NamespaceLimits> {
  const ctx = deps.contextOf(tenant, by.actor, by.origin.source)
  return inTransaction(deps, ctx, (inner) => setLimits(inner, wanted))
}

/** Sets limits of namespaces that have none of their own. */
export function limitEveryNamespace(
  { system }: Pick<AdministrationDeps, 'system'>,
  by: By,
  wanted: Parameters<typeof setDefaultLimits>[1],
): Promise<DefaultLimits> {
  return system.transaction().execute(async (db) => {
    const before = await defaultLimits(db)
    const after = await setDefaultLimits(db, wanted)
    await auditInstance(db, auditOrigin(by), 'limit.update', '', { before, after })
    return after
  })
}

/** Makes another member the owner. @throws {BowlineError} NOT_FOUND, also for a person who is no accepted member */
export async function handOverNamespace(
  deps: AdministrationDeps,
  by: By,
  tenant: TenantId,
  user: UserId,
): Promise<void> {
  const ctx = deps.contextOf(tenant, by.actor, by.origin.source)
  const changed = await inTransaction(deps, ctx, (inner) => handOver(inner, user))
  for (const id of changed ?? []) await emitMember(deps.system, ctx, id, 'member.changed')
}

/** A page of the deleted namespaces of the instance that can still be restored. */
export async function listDeletedNamespaces(
  { system }: Pick<AdministrationDeps, 'system'>,
  { page, per_page: limit, search }: Input<typeof administration.listDeletedNamespaces>['query'],
): Promise<Listing<ListedDeletedNamespace>> {
  const { rows, total } = await system.transaction().execute(async (db) => {
    await showClosed(db)
    return listDeletedRows(db, search, { limit, offset: (page - 1) * limit })
  })
  const items = rows.map(({ tenant_id, name, owner: id, owner_username: username, owner_email: email, ...row }) => ({
    tenant_id,
    name,
    owner: { id, username, email },
    deleted_at: row.closed_at.toISOString(),
    removed_at: row.due_at.toISOString(),
  }))
  return { items, total }
}

/**
 * Undoes the deletion of a namespace, for its owner. The limit of namespaces does not bind.
 * @throws {BowlineError} NOT_FOUND when it is not deleted, or its time is over
 */
export function restoreDeleted({ system, contextOf }: AdministrationDeps, by: By, tenant: TenantId): Promise<void> {
  return restoreNamespace(system, contextOf(tenant, by.actor, by.origin.source), undefined)
}

function inTransaction<T>(
  { system }: Pick<AdministrationDeps, 'system'>,
  ctx: TenantContext,
  work: (inner: TenantContext) => Promise<T>,
): Promise<T> {
  return system.transaction().execute((db) => work({ ...ctx, db }))
}
