// Names and identities of devices.
import { createHash } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { DeviceUid, type TenantId } from '@bowline/contract/schemas/common'

/**
 * Device uid, a pure function of MAC (or other identity), key and namespace. The hashed text is the one that existing
 * agents' servers use, so that a device keeps its uid when it moves here.
 */
export function deviceUid(device: { mac: string; publicKey: string; tenant: TenantId }): DeviceUid {
  const text = `{Identity:{MAC:"${device.mac}"},PublicKey:"${device.publicKey}",TenantID:"${device.tenant}"}`
  return DeviceUid.parse(createHash('sha256').update(text).digest('hex'))
}

/**
 * Name of a new device: its lower-case host name with characters that an SSHID cannot contain replaced, or its MAC with
 * hyphens.
 * @returns undefined when neither yields a name
 */
export function deviceName(hostname: string | undefined, mac: string): string | undefined {
  const raw = hostname || mac.replaceAll(':', '-')
  const name = raw
    .toLowerCase()
    .replaceAll('.', '_')
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, LIMITS.deviceName.max)
  return name === '' ? undefined : name
}
