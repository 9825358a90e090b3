// Tables of sessions.
import type { DeviceUid, SessionUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { SessionFactor, SessionMethod } from '@bowline/contract/schemas/session'
import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from '../json.ts'

export interface SessionsTable {
  uid: SessionUid
  tenant_id: TenantId
  device_uid: DeviceUid
  username: string
  ip_address: Generated<string>
  started_at: Generated<Date>
  last_seen: Generated<Date>
  /** Set together with the three columns of the cause, never alone. */
  closed_at: Date | null
  active: Generated<boolean>
  authenticated: Generated<boolean>
  recorded: Generated<boolean>
  output_bytes: number | null
  recorded_bytes: number | null
  type: 'web' | 'term'
  term: Generated<string>
  latitude: Generated<number>
  longitude: Generated<number>
  event_types: Generated<readonly string[]>
  seats: Generated<readonly number[]>
  /** Server process that holds the connection. */
  node: Generated<string>
  cause_by: 'user' | 'agent' | 'gateway' | 'admin' | 'policy' | 'network' | null
  cause_reason: string | null
  cause_message: string | null
  /** The account, which may be gone. */
  person_id: UserId | null
  /** Its e-mail address at the time of the login. */
  person: Generated<string>
  method: SessionMethod | null
  factor: SessionFactor | null
  key_name: Generated<string>
  /** As `ssh-keygen -l` prints it. */
  key_fingerprint: string | null
  command: Generated<string>
  /** Names; those of a person at two server processes twice. */
  watchers: Generated<readonly string[]>
}

export interface SessionEventsTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  session_uid: SessionUid
  seat: number
  type: string
  at: Generated<Date>
  data: Generated<JsonObject>
}
