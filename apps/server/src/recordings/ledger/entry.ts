// An entry of the ledger: a statement about a recording that names the entry before it, hashed and signed. Pure.
import { createHash } from 'node:crypto'
import { SEAL_STATES, type Sign } from '@bowline/asciicast/chain'
import { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import * as z from 'zod'
import type { RecordingLedgerTable } from '../../db/schema.ts'
import type { RecordingKey } from '../recording-key.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** As in the audit log. */
const Actor = z.object({ type: z.enum(['user', 'api-key', 'system']), id: z.string() })

const Start = z.object({
  kind: z.literal('start'),
  recording: z.uuid(),
  session: SessionUid,
  seat: z.number().int(),
  device: DeviceUid,
  /** Of the identity in the recording's first chunk. */
  identity: Sha256,
})
const Seal = z.object({
  kind: z.literal('seal'),
  recording: z.uuid(),
  state: z.enum(SEAL_STATES),
  chunks: z.number().int(),
  /** Of the last chunk. */
  hash: Sha256,
})
const Remove = z.object({
  kind: z.literal('remove'),
  recording: z.uuid(),
  reason: z.enum(['deleted', 'expired']),
  by: Actor,
})
/** Removes every recording of the device so far. */
const RemoveDevice = z.object({ kind: z.literal('remove-device'), device: DeviceUid, by: Actor })
/** Removes every recording of the namespace. */
const RemoveNamespace = z.object({ kind: z.literal('remove-namespace'), by: Actor })
/** The last entry that a key signs: every later one is signed by the key that it names. */
const RotateKey = z.object({
  kind: z.literal('rotate-key'),
  /** Id of the new key. */
  to: z.string(),
  /** The new public key (RFC 8037), base64url. */
  x: z.string(),
})
const DEEDS = [Start, Seal, Remove, RemoveDevice, RemoveNamespace, RotateKey] as const

/** What is written down. */
export type Deed = z.infer<(typeof DEEDS)[number]>

const place = {
  tenant: TenantId,
  /** From 1, without gaps. */
  sequence: z.number().int().min(1),
  /** Hash of the entry before it; of the tenant before the first. */
  previous: Sha256,
  at: z.iso.datetime(),
  /** Id of the key that signs. */
  key: z.string(),
}
const Statement = z.discriminatedUnion('kind', [
  Start.extend(place),
  Seal.extend(place),
  Remove.extend(place),
  RemoveDevice.extend(place),
  RemoveNamespace.extend(place),
  RotateKey.extend(place),
])
export type Statement = z.infer<typeof Statement>

/** Where the ledger of a namespace ends. */
export interface Head {
  /** 0 for an empty one. */
  readonly sequence: number
  readonly hash: string
}

export function emptyHead(tenant: TenantId): Head {
  return { sequence: 0, hash: sha256(`bowline recording ledger ${tenant}`) }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The entry that follows on a head. */
export function nextEntry(
  tenant: TenantId,
  head: Head,
  deed: Deed,
  at: Date,
  key: { readonly id: string; readonly sign: Sign },
): RecordingLedgerTable {
  const statement: Statement = {
    tenant,
    sequence: head.sequence + 1,
    previous: head.hash,
    at: at.toISOString(),
    key: key.id,
    ...deed,
  }
  const text = JSON.stringify(statement)
  return { ...columnsOf(statement), statement: text, hash: sha256(text), signature: key.sign(signedText(text)) }
}

/** What an entry says; undefined when the key that it names has not signed it, or its columns say something else. */
export function readEntry(row: RecordingLedgerTable, isSigned: RecordingKey['isSigned']): Statement | undefined {
  const statement = row.hash === sha256(row.statement) ? parse(row.statement) : undefined
  if (!statement || !isSigned(signedText(row.statement), row.signature, statement.key)) return undefined
  const told = columnsOf(statement)
  const isSame = told.at.getTime() === row.at.getTime() && COPIES.every((name) => told[name] === row[name])
  return isSame ? statement : undefined
}

const COPIES = ['tenant_id', 'sequence', 'kind', 'recording_id', 'session_uid', 'seat', 'device_uid'] as const

/** What a statement says, in the columns that it is found by. */
function columnsOf(statement: Statement): Omit<RecordingLedgerTable, 'statement' | 'hash' | 'signature'> {
  return {
    tenant_id: statement.tenant,
    sequence: statement.sequence,
    kind: statement.kind,
    recording_id: 'recording' in statement ? statement.recording : null,
    session_uid: 'session' in statement ? statement.session : null,
    seat: 'seat' in statement ? statement.seat : null,
    device_uid: 'device' in statement ? statement.device : null,
    at: new Date(statement.at),
  }
}

function signedText(statement: string): string {
  return `bowline recording ledger ${statement}`
}

function parse(text: string): Statement | undefined {
  try {
    return Statement.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
