// Kysely types of the tables of recordings: a part of schema.ts, with its rules.
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { RecordingSummary } from '@bowline/contract/schemas/recording'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export interface RecordingsTable {
  /** Also names the file. */
  id: string
  tenant_id: TenantId
  session_uid: SessionUid
  seat: number
  state: Generated<'recording' | 'complete' | 'truncated' | 'interrupted'>
  posted: Generated<boolean>
  /** Server process that has the file. */
  node: string
  bytes: Generated<number>
  started_at: Date
  ended_at: Date | null
  indexed: Generated<'no' | 'yes' | 'failed'>
  /** Command run instead of a shell; '' for a shell. */
  command: Generated<string>
  /** `leaving`: the file is authoritative, and the store may have all or part of it. */
  place: Generated<'file' | 'leaving' | 'object'>
  /** Null until the recording is indexed. */
  summary: ColumnType<RecordingSummary | null, string | null | undefined, string | null>
}

/** Append only: no role may change or delete an entry. */
export interface RecordingLedgerTable {
  tenant_id: TenantId
  /** From 1, without gaps. */
  sequence: number
  kind: 'start' | 'seal' | 'remove' | 'remove-device' | 'remove-namespace' | 'rotate-key'
  recording_id: string | null
  session_uid: SessionUid | null
  seat: number | null
  device_uid: DeviceUid | null
  at: Date
  /** JSON, byte for byte as hashed and signed. */
  statement: string
  /** Hex. */
  hash: string
  /** Base64url. */
  signature: string
}

/** Recordings to be removed from the store. */
export interface RemovedRecordingsTable {
  id: string
  removed_at: Generated<Date>
}

export interface RecordingPassagesTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  recording_id: string
  kind: 'command' | 'output'
  /** Time at which its first line appeared, in milliseconds since the start of the recording. */
  at_ms: number
  text: string
  /** Text form of a tsvector (recordings/text/words.ts). */
  words: string
}
