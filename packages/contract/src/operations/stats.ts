// Counters and live events of a namespace.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { LiveEvent } from '../schemas/event.ts'

/** Devices and containers together; how many of them are containers is told apart. */
export const Stats = z
  .object({
    registered_devices: z.number().int(),
    online_devices: z.number().int(),
    pending_devices: z.number().int(),
    rejected_devices: z.number().int(),
    active_sessions: z.number().int(),
    containers: z.object({
      registered: z.number().int(),
      online: z.number().int(),
      pending: z.number().int(),
      rejected: z.number().int(),
    }),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>

export const stats = {
  get: operation({
    method: 'GET',
    path: '/api/stats',
    noun: 'stats',
    summary: 'Counts of devices and active sessions of the namespace',
    access: { kind: 'member', keys: true },
    response: Stats,
  }),
}

export const events = {
  /**
   * Read with fetch streaming; `Last-Event-ID` resumes. The stream ends when the token does. Every member may read what
   * it tells: devices, sessions and members are in lists that observers have too.
   */
  stream: operation({
    method: 'GET',
    path: '/api/events',
    noun: 'events',
    summary: 'What changes in the namespace, as it happens',
    access: { kind: 'member', keys: false },
    response: LiveEvent,
    stream: true,
    errors: ['TOO_MANY_REQUESTS'],
  }),
}
