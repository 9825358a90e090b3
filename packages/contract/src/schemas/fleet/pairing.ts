// Pairing: an agent without a namespace shows a code, and the member who types it adds the device to theirs.
import * as z from 'zod'
import { DeviceUid, TenantId, Time } from '../common.ts'
import { DeviceAuthBody, DeviceInfo, DeviceStatus, ReplacedDevice } from '../device.ts'

/** Eight consonants, with or without the hyphen. */
export const TypedCode = z.string().min(1, 'is required').max(32)

/** What an agent says of itself, signed by the device's key. */
export const PairingBody = DeviceAuthBody.pick({ info: true, hostname: true, identity: true, public_key: true }).extend(
  {
    proof: DeviceAuthBody.shape.proof.unwrap(),
  },
)
export type PairingBody = z.infer<typeof PairingBody>

export const PairingCode = z
  .object({
    /** Secret of the agent. */
    device_code: z.string(),
    /** Eight letters for a member of the namespace. */
    user_code: z.string(),
    /** Of the device's key, as `ssh-keygen -l` prints it. */
    fingerprint: z.string(),
    /** Seconds. */
    expires_in: z.number().int(),
    /** Seconds between two questions whether it was used. */
    interval: z.number().int(),
  })
  .meta({ id: 'PairingCode' })

/** The namespace that a paired device belongs to. */
export const PairedNamespace = z.object({ tenant_id: TenantId, namespace: z.string() }).meta({ id: 'PairedNamespace' })

/** A device that waits under a code. */
export const WaitingPairing = z
  .object({
    /** Name that the device would get. */
    name: z.string(),
    info: DeviceInfo,
    /** Address from which it asked. */
    source: z.string(),
    /** City and country where the server has a file of positions; '' otherwise. */
    place: z.string(),
    /** Of its key, as `ssh-keygen -l` prints it; the confirmation repeats it. */
    fingerprint: z.string(),
    asked_at: Time,
    /** Seconds until the code expires. */
    expires_in: z.number().int(),
    /** The accepted device with the same MAC address. The new one waits for its acceptance then. Absent when none. */
    replaces: ReplacedDevice.optional(),
  })
  .meta({ id: 'WaitingPairing' })
export type WaitingPairing = z.infer<typeof WaitingPairing>

export const PairedDevice = z
  .object({
    uid: DeviceUid,
    name: z.string(),
    /** `pending` where the device would replace an accepted one. */
    status: DeviceStatus,
  })
  .meta({ id: 'PairedDevice' })
export type PairedDevice = z.infer<typeof PairedDevice>
