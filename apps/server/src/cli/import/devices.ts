// Devices of an import: what is taken of each, and their way to the server in batches.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { type DeviceImportOutcome, ImportedDevice } from '@bowline/contract/operations/fleet/device-imports'
import { DeviceName } from '@bowline/contract/operations/devices'
import type { TenantId } from '@bowline/contract/schemas/common'
import { Tag } from '@bowline/contract/schemas/tag'
import { deviceName, deviceUid } from '../../devices/identity.ts'
import type { ServerClient } from '../client/client.ts'
import type { OldDevice } from './file.ts'
import type { Line } from './report.ts'

/** A device that can be sent, and what is different of it. */
interface Sendable {
  readonly device: ImportedDevice
  readonly note: string | null
  /** It was accepted there, and a person has to decide here. */
  readonly isHeld: boolean
}

/**
 * @param ruled tags that firewall rules are about: a device that cannot have one of its own is not accepted
 * @returns why the device cannot come, or what is sent
 */
export function judgeDevice(old: OldDevice, tenant: TenantId, ruled: ReadonlySet<string>): Sendable | string {
  const mac = [old.mac, old.mac.toLowerCase(), old.mac.toUpperCase()].find(
    (one) => deviceUid({ mac: one, publicKey: old.public_key, tenant }) === old.uid,
  )
  if (mac === undefined) {
    return 'Its uid does not follow from its key and MAC address: its agent would register another device.'
  }
  const name = DeviceName.safeParse(old.name).data ?? deviceName(old.name, mac)
  const [tags, lost] = tagsOf(old.tags, ruled)
  const isHeld = old.status === 'accepted' && lost.some((tag) => ruled.has(tag))
  const seen = Date.parse(old.last_seen)
  const device = ImportedDevice.safeParse({
    name,
    mac,
    info: old.info,
    public_key: old.public_key,
    status: isHeld ? 'pending' : old.status,
    tags,
    // The year 1 means never.
    last_seen: seen > 0 ? new Date(seen).toISOString() : undefined,
  })
  if (!device.success) return device.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' ')
  const renamed = device.data.name === old.name.toLowerCase() ? [] : [`Its name there was ${old.name}.`]
  const rule = `a device has up to ${LIMITS.tagsPerItem}, of 3 or more letters, digits, - and _`
  const untagged = lost.length === 0 ? [] : [`Without the tags ${lost.join(', ')}: ${rule}.`]
  const held = isHeld ? ['Rules are about them: look at these before you accept it.'] : []
  return { device: device.data, note: [...renamed, ...untagged, ...held].join(' ') || null, isHeld }
}

/** @returns tags that a device can have here, first those of rules, and the others */
function tagsOf(old: readonly string[], ruled: ReadonlySet<string>): readonly [string[], string[]] {
  const all = [...new Set(old)].toSorted((one, other) => Number(ruled.has(other)) - Number(ruled.has(one)))
  const usable = all.filter((tag) => Tag.safeParse(tag).success).slice(0, LIMITS.tagsPerItem)
  return [usable, all.filter((tag) => !usable.includes(tag))]
}

export interface DeviceBatches {
  readonly devices: readonly OldDevice[]
  /** Id of the old namespace, which their uids are made of. */
  readonly tenant: TenantId
  /** Tags that firewall rules are about. */
  readonly ruled: ReadonlySet<string>
  readonly isDryRun: boolean
  /** Instead of the status that they had: for those whose tags rules need before anybody is let in. */
  readonly as?: 'pending'
  readonly tell: (line: string) => void
}

/**
 * Sends the devices.
 * @param call undefined: nothing is sent, and all that can be sent count as created
 * @returns a line for each, in their order
 */
export async function importDevices(call: ServerClient['call'] | undefined, batches: DeviceBatches): Promise<Line[]> {
  const { devices, tenant, ruled, isDryRun, as, tell } = batches
  const lines: Line[] = []
  for (let from = 0; from < devices.length; from += LIMITS.importedDevices) {
    const batch = devices.slice(from, from + LIMITS.importedDevices)
    const judged = batch.map((old) => judgeDevice(as ? { ...old, status: as } : old, tenant, ruled))
    const sent = judged.flatMap((one) => (typeof one === 'string' ? [] : [one.device]))
    const outcomes = call && sent.length > 0 ? await send(call, sent, isDryRun) : undefined
    let place = 0
    for (const [i, one] of judged.entries()) {
      const name = batch[i]?.name ?? ''
      if (typeof one === 'string') lines.push({ what: 'device', name, outcome: 'refused', reason: one })
      else lines.push(lineOf(one, outcomes?.[place++]))
    }
    if (from + batch.length < devices.length) tell(`${from + batch.length} of ${devices.length} devices.`)
  }
  return lines
}

async function send(call: ServerClient['call'], devices: ImportedDevice[], isDryRun: boolean) {
  return (await call(operations.deviceImports.create, { body: { devices, dry_run: isDryRun } })).body
}

function lineOf({ device, note, isHeld }: Sendable, answer: DeviceImportOutcome | undefined): Line {
  if (!answer) return { what: 'device', name: device.name, outcome: isHeld ? 'waits' : 'created', reason: note }
  const waits = answer.status === 'pending' && (isHeld || device.status === 'accepted')
  const reason = [answer.reason, note].filter((part) => part !== null).join(' ') || null
  return {
    what: 'device',
    name: answer.name,
    outcome: waits ? 'waits' : answer.outcome,
    reason,
  }
}
