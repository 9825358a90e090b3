// Tables of presence and alerts in an export.
import { INTERNAL, SECRET } from './exported-table.ts'

export const HEALTH_TABLES = {
  alert_rules: {
    columns: [
      'id',
      'name',
      'active',
      'condition',
      'minutes',
      'devices',
      'tags',
      'filter',
      'target',
      'recipients',
      'host',
      'created_at',
      'fired_at',
      'failing_since',
      'disabled_reason',
    ],
    order: ['id'],
    without: { sealed_url: SECRET, sealed_secret: SECRET, evaluated_to: INTERNAL },
  },
  alert_deliveries: {
    columns: ['id', 'rule_id', 'test', 'text', 'body', 'state', 'attempts', 'answer', 'created_at', 'finished_at'],
    order: ['id'],
    without: { due_at: INTERNAL, leased_until: INTERNAL },
  },
  presence_spans: {
    columns: ['id', 'device_uid', 'started_at', 'ended_at', 'breaks', 'away_seconds', 'cause', 'network'],
    order: ['id'],
    without: { node: INTERNAL, noted_at: INTERNAL },
  },
} as const
