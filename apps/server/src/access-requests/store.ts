// SQL of access requests.
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Role } from '@bowline/contract/roles'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { accessRequestHours } from '../db/namespace-settings.ts'
import type { Schema } from '../db/schema.ts'
import type { AccessRequestsTable } from '../db/tables/access-request-tables.ts'

type Db = Kysely<Schema>
export type RequestRow = Selectable<AccessRequestsTable>

/** A request for a device that has been removed meanwhile is neither pending nor active. */
const hasPlace = sql<boolean>`(device_name is null or device_uid is not null)`

/** Hours for which members of the namespace may ask for access; null where they may not. */
export async function readHours(db: Db, tenant: TenantId): Promise<number | null> {
  const row = await db
    .selectFrom('namespaces')
    .select(accessRequestHours.as('hours'))
    .where('tenant_id', '=', tenant)
    .executeTakeFirst()
  return row?.hours ?? null
}

export function findAcceptedDevice(db: Db, uid: DeviceUid): Promise<{ name: string } | undefined> {
  return db
    .selectFrom('devices')
    .select('name')
    .where('uid', '=', uid)
    .where('status', '=', 'accepted')
    .executeTakeFirst()
}

/** A page of requests, newest first. @param person whose requests; undefined: everybody's */
export async function listRequests(
  db: Db,
  query: {
    readonly person: UserId | undefined
    readonly state: 'pending' | 'active' | 'past' | undefined
    readonly now: Date
    readonly limit: number
    readonly offset: number
  },
): Promise<{ rows: RequestRow[]; total: number }> {
  const { person, state, now } = query
  const isPending = sql<boolean>`(state = 'pending' and pending_until > ${now} and ${hasPlace})`
  const isActive = sql<boolean>`(state = 'approved' and expires_at > ${now} and ${hasPlace})`
  let base = db.selectFrom('access_requests')
  if (person !== undefined) base = base.where('user_id', '=', person)
  if (state === 'pending') base = base.where(isPending)
  if (state === 'active') base = base.where(isActive)
  if (state === 'past') base = base.where(sql<boolean>`not ${isPending} and not ${isActive}`)
  const rows = await base
    .selectAll()
    // The name that the device has now: who decides must not be shown one that it had for a moment.
    .select((of) =>
      of.fn
        .coalesce(
          of.selectFrom('devices').select('name').whereRef('uid', '=', 'access_requests.device_uid'),
          'device_name',
        )
        .as('device_name'),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { rows, total: await countRows(base) }
}

/** A request that nothing else changes until the transaction ends, with the name that its device has now. */
export async function lockRequest(db: Db, id: string): Promise<RequestRow | undefined> {
  const row = await db.selectFrom('access_requests').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row?.device_uid) return row
  const device = await db.selectFrom('devices').select('name').where('uid', '=', row.device_uid).executeTakeFirst()
  return device ? { ...row, device_name: device.name } : row
}

export function insertRequest(db: Db, row: Insertable<AccessRequestsTable>): Promise<RequestRow> {
  return db.insertInto('access_requests').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateRequest(db: Db, id: string, values: Updateable<AccessRequestsTable>): Promise<RequestRow> {
  return db.updateTable('access_requests').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export interface RequestCounts {
  /** Pending ones of the namespace. */
  readonly pending: number
  readonly pendingOfPerson: number
  /** Requests of the person, in any state. */
  readonly recentOfPerson: number
}

export async function countRequests(
  db: Db,
  { person, now, since }: { readonly person: UserId; readonly now: Date; readonly since: Date },
): Promise<RequestCounts> {
  const { rows } = await sql<RequestCounts>`select
      count(*) filter (where state = 'pending' and pending_until > ${now} and ${hasPlace})::integer as pending,
      count(*) filter (where state = 'pending' and pending_until > ${now} and ${hasPlace}
        and user_id = ${person})::integer
        as "pendingOfPerson",
      count(*) filter (where user_id = ${person})::integer as "recentOfPerson"
    from access_requests where created_at > ${since}`.execute(db)
  return rows[0] ?? { pending: 0, pendingOfPerson: 0, recentOfPerson: 0 }
}

export function countPendingOfOthers(db: Db, person: UserId, now: Date): Promise<number> {
  return countRows(
    db
      .selectFrom('access_requests')
      .where('state', '=', 'pending')
      .where('pending_until', '>', now)
      .where(hasPlace)
      .where(sql<boolean>`user_id is distinct from ${person}`),
  )
}

/** The request that lets a person in now, the longest of several. */
export function findActive(
  db: Db,
  wanted: {
    readonly person: UserId
    readonly device: DeviceUid
    readonly tags: readonly string[]
    readonly user: string
    readonly now: Date
  },
): Promise<{ id: string; expires_at: Date | null } | undefined> {
  const { person, device, tags, user, now } = wanted
  return db
    .selectFrom('access_requests')
    .select(['id', 'expires_at'])
    .where('user_id', '=', person)
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .where(sql<boolean>`${user} = any(accounts)`)
    .where(sql<boolean>`(device_uid = ${device} or tag = any(${[...tags]}))`)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Tags of active requests. */
export function listActiveTags(db: Db, now: Date): Promise<{ id: string; tag: string | null }[]> {
  return db
    .selectFrom('access_requests')
    .select(['id', 'tag'])
    .where('tag', 'is not', null)
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute()
}

/** Selects requests that end together. */
export interface Together {
  /** On the system connection, which sees all namespaces. */
  readonly tenant: TenantId
  readonly person?: UserId
  readonly tags?: readonly string[]
  readonly now: Date
}

/** Locks pending and active requests; in a fixed order to avoid deadlocks. */
export function lockOpen(db: Db, { tenant, person, tags, now }: Together): Promise<RequestRow[]> {
  let query = db
    .selectFrom('access_requests')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where(
      sql<boolean>`((state = 'pending' and pending_until > ${now}) or (state = 'approved' and expires_at > ${now}))`,
    )
  if (person !== undefined) query = query.where('user_id', '=', person)
  if (tags !== undefined) query = query.where('tag', 'in', tags)
  return query.orderBy('id').forUpdate().execute()
}

/** Members with one of the roles who can get mail, with the first `limit` of them. */
export function listPeople(
  system: Db,
  wanted: {
    readonly tenant: TenantId
    readonly roles?: readonly Role[]
    readonly only?: UserId
    readonly except?: UserId
    readonly limit: number
  },
): Promise<{ id: UserId; email: string; name: string | null; username: string | null }[]> {
  const { tenant, roles, only, except, limit } = wanted
  let query = system
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.email', 'users.name', 'users.username'])
    .where('members.tenant_id', '=', tenant)
    .where('members.status', '=', 'accepted')
    .where('users.status', '=', 'confirmed')
    .where(sql<boolean>`not is_disabled_account(users.id)`)
  if (roles !== undefined) query = query.where('members.role', 'in', roles)
  if (only !== undefined) query = query.where('users.id', '=', only)
  if (except !== undefined) query = query.where('users.id', '!=', except)
  return query.orderBy('users.email').limit(limit).execute()
}

/** Marks requests whose expiry the audit log does not have yet. @param system connection of all namespaces */
export async function takeExpired(system: Db, now: Date, limit: number): Promise<RequestRow[]> {
  return system
    .updateTable('access_requests')
    .set({ expiry_logged: true })
    .where('id', 'in', (select) =>
      select
        .selectFrom('access_requests')
        .select('id')
        .where('state', '=', 'approved')
        .where('expires_at', '<=', now)
        .where('expiry_logged', '=', false)
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

/** @param system connection of all namespaces */
export async function deleteOld(system: Db, before: Date): Promise<void> {
  await system.deleteFrom('access_requests').where('created_at', '<', before).execute()
}
