// Tables of changes of many devices: by a person, and by rules that tag them.
import type { DeviceJobAction } from '@bowline/contract/operations/fleet/device-jobs'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import type { Generated } from 'kysely'

export interface DeviceJobsTable {
  id: Generated<string>
  tenant_id: TenantId
  /** The person with whose rights it runs. */
  user_id: UserId
  action: DeviceJobAction
  tags: Generated<readonly string[]>
  state: Generated<'running' | 'done' | 'stopped'>
  total: number
  /** Job whose effects it takes back. */
  undoes: string | null
  created_at: Generated<Date>
  finished_at: Date | null
  /** A node works on it until then. */
  leased_until: Generated<Date>
}

export interface DeviceJobItemsTable {
  tenant_id: TenantId
  job_id: string
  device_uid: DeviceUid
  name: string
  state: Generated<'waiting' | 'done' | 'failed'>
  status_before: DeviceStatus
  tags_before: readonly string[]
  error_code: string | null
  error_message: string | null
}

export interface TagRulesTable {
  id: Generated<string>
  tenant_id: TenantId
  tag: string
  query: string
  active: Generated<boolean>
  created_at: Generated<Date>
  changed_at: Generated<Date>
  /** Number that it was to be tried on when it changed last. */
  devices: Generated<number>
}

export interface TagRuleDevicesTable {
  tenant_id: TenantId
  device_uid: DeviceUid
}
