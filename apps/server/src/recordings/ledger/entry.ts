// An entry of the ledger: a statement about a recording, chained to the previous entry, hashed and signed. Pure.
import { createHash } from 'node:crypto'
import { SEAL_STATES, type Sign } from '@bowline/asciicast/chain'
import { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import * as z from 'zod'
import type { RecordingLedgerTable } from '../../db/tables/recording-tables.ts'
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
  /** Hash of the identity in the recording's first chunk. */
  identity: Sha256,
})
const Seal = z.object({
  kind: z.literal('seal'),
  recording: z.uuid(),
  state: z.enum(SEAL_STATES),
  chunks: z.number().int(),
  /** Hash of the last chunk. */
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
/** The last entry that a key signs; later ones are signed by the key that it names. */
const RotateKey = z.object({
  kind: z.literal('rotate-key'),
  /** Id of the new key. */
  to: z.string(),
  /** The new public key (RFC 8037), base64url. */
  x: z.string(),
})
const EVENTS = [Start, Seal, Remove, RemoveDevice, RemoveNamespace, RotateKey] as const

/** Content of an entry, without its place in the chain. */
export type LedgerEvent = z.infer<(typeof EVENTS)[number]>

const place = {
  tenant: TenantId,
  /** From 1, without gaps. */
  sequence: z.number().int().min(1),
  /** Hash of the previous entry; for the first, of the tenant. */
  previous: Sha256,
  at: z.iso.datetime(),
  /** Id of the signing key. */
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

/** The end of a namespace's ledger. */
export interface Head {
  /** 0 for an empty ledger. */
  readonly sequence: number
  readonly hash: string
}

export function emptyHead(tenant: TenantId): Head {
  return { sequence: 0, hash: sha256(`bowline recording ledger ${tenant}`) }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Creates the entry after a head. */
export function nextEntry(
  tenant: TenantId,
  head: Head,
  event: LedgerEvent,
  at: Date,
  key: { readonly id: string; readonly sign: Sign },
): RecordingLedgerTable {
  const statement: Statement = {
    tenant,
    sequence: head.sequence + 1,
    previous: head.hash,
    at: at.toISOString(),
    key: key.id,
    ...event,
  }
  const text = JSON.stringify(statement)
  return { ...columnsOf(statement), statement: text, hash: sha256(text), signature: key.sign(signedText(text)) }
}

/** Reads an entry; undefined if its key has not signed it or its columns contradict it. */
export function readEntry(row: RecordingLedgerTable, isSigned: RecordingKey['isSigned']): Statement | undefined {
  const statement = row.hash === sha256(row.statement) ? parse(row.statement) : undefined
  if (!statement || !isSigned(signedText(row.statement), row.signature, statement.key)) return undefined
  const expected = columnsOf(statement)
  const isSame = expected.at.getTime() === row.at.getTime() && COPIES.every((name) => expected[name] === row[name])
  return isSame ? statement : undefined
}

const COPIES = ['tenant_id', 'sequence', 'kind', 'recording_id', 'session_uid', 'seat', 'device_uid'] as const

/** Columns by which a statement is queried. */
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
