// Devices, and containers, which are devices of another platform: the same calls on the same store under their own
// path.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { operation } from '../operation.ts'
import { DeviceUid, ExportFormat, Page } from '../schemas/common.ts'
import { DEVICE_STATUSES, Device, DeviceFields, DevicePositions, MAP_STEPS, PlacedPosition } from '../schemas/device.ts'
import { FilterText } from '../schemas/filter.ts'
import { DeviceTags, Tag } from '../schemas/tag.ts'
import { UserAuthority } from '../schemas/fleet/user-authority.ts'

const byUid = z.object({ uid: DeviceUid })

/** Verb of the status path → the status it sets. */
export const STATUS_WORDS = {
  accept: 'accepted',
  reject: 'rejected',
  pending: 'pending',
  unused: 'unused',
} as const

export const DeviceName = z
  .string()
  .min(LIMITS.deviceName.min, 'is required')
  .max(LIMITS.deviceName.max, `must have at most ${LIMITS.deviceName.max} characters`)
  .regex(/^[A-Za-z0-9_-]+$/, 'may have letters, digits, - and _ only')
  .toLowerCase()

const SORT_FIELDS = [
  'last_seen',
  'name',
  'created_at',
  'status',
  'status_updated_at',
  'online',
  'address',
  'mac',
  'system',
  'arch',
  'version',
  'tags',
  'disk',
  'memory',
  'load',
  'latency',
  'booted_at',
] as const
export type DeviceSort = (typeof SORT_FIELDS)[number]

/** Properties by whose values a list can be narrowed. */
export const FACETS = ['tag', 'system', 'arch', 'version', 'online', 'host_key', 'trouble'] as const
export type FacetName = (typeof FACETS)[number]

/** The devices of a list. */
const Scope = z.object({
  filter: FilterText,
  /** Absent: accepted. Present and empty: every status. */
  status: z.union([z.enum(DEVICE_STATUSES), z.literal('')]).default('accepted'),
})

const Order = z.object({
  sort_by: z.enum(SORT_FIELDS).default('last_seen'),
  order_by: z
    .string()
    .default('desc')
    .transform((order) => (order === 'asc' ? 'asc' : 'desc')),
})

/** Calls shared by devices and containers. */
function deviceOperations(noun: 'devices' | 'containers') {
  const one = noun === 'devices' ? 'device' : 'container'
  const path = `/api/${noun}`
  return {
    list: operation({
      method: 'GET',
      path,
      noun,
      summary: `The ${noun} of the namespace`,
      access: { kind: 'member', keys: true },
      query: Page.extend({ ...Scope.shape, ...Order.shape }),
      response: z.array(Device),
      total: true,
      errors: ['INVALID_FILTER'],
    }),
    facets: operation({
      method: 'GET',
      path: `${path}/facets`,
      noun,
      summary: `Values of a property among the ${noun} that match, the most frequent first`,
      access: { kind: 'member', keys: true },
      query: Scope.extend({ by: z.enum(FACETS, `must be one of ${FACETS.join(', ')}`) }),
      response: z.array(z.object({ value: z.string(), count: z.number().int() })),
      errors: ['INVALID_FILTER'],
    }),
    export: operation({
      method: 'GET',
      path: `${path}/export`,
      noun,
      summary: `All ${noun} that match, as CSV or JSON lines`,
      access: { kind: 'member', keys: true },
      query: z.object({
        ...Scope.shape,
        ...Order.shape,
        format: ExportFormat.default('csv'),
      }),
      response: z.array(Device),
      jsonLines: true,
      asCsv: true,
      errors: ['INVALID_FILTER', 'TOO_MANY_REQUESTS'],
    }),
    get: operation({
      method: 'GET',
      path: `${path}/{uid}`,
      noun,
      summary: `One ${one}`,
      access: { kind: 'member', keys: true },
      params: byUid,
      response: Device,
      errors: ['NOT_FOUND'],
    }),
    update: operation({
      method: 'PUT',
      path: `${path}/{uid}`,
      noun,
      summary: `Change the name, note, custom fields or position of a ${one}, or whether its tunnels have stable names (public_url)`,
      access: { kind: 'member', permission: 'deviceUpdate', per: 'device', keys: true },
      params: byUid,
      body: z.object({
        name: DeviceName.optional(),
        public_url: z.boolean().optional(),
        note: z.string().max(LIMITS.deviceNote, `must have at most ${LIMITS.deviceNote} characters`).optional(),
        /** All of them: one that is left out is removed. */
        fields: DeviceFields.optional(),
        /** Wins over the position of the device's address; null: back to that one. */
        position: PlacedPosition.nullable().optional(),
      }),
      bodyBytes: 65_536,
      errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'DEVICE_NAME_TAKEN', 'PUBLIC_NAME_TAKEN', 'POLICY_CHANGE'],
    }),
    remove: operation({
      method: 'DELETE',
      path: `${path}/{uid}`,
      noun,
      summary: `Remove a ${one} with its sessions`,
      access: { kind: 'member', permission: 'deviceRemove', per: 'device', keys: true },
      params: byUid,
      errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
    }),
    setStatus: operation({
      method: 'PATCH',
      path: `${path}/{uid}/{status}`,
      noun,
      summary: `Accept or reject a ${one}, or put it back to pending`,
      access: { kind: 'member', permission: 'deviceAccept', per: 'device', keys: true },
      params: z.object({
        uid: DeviceUid,
        status: z.enum(['accept', 'reject', 'pending', 'unused'], 'must be accept, reject, pending or unused'),
      }),
      errors: [
        'FRESH_PROOF_REQUIRED',
        'NOT_FOUND',
        'DEVICE_STATUS_FINAL',
        'DEVICE_NAME_TAKEN',
        'DEVICE_REPLACES',
        'DEVICE_LIMIT',
        'NAMESPACE_FULL',
        'PAYMENT_REQUIRED',
      ],
    }),
    undoAccept: operation({
      method: 'POST',
      path: `${path}/{uid}/accept/undo`,
      noun,
      summary: `Undo your acceptance of a ${one}, which becomes what it was before, if it has had no session since`,
      access: { kind: 'member', permission: 'deviceAccept', per: 'device', keys: true },
      params: byUid,
      errors: ['NOT_FOUND', 'ACCEPTANCE_FINAL'],
    }),
    addTag: operation({
      method: 'POST',
      path: `${path}/{uid}/tags`,
      noun,
      summary: `Add a tag to a ${one}`,
      access: { kind: 'member', permission: 'deviceTagCreate', per: 'device', keys: true },
      params: byUid,
      body: z.object({ tag: Tag }),
      errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TAG_LIMIT', 'CONFLICT', 'POLICY_CHANGE'],
    }),
    setTags: operation({
      method: 'PUT',
      path: `${path}/{uid}/tags`,
      noun,
      summary: `Set the tags of a ${one}; an empty list clears them`,
      access: { kind: 'member', permission: 'deviceTagUpdate', per: 'device', keys: true },
      params: byUid,
      body: z.object({ tags: DeviceTags }),
      errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TAG_LIMIT', 'POLICY_CHANGE'],
    }),
    removeTag: operation({
      method: 'DELETE',
      path: `${path}/{uid}/tags/{tag}`,
      noun,
      summary: `Remove a tag from a ${one}`,
      access: { kind: 'member', permission: 'deviceTagRemove', per: 'device', keys: true },
      params: byUid.extend({ tag: Tag }),
      errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'POLICY_CHANGE'],
    }),
  }
}

/** Names the key that a person has seen. */
export const HostKeyBody = z.object({
  fingerprint: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be as ssh-keygen -l prints it: SHA256:…'),
})

export const devices = {
  ...deviceOperations('devices'),
  positions: operation({
    method: 'GET',
    path: '/api/devices/positions',
    noun: 'devices',
    summary: 'Where the devices that match are: how many in each cell of a grid',
    access: { kind: 'member', keys: true },
    query: Scope.extend({
      /** Size of the cells in degrees. */
      step: z.enum(MAP_STEPS, `must be one of ${MAP_STEPS.join(', ')}`).default('10'),
      /** Only cells in this part of the world: west, south, east and north in degrees. */
      box: z
        .string()
        .regex(/^-?\d{1,3}(\.\d{1,4})?(,-?\d{1,3}(\.\d{1,4})?){3}$/, 'must be west,south,east,north in degrees')
        .optional(),
    }),
    response: DevicePositions,
    errors: ['INVALID_FILTER'],
  }),
  userAuthority: operation({
    method: 'GET',
    path: '/api/devices/user-authority',
    noun: 'devices',
    summary: 'What the SSH servers of devices without an agent trust, for logins by registered keys',
    access: { kind: 'member', keys: true },
    response: UserAuthority,
  }),
  acceptHostKey: operation({
    method: 'PUT',
    path: '/api/devices/{uid}/host-key',
    noun: 'devices',
    summary: 'Accept the other host key that a device without an agent presents',
    // Another machine takes the place of the accepted one, as with a replacement.
    access: { kind: 'member', permission: 'deviceRemove', per: 'device', keys: true },
    params: byUid,
    body: HostKeyBody,
    response: Device,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'HOST_KEY_NOT_PRESENTED'],
  }),
  rename: operation({
    method: 'PATCH',
    path: '/api/devices/{uid}',
    noun: 'devices',
    summary: 'Rename a device (older form of PUT)',
    deprecated: true,
    access: { kind: 'member', permission: 'deviceRename', per: 'device', keys: true },
    params: byUid,
    body: z.object({ name: DeviceName }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'DEVICE_NAME_TAKEN', 'POLICY_CHANGE'],
  }),
}

export const containers = deviceOperations('containers')
