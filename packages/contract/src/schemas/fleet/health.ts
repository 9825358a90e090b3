// The health of a device by its last report.
import * as z from 'zod'
import { Time } from '../common.ts'

/** Troubles of a device, by thresholds of the server. */
export const TROUBLES = ['disk', 'memory', 'load', 'latency', 'rebooted'] as const
export type Trouble = (typeof TROUBLES)[number]

/** A restart alone is no failure. */
export const FAILURES = TROUBLES.filter((trouble) => trouble !== 'rebooted')

export const DeviceHealth = z
  .object({
    /** `reported`; or why there are no values: `off` (its operator has switched it off), `unsupported` (its agent is too old). */
    state: z.enum(['reported', 'off', 'unsupported']),
    reported_at: Time,
    /** Percent of the time of all processors that was busy between the last reports. */
    cpu: z.number().nullable(),
    /** Load average of five minutes, for each processor. */
    load: z.number().nullable(),
    cpus: z.number().int().nullable(),
    /** Percent of the memory that is not available to programs. */
    memory: z.number().nullable(),
    memory_bytes: z.number().int().nullable(),
    memory_available_bytes: z.number().int().nullable(),
    /** Percent of the fullest filesystem. */
    disk: z.number().nullable(),
    /** The fullest first; without the space reserved for root. */
    filesystems: z.array(z.object({ path: z.string(), total_bytes: z.number().int(), free_bytes: z.number().int() })),
    booted_at: Time.nullable(),
    /** Round trip of pings on its link; null where none was measured. */
    latency_ms: z.number().int().nullable(),
    troubles: z.array(z.enum(TROUBLES)),
  })
  .meta({ id: 'DeviceHealth' })
export type DeviceHealth = z.infer<typeof DeviceHealth>
