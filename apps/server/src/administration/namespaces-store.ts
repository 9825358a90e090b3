// SQL of the namespaces of the instance, read across all nouns. System connection.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { containing } from '../db/lists/filter.ts'
import { online } from '../db/lists/online.ts'
import type { Page } from '../db/lists/page.ts'
import type { Schema } from '../db/schema.ts'

export interface ListedRow {
  readonly tenant_id: TenantId
  readonly name: string
  readonly type: 'personal' | 'team'
  readonly owner: UserId
  readonly owner_username: string
  readonly owner_email: string
  readonly created_at: Date
  readonly disabled_at: Date | null
  readonly devices: number
  readonly online: number
  readonly members: number
  readonly active_sessions: number
}

export interface NamespacesQuery {
  readonly search: string
  readonly state?: 'disabled' | 'enabled' | undefined
  readonly sort_by: 'name' | 'created_at' | 'devices'
  readonly order_by: 'asc' | 'desc'
}

const STATES = {
  disabled: sql<SqlBool>`namespaces.disabled_at is not null`,
  enabled: sql<SqlBool>`namespaces.disabled_at is null`,
} as const

const DEVICES = sql<number>`(select coalesce(sum(difference), 0)::bigint from row_counts
  where row_counts.tenant_id = namespaces.tenant_id and list in ('devices', 'containers') and row_counts.status = 'accepted')`

const COLUMNS = sql`namespaces.tenant_id, namespaces.name, namespaces.type, namespaces.owner, namespaces.created_at,
  namespaces.disabled_at, coalesce(users.username, '') as owner_username, users.email as owner_email,
  ${DEVICES} as devices,
  (select count(*) from devices where devices.tenant_id = namespaces.tenant_id and devices.status = 'accepted'
    and ${online}) as online,
  (select count(*) from members where members.tenant_id = namespaces.tenant_id and members.status = 'accepted') as members,
  (select count(*) from sessions where sessions.tenant_id = namespaces.tenant_id and sessions.active) as active_sessions`

const ORDERS = { name: sql`namespaces.name`, created_at: sql`namespaces.created_at`, devices: DEVICES } as const

/** A page of namespaces; counts are made for those of the page only. */
export async function listNamespaceRows(
  db: Kysely<Schema>,
  { search, state, sort_by: column, order_by: order }: NamespacesQuery,
  { limit, offset }: Page,
): Promise<{ rows: ListedRow[]; total: number }> {
  const where = matching(search, state)
  const from = sql`namespaces join users on users.id = namespaces.owner`
  const by = sql`${ORDERS[column]} ${sql.raw(order === 'asc' ? 'asc' : 'desc')}, namespaces.tenant_id`
  const counted = await sql<{ total: number }>`select count(*) as total from ${from} where ${where}`.execute(db)
  const { rows } = await sql<ListedRow>`select ${COLUMNS} from ${from}
    where namespaces.tenant_id in (
      select namespaces.tenant_id from ${from} where ${where} order by ${by} limit ${limit} offset ${offset}
    ) order by ${by}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

function matching(search: string, state: NamespacesQuery['state']): RawBuilder<SqlBool> {
  const wanted = state ? STATES[state] : sql<SqlBool>`true`
  const text = search.trim().toLowerCase()
  if (text === '') return wanted
  const pattern = containing(text)
  return sql<SqlBool>`(${wanted}) and (namespaces.name like ${pattern} or users.username like ${pattern}
    or users.email like ${pattern} or namespaces.tenant_id::text = ${text})`
}

export async function readNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<ListedRow | undefined> {
  const { rows } = await sql<ListedRow>`select ${COLUMNS}
    from namespaces join users on users.id = namespaces.owner
    where namespaces.tenant_id = ${tenant}`.execute(db)
  return rows[0]
}

export interface NamespaceCounts {
  readonly tunnels: number
  readonly api_keys: number
  readonly recordings_bytes: number
}

export async function countOfNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<NamespaceCounts> {
  const { rows } = await sql<NamespaceCounts>`select
    (select count(*) from tunnels where tenant_id = ${tenant}) as tunnels,
    (select count(*) from api_keys where tenant_id = ${tenant}) as api_keys,
    (select coalesce(sum(bytes), 0)::bigint from recordings where tenant_id = ${tenant}) as recordings_bytes`.execute(
    db,
  )
  return rows[0] ?? { tunnels: 0, api_keys: 0, recordings_bytes: 0 }
}

export interface PersonOfNamespace {
  readonly id: UserId
  readonly username: string
  readonly email: string
  readonly role: Role
  readonly status: 'accepted' | 'pending'
  readonly disabled: boolean
}

/** People of a namespace, the oldest membership first. */
export async function listPeopleOf(db: Kysely<Schema>, tenant: TenantId): Promise<PersonOfNamespace[]> {
  const { rows } = await sql<PersonOfNamespace>`
    select users.id, coalesce(users.username, '') as username, users.email, members.role, members.status,
      (users.status = 'disabled') as disabled
    from members join users on users.id = members.user_id
    where members.tenant_id = ${tenant} order by members.added_at, users.id`.execute(db)
  return rows
}

export interface DeletedRow {
  readonly tenant_id: TenantId
  readonly name: string
  readonly owner: UserId
  readonly owner_username: string
  readonly owner_email: string
  readonly closed_at: Date
  readonly due_at: Date
}

/**
 * A page of the namespaces that are deleted but not removed yet, those that go first at the top.
 * @param db in a transaction that sees them
 */
export async function listDeletedRows(
  db: Kysely<Schema>,
  search: string,
  { limit, offset }: Page,
): Promise<{ rows: DeletedRow[]; total: number }> {
  const from = sql`closed_namespaces join namespaces using (tenant_id) join users on users.id = namespaces.owner
    where ${matching(search, undefined)}`
  const counted = await sql<{ total: number }>`select count(*) as total from ${from}`.execute(db)
  const { rows } = await sql<DeletedRow>`select namespaces.tenant_id, namespaces.name, namespaces.owner,
    coalesce(users.username, '') as owner_username, users.email as owner_email, closed_at, due_at
    from ${from} order by due_at, namespaces.tenant_id limit ${limit} offset ${offset}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}
