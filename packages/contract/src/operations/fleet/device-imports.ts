// Devices that come from another server, with the keys that they have there: their agents connect without being touched.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { DeviceUid } from '../../schemas/common.ts'
import { DeviceInfo, DeviceStatus } from '../../schemas/device.ts'
import { DeviceTags } from '../../schemas/tag.ts'
import { DeviceName } from '../devices.ts'

/** A device as the other server knows it. Its uid follows from the key, the MAC address and the namespace. */
export const ImportedDevice = z
  .object({
    name: DeviceName,
    /** As the device sends it when it registers; '' without one. */
    mac: z.string().max(64).default(''),
    info: DeviceInfo,
    /** PEM, byte for byte as the device sends it when it registers. */
    public_key: z.string().min(1, 'is required').max(4_096),
    status: z.enum(['accepted', 'pending', 'rejected'], 'must be accepted, pending or rejected'),
    tags: DeviceTags.max(LIMITS.tagsPerItem, 'must have at most 3 tags').default([]),
    /** When the other server has seen it last; a time to come counts as now. */
    last_seen: z.iso.datetime({ offset: true, message: 'must be a time' }).optional(),
  })
  .meta({ id: 'ImportedDevice' })
export type ImportedDevice = z.infer<typeof ImportedDevice>

export const DeviceImportOutcome = z
  .object({
    uid: DeviceUid,
    name: z.string(),
    /** `refused`: the namespace does not have it. */
    outcome: z.enum(['created', 'changed', 'unchanged', 'refused']),
    /** That it has now; null when it was refused. */
    status: DeviceStatus.nullable(),
    /** Why it was refused, or has not the status that it had there; null when there is nothing to tell. */
    reason: z.string().nullable(),
  })
  .meta({ id: 'DeviceImportOutcome' })
export type DeviceImportOutcome = z.infer<typeof DeviceImportOutcome>

export const deviceImports = {
  create: operation({
    method: 'POST',
    path: '/api/device-imports',
    noun: 'devices',
    summary: 'Take devices of another server over with their keys; the answer tells about each, in their order',
    access: { kind: 'member', permission: 'deviceImport', keys: false },
    body: z.object({
      devices: z
        .array(ImportedDevice)
        .min(1, 'is required')
        .max(LIMITS.importedDevices, `must be at most ${LIMITS.importedDevices}`),
      /** Tells what would be done, and changes nothing. */
      dry_run: z.boolean().default(false),
    }),
    bodyBytes: 1_048_576,
    cost: 50,
    response: z.array(DeviceImportOutcome),
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
}
