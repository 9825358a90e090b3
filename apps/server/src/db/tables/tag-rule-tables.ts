// Tables of tag rules.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

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
