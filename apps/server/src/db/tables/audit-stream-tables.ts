// Table of the streams of audit logs.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface AuditStreamsTable {
  id: Generated<string>
  tenant_id: TenantId
  name: string
  active: Generated<boolean>
  format: 'json' | 'ndjson' | 'splunk-hec'
  /** Nouns of actions; none: all entries. */
  nouns: Generated<readonly string[]>
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
