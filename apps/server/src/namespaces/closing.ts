// The end of a namespace. Its owner closes it: all code then takes it for gone, but its rows and recordings stay for some
// days, in which it can be restored. Afterwards a job removes it for good.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { DeletedNamespace } from '@bowline/contract/schemas/namespace'
import type { Clock } from '@bowline/base/clock'
import { type Kysely, sql } from 'kysely'
import { audit } from '../audit/service.ts'
import type { RecordingRemoval, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { showClosed } from '../db/show-closed.ts'
import type { MailQueue } from '../mails/queue.ts'
import { countOwnedNamespaces, getAccount, lockAccount } from '../users/service.ts'
import {
  type ClosedRow,
  deleteClosed,
  insertClosed,
  isClosedNow,
  listClosedBy,
  listClosedTenants,
  lockClosed,
} from './closing-store.ts'
import { deleteNamespace, lockNamespaceRow } from './store.ts'

const DAY_MS = 86_400_000
/** Millions of rows may follow a namespace. */
const PURGE_MS = 3_600_000

/**
 * Closes the namespace: nobody and nothing gets in any more, what runs ends, and its owner is told by mail how to undo it.
 * @param system system connection
 * @returns when it is removed for good
 * @throws {BowlineError} NOT_FOUND, also when it is closed already
 */
export async function closeNamespace(system: Kysely<Schema>, ctx: TenantContext, mails: MailQueue): Promise<Date> {
  const now = ctx.clock.now()
  const due = new Date(now + LIMITS.restoreDays * DAY_MS)
  await system.transaction().execute(async (db) => {
    const { name, owner } = (await lockNamespaceRow(db, ctx.tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
    // Whoever held the lock before may have closed it: only a statement that begins now sees that.
    if (await isClosedNow(db, ctx.tenant)) fail('NOT_FOUND', { what: 'The namespace' })
    await audit({ ...ctx, db }, 'namespace.remove', ctx.tenant, { name, until: due.toISOString() })
    await insertClosed(db, { tenant_id: ctx.tenant, closed_at: new Date(now), due_at: due })
    const account = await getAccount(db, owner)
    if (!account) return
    const values = {
      name: account.name,
      namespace: name,
      until: due.toISOString(),
      link: mails.link('/profile', { deleted: ctx.tenant }),
    }
    const mail = { kind: 'namespace-deleted', to: account.email, user: owner, source: ctx.source, values } as const
    await mails.add(db, mail)
  })
  ctx.emit({ type: 'namespace.removed' })
  return due
}

/** The closed namespaces of an owner, oldest first. @param system system connection */
export async function listDeleted(system: Kysely<Schema>, owner: UserId): Promise<DeletedNamespace[]> {
  const rows = await seeingClosed(system, (db) => listClosedBy(db, { owner }))
  return rows.map((row) => ({
    tenant_id: row.tenant_id,
    name: row.name,
    deleted_at: row.closed_at.toISOString(),
    removed_at: row.due_at.toISOString(),
  }))
}

/** The closed namespace of that name, in any case. @param system system connection */
export async function findClosed(system: Kysely<Schema>, name: string): Promise<ClosedRow | undefined> {
  const [row] = await seeingClosed(system, (db) => listClosedBy(db, { name: name.toLowerCase() }))
  return row
}

/**
 * Undoes the closing of a namespace. A subscription that ended with it does not begin again.
 * @param system system connection
 * @param ctx of whoever restores it, in that namespace
 * @param owner only if this person owns it; undefined for whoever administers the server, whom no limit binds
 * @throws {BowlineError} NOT_FOUND when it is not closed, its time is over, or somebody else owns it; NAMESPACE_LIMIT
 */
export async function restoreNamespace(
  system: Kysely<Schema>,
  ctx: TenantContext,
  owner: UserId | undefined,
): Promise<void> {
  await system.transaction().execute(async (db) => {
    // Before they are visible: those that are closed do not count.
    if (owner !== undefined) await requireSlot(db, owner)
    await showClosed(db)
    const row = await lockClosed(db, ctx.tenant)
    const isTheirs = owner === undefined || row?.owner === owner
    if (!row || !isTheirs || row.due_at.getTime() <= ctx.clock.now()) fail('NOT_FOUND', { what: 'The namespace' })
    await deleteClosed(db, ctx.tenant)
    // A separate action for administrators: members must not see who administers the server.
    const action = owner === undefined ? 'namespace.undelete' : 'namespace.restore'
    await audit({ ...ctx, db }, action, ctx.tenant, { name: row.name })
  })
}

async function requireSlot(db: Kysely<Schema>, owner: UserId): Promise<void> {
  const { maxNamespaces: limit } = (await lockAccount(db, owner)) ?? fail('NOT_FOUND', { what: 'The user' })
  if (limit >= 0 && (await countOwnedNamespaces(db, owner)) >= limit) fail('NAMESPACE_LIMIT', { limit })
}

export interface PurgeDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  /** Context in which a namespace is removed. */
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** Records the removal in the ledger of recordings. */
  readonly removal: RecordingRemoval
}

/**
 * Removes for good what was closed long enough ago. Several servers may do it at once. One that fails keeps none of the
 * others; the next run tries it again.
 * @returns how many it removed
 */
export async function purgeDue(deps: PurgeDeps): Promise<number> {
  const dueBy = new Date(deps.clock.now())
  let count = 0
  for (const { tenant_id: tenant } of await seeingClosed(deps.system, (db) => listClosedBy(db, { dueBy }))) {
    try {
      count += (await purge(deps, tenant, dueBy)) ? 1 : 0
    } catch (error) {
      deps.contextOf(tenant).log.error('jobs.error', { tenant, err: error })
    }
  }
  return count
}

/**
 * Removes a closed namespace for good, in one transaction; files and objects of its recordings follow their rows.
 * @param dueBy only if its time ended by then; undefined: at once
 * @returns false when it is not closed any more: another server has removed it, or its owner has restored it
 */
export async function purge(
  { system, contextOf, removal }: PurgeDeps,
  tenant: TenantId,
  dueBy?: Date,
): Promise<boolean> {
  return system.transaction().execute(async (db) => {
    await prepare(db)
    const row = await lockClosed(db, tenant)
    if (!row || (dueBy && row.due_at > dueBy)) return false
    await purgeIn(db, contextOf(tenant), row, removal)
    return true
  })
}

/**
 * Removes the closed namespaces of an owner whose account ends: nobody is left who could restore them.
 * @param db system connection, in a transaction; it sees closed namespaces from then on
 */
export async function purgeClosedOf(
  db: Kysely<Schema>,
  { contextOf, removal }: Pick<PurgeDeps, 'contextOf' | 'removal'>,
  owner: UserId,
): Promise<void> {
  await prepare(db)
  for (const { tenant_id: tenant } of await listClosedBy(db, { owner })) {
    const row = await lockClosed(db, tenant)
    if (row) await purgeIn(db, contextOf(tenant), row, removal)
  }
}

/** Lets a transaction see closed namespaces, and takes the time that the removal of one may need. */
async function prepare(db: Kysely<Schema>): Promise<void> {
  await showClosed(db)
  await sql`set local statement_timeout = ${sql.lit(PURGE_MS)}`.execute(db)
}

async function purgeIn(
  db: Kysely<Schema>,
  ctx: TenantContext,
  row: ClosedRow,
  removal: RecordingRemoval,
): Promise<void> {
  await deleteNamespace(db, row.tenant_id)
  await audit({ ...ctx, db }, 'namespace.purge', row.tenant_id, { name: row.name })
  await removal.namespaceRemoved({ ...ctx, db })
}

/** Ids of all closed namespaces. @param system system connection */
export function closedTenants(system: Kysely<Schema>): Promise<Set<TenantId>> {
  return listClosedTenants(system)
}

function seeingClosed<T>(system: Kysely<Schema>, read: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  return system.transaction().execute(async (db) => {
    await showClosed(db)
    return read(db)
  })
}
