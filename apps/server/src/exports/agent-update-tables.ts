// Tables of updates of agents in an export.
import { type ExportedTable, INTERNAL } from './exported-table.ts'

export const AGENT_UPDATE_TABLES: Readonly<Record<string, ExportedTable>> = {
  agent_update_policies: { columns: ['mode', 'canary_tag', 'window_start', 'window_minutes'], order: ['mode'] },
  agent_rollouts: {
    columns: [
      'id',
      'release',
      'version',
      'state',
      'stage',
      'canary_tag',
      'reason',
      'started_at',
      'stage_since',
      'ended_at',
    ],
    order: ['id'],
    without: { heard_since: INTERNAL, looked_at: INTERNAL },
  },
  agent_states: {
    columns: [
      'device_uid',
      'release',
      'since',
      'reported_at',
      'obstacle',
      'failed_release',
      'failed_reason',
      'granted_release',
      'granted_at',
    ],
    order: ['device_uid'],
    without: { handover_until: INTERNAL },
  },
}
