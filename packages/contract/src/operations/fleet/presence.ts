// When devices were online, and when many of them left at once.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { DeviceUid, Page, ROW_IDS, Time } from '../../schemas/common.ts'

export const PRESENCE_PERIODS = ['day', 'month'] as const

const Period = z.object({
  /** The last 24 hours, or the last 30 days. */
  period: z.enum(PRESENCE_PERIODS, `must be one of ${PRESENCE_PERIODS.join(', ')}`).default('day'),
})

/** Buckets of a period: of 15 minutes for a day, of 6 hours for a month. */
const Buckets = z.object({
  from: Time,
  to: Time,
  /** Length of a bucket; the last one is under way. */
  bucket_seconds: z.number().int(),
  /** Devices that are in the list now; those that have been removed are not in the buckets either. */
  devices: z.number().int(),
  buckets: z.array(
    z.object({
      at: Time,
      /** Devices online, averaged over the bucket; null where nothing is known. */
      online: z.number().nullable(),
      /** The fewest at one time. */
      lowest: z.number().int().nullable(),
    }),
  ),
})

export const NamespacePresence = Buckets.meta({ id: 'NamespacePresence' })
export type NamespacePresence = z.infer<typeof NamespacePresence>

export const PresenceSpan = z.object({
  from: Time,
  /** Null while the device is online. */
  to: Time.nullable(),
  /** Short absences within the span. */
  breaks: z.number().int(),
  /** Why it ended, as `by:reason`; '' while it lasts, or where unknown. */
  cause: z.string(),
})

export const DevicePresence = z
  .object({
    from: Time,
    to: Time,
    /** Nothing is known before; later than `from` for a device that has been accepted since. */
    known_from: Time,
    online_seconds: z.number(),
    /** Share of the known time in which the device was online, 0 to 1; null where no time is known. */
    share: z.number().min(0).max(1).nullable(),
    /** Times online, the oldest first; the last one before `from` is among them. */
    spans: z.array(PresenceSpan),
  })
  .meta({ id: 'DevicePresence' })
export type DevicePresence = z.infer<typeof DevicePresence>

const IncidentId = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'must be the id of an incident')
  .register(ROW_IDS, { noun: 'The incident' })

export const INCIDENT_STATES = ['open', 'over', 'all'] as const

/** Devices that went offline together. */
export const Incident = z
  .object({
    id: z.string(),
    /** Their common cause: the network that they connected from, or the server that held their connections. */
    kind: z.enum(['network', 'server']),
    /** In CIDR notation; null where unknown, and for a server. */
    network: z.string().nullable(),
    /** Why most of the connections ended, as `by:reason`. */
    cause: z.string(),
    /** When the first and the last of them left. */
    started_at: Time,
    last_at: Time,
    /** When all were back; null while some are away. */
    ended_at: Time.nullable(),
    devices: z.number().int(),
    /** Those that have not come back. */
    away: z.number().int(),
    /** Names of some of them. */
    examples: z.array(z.string()),
  })
  .meta({ id: 'Incident' })
export type Incident = z.infer<typeof Incident>

export const IncidentDevice = z
  .object({
    uid: DeviceUid,
    name: z.string(),
    /** When it left last. */
    left_at: Time,
    /** Null while it is away. */
    back_at: Time.nullable(),
    cause: z.string(),
  })
  .meta({ id: 'IncidentDevice' })
export type IncidentDevice = z.infer<typeof IncidentDevice>

export const presence = {
  get: operation({
    method: 'GET',
    path: '/api/presence',
    noun: 'presence',
    summary: 'How many devices were online over a day or a month',
    access: { kind: 'member', keys: true },
    query: Period.extend({
      list: z.enum(['devices', 'containers'], 'must be devices or containers').default('devices'),
    }),
    response: NamespacePresence,
    errors: ['TOO_MANY_REQUESTS'],
  }),
  ofDevice: operation({
    method: 'GET',
    path: '/api/devices/{uid}/presence',
    noun: 'presence',
    summary: 'When a device or a container was online over a day or a month',
    access: { kind: 'member', keys: true },
    params: z.object({ uid: DeviceUid }),
    query: Period,
    response: DevicePresence,
    errors: ['NOT_FOUND'],
  }),
}

export const incidents = {
  list: operation({
    method: 'GET',
    path: '/api/incidents',
    noun: 'incidents',
    summary: 'Devices that went offline together in the last 30 days, the newest first',
    access: { kind: 'member', keys: true },
    query: Page.extend({
      state: z.enum(INCIDENT_STATES, `must be one of ${INCIDENT_STATES.join(', ')}`).default('all'),
    }),
    response: z.array(Incident),
    total: true,
    errors: ['TOO_MANY_REQUESTS'],
  }),
  get: operation({
    method: 'GET',
    path: '/api/incidents/{id}',
    noun: 'incidents',
    summary: 'One incident',
    access: { kind: 'member', keys: true },
    params: z.object({ id: IncidentId }),
    response: Incident,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  devices: operation({
    method: 'GET',
    path: '/api/incidents/{id}/devices',
    noun: 'incidents',
    summary: 'The devices of an incident, those that are away first',
    access: { kind: 'member', keys: true },
    params: z.object({ id: IncidentId }),
    query: Page,
    response: z.array(IncidentDevice),
    total: true,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
}
