// Table of access requests.
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface AccessRequestsTable {
  id: Generated<string>
  tenant_id: TenantId
  user_id: UserId | null
  /** User names are those of the time. */
  user_name: string
  /** Null for a tag, and once the device is gone. */
  device_uid: DeviceUid | null
  device_name: string | null
  tag: string | null
  accounts: readonly string[]
  minutes: number
  reason: string
  state: Generated<'pending' | 'approved' | 'denied' | 'ended' | 'withdrawn'>
  created_at: Date
  pending_until: Date
  decided_at: Date | null
  decided_by: UserId | null
  decided_by_name: string | null
  note: Generated<string>
  /** Of an approved one. */
  expires_at: Date | null
  ended_at: Date | null
  ended_by: UserId | null
  ended_by_name: string | null
  /** True once the audit log has its expiry. */
  expiry_logged: Generated<boolean>
}
