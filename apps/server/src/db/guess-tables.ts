// The tables of failed logins as Kysely sees them: a part of schema.ts, with its rules.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface DroppedGuessesTable {
  tenant_id: TenantId
  hour: Date
  count: number
}

export interface RepeatedRefusalsTable {
  tenant_id: TenantId
  source: string
  device_uid: DeviceUid
  rule: number
  since: Date
  /** Beside the first. */
  count: Generated<number>
  details: Generated<{ readonly [key: string]: unknown }>
}
