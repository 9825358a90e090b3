// Tables of the presence of devices. Triggers write them; see migration 0067.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Generated, GeneratedAlways } from 'kysely'

export interface PresenceSpansTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  device_uid: DeviceUid
  started_at: Date
  /** Null while the device is online. */
  ended_at: Date | null
  /** Absences within the span that have no rows of their own, and their seconds. */
  breaks: Generated<number>
  away_seconds: Generated<number>
  /** Why it ended, as `by:reason`. */
  cause: Generated<string>
  /** Network that the device connected from: /24 of IPv4, /56 of IPv6. */
  network: string | null
  /** Node that held the link. */
  node: Generated<string>
  /** When its end was noted. */
  noted_at: Date | null
}
