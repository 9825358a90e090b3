// Devices as clients see them.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { DeviceUid, NO_CONTROL, Position, TenantId, Time } from './common.ts'
import { AgentReport } from './fleet/agent-update.ts'
import { DeviceHealth } from './fleet/health.ts'

export const DEVICE_STATUSES = ['accepted', 'pending', 'rejected', 'removed', 'unused'] as const
export const DeviceStatus = z.enum(DEVICE_STATUSES)
export type DeviceStatus = z.infer<typeof DeviceStatus>

/** Not validated beyond size: packagers use their own values. */
export const DeviceInfo = z.object({
  id: z.string().max(128),
  pretty_name: z.string().max(256),
  version: z.string().max(64),
  arch: z.string().max(64),
  platform: z.string().max(64),
})
export type DeviceInfo = z.infer<typeof DeviceInfo>

/** What people note about a device beyond its tags: an inventory number, a rack, a contract. */
export const DeviceFields = z
  .record(
    z
      .string()
      .trim()
      .min(1, 'needs a name')
      .max(LIMITS.deviceFields.name, `names have at most ${LIMITS.deviceFields.name} characters`)
      .regex(NO_CONTROL, 'must not have control characters'),
    z
      .string()
      .trim()
      .max(LIMITS.deviceFields.value, `values have at most ${LIMITS.deviceFields.value} characters`)
      .regex(NO_CONTROL, 'must not have control characters'),
  )
  .refine((fields) => Object.keys(fields).length <= LIMITS.deviceFields.count, {
    message: `must be at most ${LIMITS.deviceFields.count}`,
  })
export type DeviceFields = z.infer<typeof DeviceFields>

/** An accepted device that another one, with the same MAC address, would replace. */
export const ReplacedDevice = z.object({
  uid: DeviceUid,
  name: z.string(),
  /** Key fingerprint as printed by `ssh-keygen -l`; '' for a key type that SSH does not have. */
  fingerprint: z.string(),
})
export type ReplacedDevice = z.infer<typeof ReplacedDevice>

const HostKeyFacts = z.object({
  /** `ssh-ed25519`, `ssh-rsa`, … */
  type: z.string(),
  /** As printed by `ssh-keygen -l`. */
  fingerprint: z.string(),
})

/** Host key of the SSH server of a device without an agent. */
export const DeviceHostKey = HostKeyFacts.extend({
  /** Another key that the server presents: nothing is sent to it until that key is accepted. Null while it presents none. */
  presented: HostKeyFacts.extend({ since: Time }).nullable(),
}).meta({ id: 'DeviceHostKey' })
export type DeviceHostKey = z.infer<typeof DeviceHostKey>

/** Where a person places a device, in degrees; north and east are positive. */
export const PlacedPosition = z
  .object({
    latitude: z.number().min(-90, 'must be from -90 to 90').max(90, 'must be from -90 to 90'),
    longitude: z.number().min(-180, 'must be from -180 to 180').max(180, 'must be from -180 to 180'),
  })
  .refine(({ latitude, longitude }) => latitude !== 0 || longitude !== 0, 'must not be 0, 0, which means unknown')

/** Sizes of a map's cells, in degrees. */
export const MAP_STEPS = ['30', '10', '3', '1', '0.3', '0.1', '0.01'] as const
/** Cells of one answer; the devices of the others are counted only. */
export const MAP_CELLS = 1_000

export const DevicePositions = z
  .object({
    /** Those with the most devices first. */
    cells: z.array(
      z.object({
        /** Value of the filter property `cell`, which finds the devices in it. */
        cell: z.string(),
        /** Mean of the positions. */
        latitude: z.number(),
        longitude: z.number(),
        online: z.number().int().min(0),
        offline: z.number().int().min(0),
      }),
    ),
    /** Devices in further cells. */
    omitted: z.number().int().min(0),
    /** Devices outside of the box that was asked for. */
    outside: z.number().int().min(0),
    /** Devices whose position nobody knows. */
    unknown: z.number().int().min(0),
  })
  .meta({ id: 'DevicePositions' })
export type DevicePositions = z.infer<typeof DevicePositions>

export const Device = z
  .object({
    uid: DeviceUid,
    name: z.string(),
    identity: z.object({ mac: z.string() }).nullable(),
    info: DeviceInfo.nullable(),
    public_key: z.string(),
    tenant_id: TenantId,
    last_seen: Time,
    online: z.boolean(),
    namespace: z.string(),
    status: DeviceStatus,
    status_updated_at: Time,
    /** Same value under the published contract's name. */
    status_update_at: Time,
    created_at: Time,
    remote_addr: z.string(),
    /** 0, 0: unknown. */
    position: Position,
    /** A person has set the position; absent when it was found by the device's address. */
    placed: z.boolean().optional(),
    tags: z.array(z.string()),
    public_url: z.boolean(),
    /** Text for people; may have several lines. */
    note: z.string(),
    /** Custom fields, by name. */
    fields: z.record(z.string(), z.string()),
    acceptable: z.boolean(),
    /** For a pending device: the accepted one with the same MAC address that it would replace. Absent when none. */
    replaces: ReplacedDevice.optional(),
    /** Only of devices without an agent. */
    host_key: DeviceHostKey.optional(),
    /** By its last report; absent when it has never reported. */
    health: DeviceHealth.optional(),
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

/** Body of a registration. `sessions` lists the sessions the agent still holds. */
export const DeviceAuthBody = z.object({
  info: DeviceInfo,
  sessions: z.array(z.string().max(64)).max(1_000).nullish(),
  hostname: z.string().max(253).nullish(),
  identity: z.object({ mac: z.string().max(64) }).nullish(),
  public_key: z.string().min(1).max(4_096),
  tenant_id: TenantId,
  /** Judged when the device is new. */
  install_key: z.string().max(128).nullish(),
  /** Facts about its agent; only with a valid `proof`. */
  agent: AgentReport.optional(),
  /** Signature of the rest by the device's key; older agents omit it, and cannot change an accepted device. */
  proof: z
    .object({
      /** Milliseconds since 1970. */
      at: z.number().int().min(0).max(8_640_000_000_000_000),
      /** Base64url. */
      signature: z.string().max(2_048),
    })
    .optional(),
})
export type DeviceAuthBody = z.infer<typeof DeviceAuthBody>

export const DeviceAuth = z
  .object({
    uid: DeviceUid,
    token: z.string(),
    name: z.string(),
    namespace: z.string(),
    /** The server's Ed25519 statement key, raw 32 bytes in base64url. */
    statement_key: z.string(),
    /** The release that the device is to update to now; absent: none. */
    update: z.object({ release: z.number().int() }).optional(),
    /** Whether the link may be handed over to the release that the agent has announced; absent: it has announced none. */
    handover: z.boolean().optional(),
  })
  .meta({ id: 'DeviceAuth' })
export type DeviceAuth = z.infer<typeof DeviceAuth>
