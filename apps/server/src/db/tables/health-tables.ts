// Tables of the health of devices.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Filesystem } from '@bowline/link/stream-messages'
import type { Generated } from 'kysely'

export interface DeviceHealthTable {
  device_uid: DeviceUid
  tenant_id: TenantId
  state: 'reported' | 'off' | 'unsupported'
  reported_at: Date
  /** Percent, as memory and disk. */
  cpu: number | null
  memory: number | null
  disk: number | null
  /** Average of five minutes, for each processor. */
  load: number | null
  cpus: number | null
  memory_bytes: number | null
  memory_available_bytes: number | null
  filesystems: Generated<Filesystem[]>
  booted_at: Date | null
  /** Milliseconds. */
  latency: number | null
}

type Points = readonly (number | null)[]

export interface DeviceHealthPointsTable {
  device_uid: DeviceUid
  tenant_id: TenantId
  /** 5: a row for each hour; 60: for each day. */
  step_minutes: number
  begins_at: Date
  cpu: Points
  memory: Points
  disk: Points
  /** Hundredths, for each processor. */
  load: Points
  latency: Points
}

/** Devices that are beyond the threshold of an alert rule. */
export interface AlertStatesTable {
  rule_id: string
  device_uid: DeviceUid
  tenant_id: TenantId
  since: Date
  notified_at: Date | null
}
