// Tables of the audit log, and of alert rules and streams of audit logs: what is sent to addresses that members type.
import type { ALERT_CONDITIONS, ALERT_TARGETS } from '@bowline/contract/operations/fleet/alerts'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from '../json.ts'

export interface AlertRulesTable {
  id: Generated<string>
  tenant_id: TenantId
  name: string
  active: Generated<boolean>
  condition: (typeof ALERT_CONDITIONS)[number]
  minutes: number
  /** Fewest devices, of many-offline. */
  devices: number | null
  /** Percent, or load for each processor; null: the rule is about something else. */
  threshold: number | null
  /** Milliseconds, of latency. */
  latency_ms: number | null
  tags: Generated<readonly string[]>
  /** Filter of the device list, as its parameter is sent. */
  filter: Generated<string>
  target: (typeof ALERT_TARGETS)[number]
  /** Members who get mails. */
  recipients: Generated<readonly UserId[]>
  host: Generated<string>
  sealed_url: Buffer | null
  sealed_secret: Buffer | null
  created_at: Generated<Date>
  /** Changes until then have been reported; for ever in rules about health, which have states. */
  evaluated_to: Generated<Date>
  fired_at: Date | null
  failing_since: Date | null
  disabled_reason: string | null
}

export interface AlertDeliveriesTable {
  id: Generated<string>
  tenant_id: TenantId
  rule_id: string
  test: Generated<boolean>
  text: string
  /** Body for a webhook. */
  body: JsonObject
  state: Generated<'queued' | 'sent' | 'failed' | 'cancelled'>
  attempts: Generated<number>
  answer: Generated<string>
  created_at: Generated<Date>
  due_at: Date | null
  /** A node sends it until then. */
  leased_until: Generated<Date>
  finished_at: Date | null
}

export interface AuditStreamsTable {
  id: Generated<string>
  tenant_id: TenantId
  name: string
  active: Generated<boolean>
  format: 'json' | 'ndjson' | 'splunk-hec'
  /** Nouns of actions; none: all entries. */
  nouns: Generated<readonly string[]>
  /** Also entries about complete recordings. */
  recordings: Generated<boolean>
  host: string
  sealed_url: Buffer
  sealed_secret: Buffer
  /** Value of the header Authorization. */
  sealed_authorization: Buffer | null
  created_at: Generated<Date>
  /** Entries up to this id have arrived. */
  position: number
  due_at: Generated<Date>
  /** A node sends until then. */
  leased_until: Generated<Date>
  attempts: Generated<number>
  /** Result of the last attempt. */
  answer: Generated<string>
  failing_since: Date | null
  disabled_reason: string | null
}

export interface AuditLogTable {
  id: GeneratedAlways<number>
  /** Null for entries about the whole instance; only the system role sees those. */
  tenant_id: TenantId | null
  at: Generated<Date>
  actor_type: 'user' | 'api-key' | 'system'
  actor_id: string
  action: string
  target: Generated<string>
  ip: Generated<string>
  details: Generated<JsonObject>
  /** Change of many devices that the entry is part of. No foreign key: entries stay when the report of the job is deleted. */
  job_id: string | null
}
