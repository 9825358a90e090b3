// Tables of keys that programs present: API keys, and install keys of devices.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface ApiKeysTable {
  tenant_id: TenantId
  name: string
  /** SHA-256 of the key's text, 32 bytes. */
  key_hash: Buffer
  role: Role
  /** Areas of the API that the key is limited to; null: none. */
  scopes: string[] | null
  /** Caps the key's role at this member's current one. */
  created_by: UserId
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /** Null: never expires. */
  expires_at: Date | null
}

export interface InstallKeysTable {
  tenant_id: TenantId
  name: string
  /** SHA-256 of the key's text, 32 bytes. */
  key_hash: Buffer
  accepts: boolean
  tags: readonly string[]
  /** Null: any number. */
  max_uses: number | null
  uses: Generated<number>
  /** Null: never expires. */
  expires_at: Date | null
  created_by: UserId
  created_at: Generated<Date>
  last_used_at: Date | null
}
