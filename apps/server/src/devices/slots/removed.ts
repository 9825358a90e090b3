// List of removed devices, kept in the cloud edition only, for 30 days.
import type { Device } from '@bowline/contract/schemas/device'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import type { TenantContext } from '../../context.ts'
import type { Listing } from '../../db/lists/listing.ts'
import { removedSince } from './limits.ts'
import { type RemovedRow, listRemoved } from './store.ts'
import { readNamespaceName } from '../store.ts'
import { toDevice } from '../wire.ts'

/** Device columns as stored in JSON. */
const Kept = z.object({
  uid: DeviceUid,
  tenant_id: TenantId,
  name: z.string(),
  mac: z.string().nullable(),
  info: z.record(z.string(), z.unknown()),
  public_key: z.string(),
  created_at: z.coerce.date(),
  last_seen: z.coerce.date(),
  remote_addr: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  tags: z.array(z.string()),
  public_url: z.boolean(),
  // Absent from what earlier versions kept.
  note: z.string().default(''),
  fields: z.record(z.string(), z.unknown()).default({}),
  placed_latitude: z.number().nullable().default(null),
  placed_longitude: z.number().nullable().default(null),
})

/** A page of the devices removed within the last 30 days, latest first. */
export async function listRemovedDevices(
  ctx: TenantContext,
  query: { page: number; per_page: number },
): Promise<Listing<Device>> {
  const rows = await listRemoved(ctx.db, removedSince(ctx.clock.now()))
  const namespace = await readNamespaceName(ctx.db)
  const from = (query.page - 1) * query.per_page
  const page = rows.slice(from, from + query.per_page)
  return { items: page.map((row) => toRemoved(row, namespace)), total: rows.length }
}

function toRemoved(row: RemovedRow, namespace: string): Device {
  const kept = Kept.parse(row.device)
  return toDevice({
    ...kept,
    namespace,
    online: false,
    held_at: null,
    status: 'removed',
    kind: 'devices',
    status_updated_at: row.removed_at,
    hostname: null,
    disconnected_at: row.removed_at,
    signed_at: null,
    link_epoch: 0,
    link_node: '',
    rule_tags: [],
    disconnect_cause: '',
    presence_since: row.removed_at,
    public_name: null,
    words: '',
    rule_words: '',
    ssh_host_key: null,
    presented_host_key: null,
    presented_host_key_at: null,
    imported_at: null,
    accepted_from: null,
    accepted_by: null,
    health: null,
  })
}
