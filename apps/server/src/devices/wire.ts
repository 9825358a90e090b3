// API representation of a device.
import { type Device, DeviceFields, DeviceInfo, type ReplacedDevice } from '@bowline/contract/schemas/device'
import { describeHostKey } from './enrolled/host-key-facts.ts'
import type { DeviceRow } from './store.ts'

/** Effect of accepting a device. */
export interface Acceptance {
  readonly acceptable: boolean
  /** Accepted device that would be removed. */
  readonly replaces: ReplacedDevice | undefined
}

/** Converts a row to its API representation; by default without any effect of acceptance. */
export function toDevice(
  row: DeviceRow,
  { acceptable, replaces }: Acceptance = { acceptable: false, replaces: undefined },
): Device {
  const changed = row.status_updated_at.toISOString()
  const hostKey = describeHostKey(row)
  return {
    uid: row.uid,
    name: row.name,
    identity: row.mac === null ? null : { mac: row.mac },
    info: DeviceInfo.safeParse(row.info).data ?? null,
    public_key: row.public_key,
    tenant_id: row.tenant_id,
    // A link has no heartbeat of its own: what the node that holds it was heard of last counts for all its links.
    last_seen: new Date(Math.max(row.last_seen.getTime(), row.held_at?.getTime() ?? 0)).toISOString(),
    online: row.online,
    namespace: row.namespace,
    status: row.status,
    status_updated_at: changed,
    status_update_at: changed,
    created_at: row.created_at.toISOString(),
    remote_addr: row.remote_addr,
    position: { latitude: row.placed_latitude ?? row.latitude, longitude: row.placed_longitude ?? row.longitude },
    ...(row.placed_latitude === null ? {} : { placed: true }),
    tags: [...row.tags],
    public_url: row.public_url,
    note: row.note,
    fields: DeviceFields.safeParse(row.fields).data ?? {},
    acceptable,
    ...(replaces ? { replaces } : {}),
    ...(hostKey ? { host_key: hostKey } : {}),
    ...(row.health ? { health: row.health } : {}),
  }
}
