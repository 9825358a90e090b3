// Tables of presence, health and alerts in an export.
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
      'threshold',
      'latency_ms',
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
  alert_states: {
    columns: ['rule_id', 'device_uid', 'since', 'notified_at'],
    order: ['rule_id', 'device_uid'],
  },
  device_health: {
    columns: [
      'device_uid',
      'state',
      'reported_at',
      'cpu',
      'memory',
      'disk',
      'load',
      'cpus',
      'memory_bytes',
      'memory_available_bytes',
      'filesystems',
      'booted_at',
      'latency',
    ],
    order: ['device_uid'],
  },
  device_health_points: {
    columns: ['device_uid', 'step_minutes', 'begins_at', 'cpu', 'memory', 'disk', 'load', 'latency'],
    order: ['device_uid', 'step_minutes', 'begins_at'],
  },
  presence_spans: {
    columns: ['id', 'device_uid', 'started_at', 'ended_at', 'breaks', 'away_seconds', 'cause', 'network'],
    order: ['id'],
    without: { node: INTERNAL, noted_at: INTERNAL },
  },
} as const
