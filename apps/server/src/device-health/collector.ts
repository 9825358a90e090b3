// Readings of this node's devices until they are written: together, in one statement at a time whatever the number of devices.
// A node that dies loses those of the last quarter of an hour.
import type { Clock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { type Reading, type Values, hasChanged, valuesOf } from './reading.ts'
import { type DeviceReadings, writeReadings } from './store.ts'

const WRITE_INTERVAL_MS = 10_000
/** Devices in one statement. The others follow ten seconds later, which takes up 200 devices a second. */
const AT_ONCE = 2_000
/** While the database is away, the newest of each device are kept. */
const KEPT = 12

export interface HealthCollectorDeps {
  /** System connection: the devices are of many namespaces. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
}

/** What is known of one device of this node. */
export interface FollowedHealth {
  note(reading: Reading): void
  /** Its link has ended: what is not written yet is written soon. */
  end(): void
}

export interface HealthCollector {
  follow(device: { readonly uid: DeviceUid; readonly tenant: TenantId }): FollowedHealth
  start(): void
  /** Writes what is due. Does not reject: what could not be written is tried again by the next turn. */
  write(): Promise<void>
  /** Writes everything. */
  close(): Promise<void>
}

interface Followed {
  readonly uid: DeviceUid
  readonly tenant: TenantId
  waiting: Reading[]
  written: { readonly at: number; readonly state: string; readonly values: Values } | undefined
}

export function createHealthCollector({ system, clock, log }: HealthCollectorDeps): HealthCollector {
  const followed = new Set<Followed>()
  /** Those to be written at the next turn, in the order in which they became due. */
  const due = new Set<Followed>()
  let stop = (): void => undefined
  let writing: Promise<void> = Promise.resolve()

  async function writeOnce(): Promise<void> {
    const batch: { readonly device: Followed; readonly readings: Reading[] }[] = []
    for (const device of due) {
      if (batch.length === AT_ONCE) break
      due.delete(device)
      batch.push({ device, readings: device.waiting })
      device.waiting = []
    }
    if (batch.length === 0) return
    try {
      await writeReadings(system, toRows(batch))
    } catch (error) {
      log.error('device-health.error', { err: error })
      for (const { device, readings } of batch) {
        device.waiting = [...readings, ...device.waiting].slice(-KEPT)
        due.add(device)
      }
    }
  }

  /** One after the other, so that readings of a device are written in their order. */
  const write = (): Promise<void> => (writing = writing.then(writeOnce))

  return {
    follow({ uid, tenant }) {
      const device: Followed = { uid, tenant, waiting: [], written: undefined }
      followed.add(device)
      return {
        note(reading) {
          device.waiting = [...device.waiting, reading].slice(-KEPT)
          if (!isDue(device, reading)) return
          device.written = { at: reading.at, state: stateOf(reading), values: valuesOf(reading) }
          due.add(device)
        },
        end() {
          followed.delete(device)
          if (device.waiting.length > 0) due.add(device)
        },
      }
    },
    start() {
      stop = clock.every(WRITE_INTERVAL_MS, () => void write())
    },
    write,
    async close() {
      stop()
      for (const device of followed) if (device.waiting.length > 0) due.add(device)
      const turns = Math.ceil(due.size / AT_ONCE)
      for (let turn = 0; turn < turns; turn += 1) await write()
    },
  }
}

const stateOf = ({ report }: Reading): string => (typeof report === 'string' ? report : 'reported')

/** The first reading of a link, one that differs, and one after `writtenSeconds`; half an interval less, as polls have jitter. */
function isDue({ written }: Followed, reading: Reading): boolean {
  const { writtenSeconds, intervalSeconds } = LIMITS.health
  if (!written || written.state !== stateOf(reading)) return true
  const ageMs = reading.at - written.at
  return ageMs >= (writtenSeconds - intervalSeconds / 2) * 1_000 || hasChanged(written.values, valuesOf(reading))
}

/** A link of a device may follow another within one batch: its readings are one row then. */
function toRows(batch: readonly { readonly device: Followed; readonly readings: readonly Reading[] }[]) {
  const rows = new Map<DeviceUid, DeviceReadings>()
  for (const { device, readings } of batch) {
    const known = rows.get(device.uid)?.readings ?? []
    const all = [...known, ...readings].toSorted((a, b) => a.at - b.at)
    rows.set(device.uid, { uid: device.uid, tenant: device.tenant, readings: all })
  }
  return [...rows.values()]
}
