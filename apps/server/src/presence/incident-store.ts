// SQL of incidents: departures of devices, grouped by place and time. Nothing of them is stored.
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

const { days, incidentGapSeconds, reconnectSeconds } = LIMITS.presence

/** Ends that somebody wanted: a server that stops or drains, a newer connection, a device that is removed. */
const PLANNED = [
  'gateway:stopped',
  'gateway:draining',
  'gateway:displaced',
  'admin:removed',
  'admin:namespace-removed',
  'admin:status',
]

/** Departures of devices, among spans. */
const DEPARTED = sql`
  join devices on devices.uid = device_uid and devices.kind = 'devices' and devices.status = 'accepted'
  where ended_at <= now() - make_interval(secs => ${sql.lit(reconnectSeconds)})
    and cause not in (${sql.join(PLANNED.map((cause) => sql.lit(cause)))})`

/** Network, or node, that a device left with. */
const PLACE = sql`case when cause = 'gateway:node-lost' then 'node ' || node else coalesce(network::text, '') end`

/** `departures` as members of the groups of their place. */
const GROUPS = sql`
  begun as (
    select *, coalesce(ended_at - lag(ended_at) over (partition by place order by ended_at, id)
        > make_interval(secs => ${sql.lit(incidentGapSeconds)}), true) as begins from departures),
  members as (
    select *, count(*) filter (where begins) over (partition by place order by ended_at, id) as part from begun)`

/** Departures of the namespace's devices, each with its place and the number of the group there that it belongs to. */
const MEMBERS = sql`
  following as (
    select id, device_uid, ended_at, cause, network, node,
        lead(started_at) over (partition by device_uid order by started_at) as back_at
      from presence_spans
      where ended_at is null or ended_at > now() - make_interval(days => ${sql.lit(days)})),
  departures as (
    select following.*, devices.name,
        ${PLACE} as place
      from following ${DEPARTED}),
  ${GROUPS}`

/** Longest time between a departure of an incident and the others: it keeps what is read for one small. */
const LONGEST = sql`interval '1 day'`

/** Query for the uids of the devices of an incident. @param id of one of its departures */
export function incidentDevices(id: string): RawBuilder<DeviceUid> {
  return sql<DeviceUid>`
    with known as (select ended_at as at from presence_spans where id = ${id}::bigint),
      near as (
        select presence_spans.* from known
          join presence_spans on ended_at >= at - ${LONGEST} and ended_at <= at + ${LONGEST}),
      departures as (select near.id, device_uid, ended_at, ${PLACE} as place from near ${DEPARTED}),
      ${GROUPS}
    select device_uid from members where (place, part) = (select place, part from members where id = ${id}::bigint)`
}

export interface IncidentRow {
  readonly id: string
  readonly isOfServer: boolean
  readonly network: string | null
  readonly cause: string
  readonly started_at: Date
  readonly last_at: Date
  readonly ended_at: Date | null
  readonly devices: number
  readonly away: number
  readonly examples: string[]
}

/** Columns of one group. */
const SUMMARY = sql`
  min(id)::text as id, place like 'node %' as "isOfServer",
  case when place like 'node %' or place = '' then null else place end as network,
  mode() within group (order by cause) as cause, min(ended_at) as started_at, max(ended_at) as last_at,
  case when bool_and(back_at is not null) then max(back_at) end as ended_at,
  count(distinct device_uid)::int as devices,
  count(distinct device_uid) filter (where back_at is null)::int as away,
  (array_agg(distinct name order by name))[1:3] as examples`

/** A page of the namespace's incidents, the newest first, with their number. */
export async function listIncidents(
  db: Kysely<Schema>,
  { state, limit, offset }: { state: 'open' | 'over' | 'all'; limit: number; offset: number },
): Promise<{ rows: IncidentRow[]; total: number }> {
  const wanted: Record<typeof state, RawBuilder<SqlBool>> = {
    open: sql<SqlBool>`away > 0`,
    over: sql<SqlBool>`away = 0`,
    all: sql<SqlBool>`true`,
  }
  const { rows } = await sql<IncidentRow & { total: number }>`
    with ${MEMBERS}, incidents as (select ${SUMMARY} from members group by place, part),
      wanted as (select * from incidents where ${wanted[state]})
    select page.*, counted.total from (select count(*)::int as total from wanted) counted
      left join lateral (select * from wanted order by started_at desc, id desc limit ${limit} offset ${offset}) page on true
      order by started_at desc, id desc`.execute(db)
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 }
}

/** The incident that a departure is part of. @param id of the departure's span */
export async function findIncident(db: Kysely<Schema>, id: string): Promise<IncidentRow | undefined> {
  const { rows } = await sql<IncidentRow>`
    with ${MEMBERS}, one as (select place, part from members where id = ${id}::bigint)
    select ${SUMMARY} from members join one using (place, part) group by place, part`.execute(db)
  return rows[0]
}

export interface IncidentDeviceRow {
  readonly uid: DeviceUid
  readonly name: string
  readonly left_at: Date
  readonly back_at: Date | null
  readonly cause: string
}

/** A page of the devices of an incident, those that are away first. @param id of one of its departures */
export async function listIncidentDevices(
  db: Kysely<Schema>,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: IncidentDeviceRow[]; total: number }> {
  const { rows } = await sql<IncidentDeviceRow & { total: number }>`
    with ${MEMBERS}, one as (select place, part from members where id = ${id}::bigint),
      latest as (
        select distinct on (device_uid) device_uid as uid, name, ended_at as left_at, back_at, cause
          from members join one using (place, part) order by device_uid, ended_at desc)
    select page.*, counted.total from (select count(*)::int as total from latest) counted
      left join lateral (select * from latest order by back_at is not null, name, uid limit ${limit} offset ${offset}) page
        on true
      order by back_at is not null, name, uid`.execute(db)
  return { rows: rows.filter(({ uid }) => uid !== null), total: rows[0]?.total ?? 0 }
}
