// SQL of sessions counted by device or by person.
import type { SessionGroupSort } from '@bowline/contract/operations/sessions'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import type { SessionGrouping } from '@bowline/contract/schemas/session'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Page } from '../db/lists/page.ts'
import type { Schema } from '../db/schema.ts'

export interface GroupRow {
  /** Null when grouped by person. */
  readonly device_uid: DeviceUid | null
  /** Null when grouped by device, and for sessions that name nobody. */
  readonly person_id: UserId | null
  /** Of the latest session; ''. */
  readonly person: string
  readonly sessions: number
  readonly active: number
  readonly last_started_at: Date
}

interface GroupQuery extends Page {
  readonly by: SessionGrouping
  readonly where: Expression<SqlBool> | undefined
  readonly sortBy: SessionGroupSort
  readonly order: 'asc' | 'desc'
}

const KEYS = { device: sql.ref('device_uid'), person: sql.ref('person_id') } as const

/** A page of groups with the number of all, in one statement: both are of one snapshot, and every session is read once. */
export async function groupSessions(
  db: Kysely<Schema>,
  { by, where, sortBy, order, limit, offset }: GroupQuery,
): Promise<{ rows: readonly GroupRow[]; total: number }> {
  const key = KEYS[by]
  // A name may have changed between two sessions. It is looked up for the page only: to gather the names takes long.
  const person = sql`coalesce((select latest.person from sessions latest
    where latest.person_id = page.person_id order by latest.last_seen desc limit 1), '')`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const { rows } = await sql<{ total: number } & (GroupRow | Record<keyof GroupRow, null>)>`
    with groups as (
      select ${by === 'device' ? key : sql`null::text`} as device_uid,
        ${by === 'person' ? key : sql`null::text`} as person_id,
        count(*)::int as sessions,
        count(*) filter (where active)::int as active,
        max(started_at) as last_started_at
      from sessions
      where ${where ?? sql`true`}
      group by sessions.${key}
    )
    select all_groups.total, page.*, ${by === 'person' ? person : sql`''`} as person
    from (select count(*)::int as total from groups) all_groups
    left join lateral (
      select * from groups
      order by ${sql.ref(sortBy)} ${direction}, last_started_at desc, device_uid, person_id
      limit ${limit} offset ${offset}
    ) page on true`.execute(db)
  // A page beyond the end has one row, which holds the total alone.
  return { rows: rows.flatMap((row) => (row.sessions === null ? [] : [row])), total: rows[0]?.total ?? 0 }
}
