// How devices are: processors, memory, filesystems, and the time that their link takes.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { DeviceUid, Time } from '../../schemas/common.ts'
import { DeviceHealth } from '../../schemas/fleet/health.ts'

export const HEALTH_PERIODS = ['day', 'month'] as const

const value = z.number().nullable()

export const HealthHistory = z
  .object({
    /** The last report; null when the device has never reported. */
    latest: DeviceHealth.nullable(),
    from: Time,
    to: Time,
    /** Length of a step: 5 minutes for a day, an hour for a month. The last one is under way. */
    step_seconds: z.number().int(),
    /** A point for each step, the oldest first; null without a report. In a step of an hour averages, and the highest memory and disk. */
    points: z.array(
      z.object({
        at: Time,
        /** Percent, as memory and disk. */
        cpu: value,
        memory: value,
        disk: value,
        /** For each processor. */
        load: value,
        latency_ms: value,
      }),
    ),
  })
  .meta({ id: 'HealthHistory' })
export type HealthHistory = z.infer<typeof HealthHistory>

export const health = {
  ofDevice: operation({
    method: 'GET',
    path: '/api/devices/{uid}/health',
    noun: 'health',
    summary: 'How a device was over a day or a month: processors, memory, disk, load, and the time its link takes',
    access: { kind: 'member', keys: true },
    params: z.object({ uid: DeviceUid }),
    query: z.object({
      /** The last 24 hours, or the last 30 days. */
      period: z.enum(HEALTH_PERIODS, `must be one of ${HEALTH_PERIODS.join(', ')}`).default('day'),
    }),
    response: HealthHistory,
    errors: ['NOT_FOUND'],
  }),
}
