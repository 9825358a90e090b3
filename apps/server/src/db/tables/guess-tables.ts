// Kysely types of the tables of failed logins: a part of schema.ts, with its rules.
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
  /** Repetitions after the first. */
  count: Generated<number>
  details: Generated<{ readonly [key: string]: unknown }>
}
