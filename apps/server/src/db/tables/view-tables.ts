// Tables of saved views, favourite devices and snippets of namespaces.
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'
import type { JsonObject } from '../json.ts'

export interface SavedViewsTable {
  id: Generated<string>
  tenant_id: TenantId
  /** Null for a view of the namespace. */
  user_id: UserId | null
  name: string
  list: 'devices' | 'containers' | 'sessions'
  /** Parameters of the console's address. */
  query: JsonObject
  created_at: Generated<Date>
}

export interface SharedSnippetsTable {
  id: Generated<string>
  tenant_id: TenantId
  name: string
  text: string
  tags: Generated<readonly string[]>
  created_at: Generated<Date>
  created_by: UserId | null
  created_by_name: string
  changed_at: Generated<Date>
  changed_by: UserId | null
  changed_by_name: string
}

export interface DeviceFavoritesTable {
  tenant_id: TenantId
  user_id: UserId
  device_uid: DeviceUid
}
