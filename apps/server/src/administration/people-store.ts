// SQL of the people of the instance, read across all nouns. System connection.
import type { DescribedPerson } from '@bowline/contract/schemas/instance/administration'
import type { UserId } from '@bowline/contract/schemas/common'
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { containing } from '../db/lists/filter.ts'
import type { Page } from '../db/lists/page.ts'
import type { Schema, UsersTable } from '../db/schema.ts'

export type PersonRow = Selectable<UsersTable> & { readonly namespaces: number }

export interface PeopleQuery {
  readonly search: string
  readonly state?: 'disabled' | 'unconfirmed' | 'administrators' | 'without-factor' | undefined
  readonly sort_by: 'username' | 'email' | 'created_at' | 'last_login'
  readonly order_by: 'asc' | 'desc'
}

const STATES = {
  disabled: sql<SqlBool>`status = 'disabled'`,
  unconfirmed: sql<SqlBool>`status in ('invited', 'not-confirmed')`,
  administrators: sql<SqlBool>`is_instance_admin`,
  'without-factor': sql<SqlBool>`status = 'confirmed' and not mfa_enabled`,
} as const

const NAMESPACES = sql<number>`(select count(*) from members
  where members.user_id = users.id and members.status = 'accepted')`

/** A page of people; those without a value of the order last. */
export async function listPeopleRows(
  db: Kysely<Schema>,
  { search, state, sort_by: column, order_by: order }: PeopleQuery,
  { limit, offset }: Page,
): Promise<{ rows: PersonRow[]; total: number }> {
  const where = matching(search, state)
  const by = sql`${sql.ref(column)} ${sql.raw(order === 'asc' ? 'asc' : 'desc')} nulls last, id`
  const counted = await sql<{ total: number }>`select count(*) as total from users where ${where}`.execute(db)
  const { rows } = await sql<PersonRow>`select users.*, ${NAMESPACES} as namespaces from users
    where ${where} order by ${by} limit ${limit} offset ${offset}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

function matching(search: string, state: PeopleQuery['state']): RawBuilder<SqlBool> {
  const wanted = state ? STATES[state] : sql<SqlBool>`true`
  const text = search.trim().toLowerCase()
  if (text === '') return wanted
  const pattern = containing(text)
  return sql<SqlBool>`(${wanted}) and
    (username like ${pattern} or email like ${pattern} or lower(name) like ${pattern})`
}

export async function readPerson(db: Kysely<Schema>, id: UserId): Promise<PersonRow | undefined> {
  const { rows } =
    await sql<PersonRow>`select users.*, ${NAMESPACES} as namespaces from users where id = ${id}`.execute(db)
  return rows[0]
}

/** Numbers of what somebody has. @param now sign-ins that have expired by then are not counted */
export async function countOfPerson(
  db: Kysely<Schema>,
  id: UserId,
  now: Date,
): Promise<Pick<DescribedPerson, 'sign_ins' | 'ssh_keys' | 'api_keys' | 'authenticators' | 'passkeys' | 'identities'>> {
  const { rows } = await sql<Awaited<ReturnType<typeof countOfPerson>>>`select
    (select count(*) from sign_ins where user_id = ${id} and expires_at > ${now}) as sign_ins,
    (select count(*) from public_keys where owner = ${id} or vouched_by = ${id}) as ssh_keys,
    (select count(*) from api_keys where created_by = ${id}) as api_keys,
    (select count(*) from authenticators where user_id = ${id}) as authenticators,
    (select count(*) from passkeys where user_id = ${id}) as passkeys,
    (select count(*) from identities where user_id = ${id}) as identities`.execute(db)
  const none = { sign_ins: 0, ssh_keys: 0, api_keys: 0, authenticators: 0, passkeys: 0, identities: 0 }
  return rows[0] ?? none
}

/** Memberships of a person, the oldest first. */
export async function listMembershipsOf(db: Kysely<Schema>, id: UserId): Promise<DescribedPerson['memberships']> {
  const { rows } = await sql<DescribedPerson['memberships'][number]>`
    select members.tenant_id, namespaces.name as namespace, members.role, members.status,
      (namespaces.disabled_at is not null) as disabled
    from members join namespaces on namespaces.tenant_id = members.tenant_id
    where members.user_id = ${id} order by members.added_at, members.tenant_id`.execute(db)
  return rows
}
