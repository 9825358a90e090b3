// When the devices of a namespace were online.
import { fail } from '@bowline/contract/errors'
import type { DevicePresence, NamespacePresence, PRESENCE_PERIODS } from '@bowline/contract/operations/fleet/presence'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { TenantContext } from '../context.ts'
import { incidentDevices } from './incident-store.ts'
import { type ListKind, type SpanRow, countOnline, readKnownSince, readSpans } from './store.ts'

type Period = (typeof PRESENCE_PERIODS)[number]

const HOUR_MS = 3_600_000
const PERIODS: Readonly<Record<Period, { readonly lengthMs: number; readonly bucketMs: number }>> = {
  day: { lengthMs: 24 * HOUR_MS, bucketMs: HOUR_MS / 4 },
  month: { lengthMs: 30 * 24 * HOUR_MS, bucketMs: 6 * HOUR_MS },
}

/** Devices of a namespace that were online, in buckets that begin at whole quarters of an hour or of a day. */
export async function presenceOfNamespace(
  ctx: Pick<TenantContext, 'db' | 'clock'>,
  kind: ListKind,
  period: Period,
): Promise<NamespacePresence> {
  const { lengthMs, bucketMs } = PERIODS[period]
  const to = ctx.clock.now()
  const from = Math.floor(to / bucketMs) * bucketMs + bucketMs - lengthMs
  const times = { from: new Date(from), to: new Date(to), seconds: bucketMs / 1_000 }
  const { devices, knownSince, buckets } = await countOnline(ctx.db, kind, times)
  const counted = new Map(buckets.map((bucket) => [bucket.bucket, bucket]))
  const knownFrom = knownSince?.getTime() ?? to
  return {
    from: times.from.toISOString(),
    to: times.to.toISOString(),
    bucket_seconds: times.seconds,
    devices,
    buckets: Array.from({ length: Math.ceil((to - from) / bucketMs) }, (_, index) => {
      const at = from + index * bucketMs
      const found = at + bucketMs > knownFrom ? counted.get(index) : undefined
      return { at: new Date(at).toISOString(), online: found?.online ?? null, lowest: found?.lowest ?? null }
    }),
  }
}

/** Condition for devices that an incident is about. @param id as the list of incidents has it; undefined for what is no id */
export function inIncident(id: string): Expression<SqlBool> | undefined {
  return /^\d{1,18}$/.test(id) ? sql<SqlBool>`devices.uid in (${incidentDevices(id)})` : undefined
}

/** When a device or a container was online. @throws {BowlineError} NOT_FOUND */
export async function presenceOfDevice(
  ctx: Pick<TenantContext, 'db' | 'clock'>,
  uid: DeviceUid,
  period: Period,
): Promise<DevicePresence> {
  const since = (await readKnownSince(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  const to = ctx.clock.now()
  const from = to - PERIODS[period].lengthMs
  const spans = await readSpans(ctx.db, uid, new Date(from))
  const known = Math.min(to, Math.max(from, since.getTime()))
  const online = spans.reduce((sum, span) => sum + onlineMs(span, known, to), 0)
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    known_from: new Date(known).toISOString(),
    online_seconds: online / 1_000,
    share: to > known ? Math.min(1, online / (to - known)) : null,
    spans: spans.map(({ started_at, ended_at, breaks, cause }) => ({
      from: started_at.toISOString(),
      to: ended_at?.toISOString() ?? null,
      breaks,
      cause,
    })),
  }
}

/** Time online within a part of a span; absences in it are spread evenly. */
function onlineMs({ started_at, ended_at, away_seconds }: SpanRow, from: number, to: number): number {
  const [start, end] = [started_at.getTime(), Math.min(to, ended_at?.getTime() ?? to)]
  const within = Math.max(0, end - Math.max(start, from))
  return end > start ? within * Math.max(0, 1 - (away_seconds * 1_000) / (end - start)) : 0
}
