// SQL of the health of devices.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { DeviceHealth } from '@bowline/contract/schemas/fleet/health'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { DeviceHealthPointsTable } from '../db/tables/health-tables.ts'
import { type Reading, type Values, valuesOf } from './reading.ts'
import { healthOfDevice } from './troubles-store.ts'

type Db = Kysely<Schema>

export const FINE_MINUTES = 5
export const COARSE_MINUTES = 60
const FINE_MS = FINE_MINUTES * 60_000
const HOUR_MS = 3_600_000
const POINTS = HOUR_MS / FINE_MS

/** Readings of one device that are not written yet. */
export interface DeviceReadings {
  readonly uid: DeviceUid
  readonly tenant: TenantId
  /** The oldest first; at least one. */
  readonly readings: readonly Reading[]
}

/**
 * Writes the reports of devices in one statement; those of removed devices are left out.
 * @param system system connection
 */
export async function writeReadings(system: Db, devices: readonly DeviceReadings[]): Promise<void> {
  const latest = devices.map(({ uid, tenant, readings }) => ({ uid, tenant, ...latestOf(readings) }))
  const hours = devices.flatMap(({ uid, tenant, readings }) =>
    hoursOf(readings).map((hour) => ({ uid, tenant, ...hour })),
  )
  await sql`
    with given as (
        select given.* from jsonb_to_recordset(${JSON.stringify(latest)}::jsonb) as given (uid text, tenant uuid, state text,
            at timestamptz, cpu real, memory real, disk real, load real, cpus integer, memory_bytes bigint,
            memory_available_bytes bigint, filesystems jsonb, booted_at timestamptz, latency integer)
          join devices on devices.uid = given.uid and devices.tenant_id = given.tenant),
      newest as (
        insert into device_health as known (device_uid, tenant_id, state, reported_at, cpu, memory, disk, load, cpus,
            memory_bytes, memory_available_bytes, filesystems, booted_at, latency)
          select uid, tenant, state, at, cpu, memory, disk, load, cpus, memory_bytes, memory_available_bytes, filesystems,
              booted_at, latency from given order by uid
          on conflict (device_uid) do update set tenant_id = excluded.tenant_id, state = excluded.state,
              reported_at = excluded.reported_at, cpu = excluded.cpu, memory = excluded.memory, disk = excluded.disk,
              load = excluded.load, cpus = excluded.cpus, memory_bytes = excluded.memory_bytes,
              memory_available_bytes = excluded.memory_available_bytes, filesystems = excluded.filesystems,
              booted_at = excluded.booted_at, latency = coalesce(excluded.latency, known.latency)
            where known.reported_at <= excluded.reported_at)
    insert into device_health_points as known (device_uid, tenant_id, step_minutes, begins_at, cpu, memory, disk, load, latency)
      select hour.uid, hour.tenant, ${sql.lit(FINE_MINUTES)}, begins_at, hour.cpu, hour.memory, hour.disk, hour.load, hour.latency
        from jsonb_to_recordset(${JSON.stringify(hours)}::jsonb) as hour (uid text, tenant uuid, begins_at timestamptz,
            cpu smallint[], memory smallint[], disk smallint[], load smallint[], latency smallint[])
          join given on given.uid = hour.uid
        order by hour.uid, begins_at
      on conflict (device_uid, step_minutes, begins_at) do update set ${MERGED}`.execute(system)
}

const MERGED = sql.join(
  (['cpu', 'memory', 'disk', 'load', 'latency'] as const).map(
    (name) => sql`${sql.ref(name)} = merged_points(${sql.ref(`known.${name}`)}, ${sql.ref(`excluded.${name}`)})`,
  ),
)

function latestOf(readings: readonly Reading[]) {
  const last = readings.at(-1)
  if (!last) throw new Error('a device without readings is not written')
  const { report, at } = last
  const values = { at: new Date(at), ...valuesOf(last) }
  if (typeof report === 'string') return { ...values, state: report, filesystems: [] }
  return {
    ...values,
    state: 'reported',
    cpus: report.cpus,
    memory_bytes: report.memory.totalBytes,
    memory_available_bytes: report.memory.availableBytes,
    filesystems: report.filesystems,
    booted_at: new Date(at - report.uptimeSeconds * 1_000),
  }
}

type Columns = { readonly [Name in keyof Values]: (number | null)[] }

/** Points of readings in rows of an hour each; a later reading of the same five minutes takes the place of an earlier one. */
function hoursOf(readings: readonly Reading[]): ({ readonly begins_at: Date } & Columns)[] {
  const hours = new Map<number, Columns>()
  for (const reading of readings) {
    const begin = Math.floor(reading.at / HOUR_MS) * HOUR_MS
    const columns = hours.get(begin) ?? emptyHour()
    hours.set(begin, columns)
    const { cpu, memory, disk, load, latency } = valuesOf(reading)
    const place = Math.floor((reading.at - begin) / FINE_MS)
    const small = { cpu, memory, disk, load: load === null ? null : Math.min(32_767, load * 100), latency }
    for (const name of ['cpu', 'memory', 'disk', 'load', 'latency'] as const) {
      const value = small[name]
      if (value !== null) columns[name][place] = Math.round(value)
    }
  }
  return [...hours].map(([begin, columns]) => ({ begins_at: new Date(begin), ...columns }))
}

function emptyHour(): Columns {
  const none = () => Array.from({ length: POINTS }, () => null)
  return { cpu: none(), memory: none(), disk: none(), load: none(), latency: none() }
}

/** The last report of a device, null where there is none; undefined where there is no such device. */
export function readLatest(db: Db, uid: DeviceUid): Promise<{ latest: DeviceHealth | null } | undefined> {
  return db.selectFrom('devices').select(healthOfDevice.as('latest')).where('uid', '=', uid).executeTakeFirst()
}

export type PointsRow = Pick<
  Selectable<DeviceHealthPointsTable>,
  'step_minutes' | 'begins_at' | 'cpu' | 'memory' | 'disk' | 'load' | 'latency'
>

/** Rows with points of a device since a time. @param coarse those of hours, too */
export function readPoints(db: Db, uid: DeviceUid, since: Date, coarse: boolean): Promise<PointsRow[]> {
  const fine = sql<boolean>`step_minutes = ${sql.lit(FINE_MINUTES)} and begins_at > ${since}::timestamptz - interval '1 hour'`
  const hours = sql<boolean>`step_minutes = ${sql.lit(COARSE_MINUTES)} and begins_at > ${since}::timestamptz - interval '1 day'`
  return db
    .selectFrom('device_health_points')
    .select(['step_minutes', 'begins_at', 'cpu', 'memory', 'disk', 'load', 'latency'])
    .where('device_uid', '=', uid)
    .where(coarse ? sql<boolean>`((${fine}) or (${hours}))` : fine)
    .orderBy('begins_at')
    .execute()
}

/**
 * Makes hours of the points of five minutes that began before a time, and removes those.
 * @param system system connection
 * @returns rows that were folded, at most `limit`
 */
export async function foldPoints(system: Db, before: Date, limit: number): Promise<number> {
  const average = (name: string) => sql`(select round(avg(point)) from unnest(${sql.ref(name)}) as point)::smallint`
  const highest = (name: string) => sql`(select max(point) from unnest(${sql.ref(name)}) as point)`
  const placed = (name: string) => sql`placed_points(array_agg(hour), array_agg(${sql.ref(name)}), 24)`
  const { rows } = await sql<{ folded: number }>`
    with old as (
        select device_uid, begins_at from device_health_points
          where step_minutes = ${sql.lit(FINE_MINUTES)} and begins_at < ${before}
          order by begins_at, device_uid limit ${limit} for update skip locked),
      gone as (
        delete from device_health_points points using old
          where points.device_uid = old.device_uid and points.begins_at = old.begins_at
            and points.step_minutes = ${sql.lit(FINE_MINUTES)}
          returning points.*),
      hours as (
        select device_uid, tenant_id, date_trunc('day', begins_at, 'UTC') as day,
            extract(hour from begins_at at time zone 'UTC')::int as hour,
            ${average('cpu')} as cpu, ${highest('memory')} as memory, ${highest('disk')} as disk, ${average('load')} as load,
            ${average('latency')} as latency
          from gone),
      folded as (
        insert into device_health_points as known (device_uid, tenant_id, step_minutes, begins_at, cpu, memory, disk, load, latency)
          select device_uid, tenant_id, ${sql.lit(COARSE_MINUTES)}, day, ${placed('cpu')}, ${placed('memory')}, ${placed('disk')},
              ${placed('load')}, ${placed('latency')}
            from hours group by device_uid, tenant_id, day order by device_uid, day
          on conflict (device_uid, step_minutes, begins_at) do update set ${MERGED})
    select count(*)::int as folded from gone`.execute(system)
  return rows[0]?.folded ?? 0
}

/** Deletes days that began before a time. @param system system connection @returns how many, at most `limit` */
export async function deleteDays(system: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_health_points points using (
        select device_uid, begins_at from device_health_points
          where step_minutes = ${sql.lit(COARSE_MINUTES)} and begins_at < ${before} limit ${limit}) old
      where points.device_uid = old.device_uid and points.begins_at = old.begins_at
        and points.step_minutes = ${sql.lit(COARSE_MINUTES)}`.execute(system)
  return Number(numAffectedRows ?? 0)
}
