// SQL of the troubles of devices, for lists and for single devices.
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceHealth } from '@bowline/contract/schemas/fleet/health'
import { FAILURES, TROUBLES } from '@bowline/contract/schemas/fleet/health'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

const { health } = LIMITS

/** Older values count for the disk only, which stays as full as it was. */
const isFresh = sql`reported_at > now() - make_interval(secs => ${sql.lit(health.freshSeconds)})`

/** Troubles of a row of `device_health`, as a list of words. */
const troubles = sql<string[]>`array_remove(array[
  case when disk >= ${sql.lit(health.disk)} then 'disk' end,
  case when memory >= ${sql.lit(health.memory)} and ${isFresh} then 'memory' end,
  case when load >= ${sql.lit(health.load)} and ${isFresh} then 'load' end,
  case when latency >= ${sql.lit(health.latencyMs)} and ${isFresh} then 'latency' end,
  case when booted_at > now() - make_interval(hours => ${sql.lit(health.rebootedHours)}) then 'rebooted' end], null)`

const ofDevice = sql`from device_health where device_health.device_uid = devices.uid`

/** Troubles of a device, in a query of devices. */
export const troublesOfDevice: RawBuilder<string[]> = sql`(select ${troubles} ${ofDevice})`

/** Condition for devices in trouble. @param word one of {@link TROUBLES}, or `any` of the failures; undefined for another */
export function inTrouble(word: string): Expression<SqlBool> | undefined {
  const words = word === 'any' ? FAILURES : TROUBLES.filter((trouble) => trouble === word)
  if (words.length === 0) return undefined
  return sql<SqlBool>`exists (select ${ofDevice} and ${troubles} && ${[...words]}::text[])`
}

/** A value of a device for sorting; devices without a report sort as the lowest. */
export function healthOrder(column: 'disk' | 'memory' | 'load' | 'latency'): RawBuilder<number> {
  return sql`coalesce((select ${sql.ref(column)} ${ofDevice}), -1)`
}

export const bootOrder: RawBuilder<Date> = sql`coalesce((select booted_at ${ofDevice}), '-infinity')`

/** The last report of a device in the API's form, in a query of devices; null without one. */
export const healthOfDevice = sql<DeviceHealth | null>`(select jsonb_build_object(
    'state', state, 'reported_at', ${iso('reported_at')}, 'cpu', cpu, 'load', load, 'cpus', cpus,
    'memory', memory, 'memory_bytes', memory_bytes, 'memory_available_bytes', memory_available_bytes, 'disk', disk,
    'filesystems', (select coalesce(jsonb_agg(jsonb_build_object('path', one->'path', 'total_bytes', one->'totalBytes',
        'free_bytes', one->'freeBytes') order by place), '[]') from jsonb_array_elements(filesystems) with ordinality as
        listed (one, place)),
    'booted_at', ${iso('booted_at')}, 'latency_ms', latency, 'troubles', to_jsonb(${troubles})) ${ofDevice})`

function iso(column: string): RawBuilder<string> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
