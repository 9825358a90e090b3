// Kysely types of the tables of the second factor on the ssh path: a part of schema.ts, with its rules.
import type { Generated } from 'kysely'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'

export interface HeldLoginsTable {
  id: string
  tenant_id: TenantId
  /** Eight letters without a hyphen. */
  code: string
  user_id: UserId | null
  credential: Buffer
  key_name: string
  source: string
  address: string
  device_uid: DeviceUid
  username: string
  created_at: Date
  expires_at: Date
  approved: boolean | null
  decided_by: UserId | null
  decided_at: Date | null
  /** Clients that wait for the decision, over all nodes. */
  waiting: Generated<number>
}

export interface FactorWindowsTable {
  tenant_id: TenantId
  user_id: UserId
  credential: Buffer
  source: string
  token_epoch: number
  opened_at: Date
}
