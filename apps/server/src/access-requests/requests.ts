// Access requests as clients and the audit log see them.
import type { AccessRequest, AccessRequestState } from '@bowline/contract/operations/fleet/access-requests'
import type { UserId } from '@bowline/contract/schemas/common'
import type { RequestRow } from './store.ts'

/** @param now milliseconds since the epoch */
export function stateOf(row: RequestRow, now: number): AccessRequestState {
  const { state, pending_until, expires_at } = row
  const hasLostDevice = row.device_name !== null && row.device_uid === null
  if (hasLostDevice && state === 'pending') return 'withdrawn'
  if (hasLostDevice && state === 'approved') return 'ended'
  if (state === 'pending') return pending_until.getTime() > now ? 'pending' : 'unanswered'
  if (state === 'approved') return (expires_at?.getTime() ?? 0) > now ? 'active' : 'expired'
  return state
}

export function toRequest(row: RequestRow, now: number): AccessRequest {
  const { decided_at: decided, ended_at: ended, expires_at: expires } = row
  return {
    id: row.id,
    state: stateOf(row, now),
    requester: { id: row.user_id, name: row.user_name },
    device: row.device_name === null ? null : { uid: row.device_uid, name: row.device_name },
    tag: row.tag,
    accounts: [...row.accounts],
    minutes: row.minutes,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
    pending_until: row.pending_until.toISOString(),
    decided_at: decided?.toISOString() ?? null,
    decided_by: somebody(row.decided_by, row.decided_by_name),
    note: row.note,
    expires_at: expires?.toISOString() ?? null,
    ended_at: ended?.toISOString() ?? null,
    ended_by: somebody(row.ended_by, row.ended_by_name),
  }
}

/** For the audit log. */
export function described(row: RequestRow) {
  const { user_name: person, device_name: device, tag, accounts, minutes, reason } = row
  return { person, ...(tag === null ? { device } : { tag }), accounts: [...accounts], minutes, reason }
}

/** `kiosk-1`, or `all devices with the tag kiosk`. */
export function placeOf({ device_name: device, tag }: Pick<RequestRow, 'device_name' | 'tag'>): string {
  return device ?? `all devices with the tag ${tag}`
}

function somebody(id: UserId | null, name: string | null) {
  return name === null ? null : { id, name }
}
