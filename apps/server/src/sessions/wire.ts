// Sessions as the API shows them.
import type { Device } from '@bowline/contract/schemas/device'
import type { Session } from '@bowline/contract/schemas/session'
import type { TenantContext } from '../context.ts'
import { getMany } from '../devices/service.ts'
import { identityOf } from './identity.ts'
import type { SessionRow } from './store.ts'

/** Sessions with their devices, without their events; keeps the order of the rows. */
export async function describeSessions(ctx: TenantContext, rows: readonly SessionRow[]): Promise<Session[]> {
  const devices = await getMany(ctx, [...new Set(rows.map((row) => row.device_uid))])
  return rows.map((row) => toSession(row, devices.get(row.device_uid)))
}

/** One session, as {@link describeSessions}. */
export async function describeSession(ctx: TenantContext, row: SessionRow): Promise<Session> {
  const devices = await getMany(ctx, [row.device_uid])
  return toSession(row, devices.get(row.device_uid))
}

function shareOf({ recorded, output_bytes, recorded_bytes, closed_at }: SessionRow): Session['recording'] {
  const bytes = { output_bytes: output_bytes ?? 0, recorded_bytes: recorded_bytes ?? 0 }
  if (!recorded) return { share: 'none', ...bytes }
  // No counts: the session is active, or the server was killed before writing them.
  const isAll = output_bytes === null ? closed_at === null : bytes.output_bytes === bytes.recorded_bytes
  return { share: isAll ? 'all' : 'part', ...bytes }
}

function toSession(row: SessionRow, device: Device | undefined): Session {
  return {
    uid: row.uid,
    device_uid: row.device_uid,
    device: device ?? null,
    tenant_id: row.tenant_id,
    username: row.username,
    ip_address: row.ip_address,
    started_at: row.started_at.toISOString(),
    last_seen: row.last_seen.toISOString(),
    active: row.active,
    authenticated: row.authenticated,
    recorded: row.recorded,
    recording: shareOf(row),
    type: row.type,
    ...identityOf(row),
    command: row.command,
    watchers: [...new Set(row.watchers)],
    term: row.term,
    position: { latitude: row.latitude, longitude: row.longitude },
    events: { types: [...row.event_types], seats: [...row.seats] },
    closed: row.closed_at && {
      at: row.closed_at.toISOString(),
      by: row.cause_by ?? '',
      reason: row.cause_reason ?? '',
      message: row.cause_message ?? '',
    },
  }
}
