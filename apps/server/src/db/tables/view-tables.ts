// Tables of saved views and favourite devices.
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

export interface DeviceFavoritesTable {
  tenant_id: TenantId
  user_id: UserId
  device_uid: DeviceUid
}
