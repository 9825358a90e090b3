// Tables of updates of agents.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface AgentUpdatePoliciesTable {
  tenant_id: TenantId
  mode: 'off' | 'manual' | 'automatic'
  canary_tag: string | null
  /** Minutes after midnight, UTC. */
  window_start: number | null
  window_minutes: number | null
}

export interface AgentRolloutsTable {
  id: Generated<string>
  tenant_id: TenantId
  release: number
  version: string
  state: 'running' | 'paused' | 'halted' | 'aborted' | 'done'
  stage: 'canary' | 'tenth' | 'all'
  canary_tag: string | null
  reason: Generated<string>
  started_at: Date
  stage_since: Date
  ended_at: Date | null
  /** From then on the server has heard of devices without a gap; null: it does not now. */
  heard_since: Date | null
  /** When the job has last seen to it. */
  looked_at: Date | null
}

export interface AgentStatesTable {
  device_uid: DeviceUid
  tenant_id: TenantId
  release: number
  since: Date
  reported_at: Date
  obstacle: string | null
  failed_release: number | null
  failed_reason: string | null
  granted_release: number | null
  granted_at: Date | null
  /** Until then the next link of the device leaves one open that has announced it. */
  handover_until: Date | null
}

export interface AgentUpdateTables {
  agent_update_policies: AgentUpdatePoliciesTable
  agent_rollouts: AgentRolloutsTable
  agent_states: AgentStatesTable
}
