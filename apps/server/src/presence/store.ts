// SQL of the presence of devices. Triggers write the spans (migration 0067); here they are read and forgotten.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

type Db = Kysely<Schema>

/** Containers are devices of another platform; each list excludes the other kind. */
export type ListKind = 'devices' | 'containers'

export interface SpanRow {
  readonly started_at: Date
  readonly ended_at: Date | null
  readonly breaks: number
  readonly away_seconds: number
  readonly cause: string
}

/** Spans of a device that reach into the time after `from`, and the last one before it, the oldest first. */
export function readSpans(db: Db, uid: DeviceUid, from: Date): Promise<SpanRow[]> {
  const last = db
    .selectFrom('presence_spans')
    .select('id')
    .where('device_uid', '=', uid)
    .where('ended_at', '<=', from)
    .orderBy('started_at', 'desc')
    .limit(1)
  return db
    .selectFrom('presence_spans')
    .select(['started_at', 'ended_at', 'breaks', 'away_seconds', 'cause'])
    .where('device_uid', '=', uid)
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>', from), where('id', '=', last)]))
    .orderBy('started_at')
    .execute()
}

/** Since when the spans of a device say when it was online. */
export async function readKnownSince(db: Db, uid: DeviceUid): Promise<Date | undefined> {
  const row = await db
    .selectFrom('devices')
    .select(sql<Date>`greatest(presence_since, status_updated_at)`.as('since'))
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row?.since
}

export interface Bucket {
  /** Number of the bucket, from 0. */
  readonly bucket: number
  readonly online: number
  readonly lowest: number
}

/**
 * Devices that were online in each bucket of a time. Every arrival and every departure changes the count; borders of
 * buckets change it by nothing, so that each interval lies in one bucket.
 * @param seconds length of a bucket
 */
export async function countOnline(
  db: Db,
  kind: ListKind,
  { from, to, seconds }: { from: Date; to: Date; seconds: number },
): Promise<{ devices: number; knownSince: Date | null; buckets: Bucket[] }> {
  const length = sql`extract(epoch from until - at)`
  const { rows } = await sql<Bucket & { devices: number; since: Date | null }>`
    with listed as (select uid, presence_since from devices where kind = ${kind} and status = 'accepted'),
      spans as (
        select greatest(span.started_at, ${from}) as started_at, span.ended_at from presence_spans span
          join listed on listed.uid = span.device_uid
          where (span.ended_at is null or span.ended_at > ${from}) and span.started_at < ${to}),
      changes as (
        select started_at as at, 1 as change from spans
        union all select ended_at, -1 from spans where ended_at < ${to}
        union all select at, 0 from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 millisecond',
          make_interval(secs => ${seconds})) at),
      counted as (
        select at, sum(change) over placed as online, lead(at, 1, ${to}) over placed as until
          from changes window placed as (order by at rows unbounded preceding))
    select floor(extract(epoch from at - ${from}) / ${seconds})::int as bucket,
        (sum(online * ${length}) / sum(${length}))::float8 as online, min(online)::int as lowest,
        (select count(*)::int from listed) as devices, (select min(presence_since) from listed) as since
      from counted where until > at group by 1 order by 1`.execute(db)
  return { devices: rows[0]?.devices ?? 0, knownSince: rows[0]?.since ?? null, buckets: rows }
}

/** Deletes spans that ended before. @param db system connection @returns how many, at most `limit` */
export async function deleteSpans(db: Db, before: Date, limit: number): Promise<number> {
  const old = db.selectFrom('presence_spans').select('id').where('ended_at', '<', before).orderBy('ended_at')
  const result = await db.deleteFrom('presence_spans').where('id', 'in', old.limit(limit)).executeTakeFirst()
  return Number(result.numDeletedRows)
}
