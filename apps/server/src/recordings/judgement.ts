// Verdict on a recording: compares its file, its row, its session and the ledger. Pure.
import type { Verdict } from '@bowline/asciicast/verify'
import type { Identity } from '@bowline/asciicast/identity'
import type { RecordingVerdict } from '@bowline/contract/schemas/session'
import { type Statement, sha256 } from './ledger/entry.ts'
import type { SessionFacts } from './session-facts-store.ts'
import type { RecordingRow } from './store.ts'

/** Ledger entries for a recording. */
export interface LedgerExtract {
  /** Entries about the recording, in order. */
  readonly own: readonly Statement[]
  /** Recordings of the same seat that started under another id and were not removed. */
  readonly others: readonly string[]
  /** Sequence numbers of modified entries. */
  readonly broken: readonly number[]
}

export interface Evidence {
  readonly row: RecordingRow
  /** undefined if the session was deleted. */
  readonly session: SessionFacts | undefined
  /** Verdict on the file; undefined without one. */
  readonly file: Verdict | undefined
  readonly ledger: LedgerExtract
}

type Unsealed = Extract<Verdict, { result: 'unsealed' }>

/** True if a seal was cut off. Posted recordings may lack it while they are extended and resealed. */
export function isCut(row: RecordingRow, { state }: Unsealed, { own }: Pick<LedgerExtract, 'own'>): boolean {
  const seal = lastSeal(own)
  return seal !== undefined && (!row.posted || state.chunks < seal.chunks)
}

export function lastSeal(entries: readonly Statement[]): Extract<Statement, { kind: 'seal' }> | undefined {
  return entries.findLast((entry) => entry.kind === 'seal')
}

/** Fields that identity and rows share, in the order of messages. */
const FIELDS = ['tenant', 'session', 'seat', 'device', 'user', 'address', 'started_at', 'command'] as const
type Field = (typeof FIELDS)[number]
/** A difference in one of these means another recording, not merely a changed row. */
const OF_ANOTHER: readonly Field[] = ['tenant', 'session', 'seat']

export function judge({ row, session, file, ledger }: Evidence): RecordingVerdict {
  if (!file) return missing('Its row is there, its file is not.')
  if (file.result === 'tampered') return tampered(file.chunk, `Chunk ${file.chunk}: ${file.rule}.`)
  if (file.result === 'unsealed' && (row.state !== 'recording' || isCut(row, file, ledger))) {
    return tampered(file.state.chunks, `Chunk ${file.state.chunks}: the recording was cut off before its seal.`)
  }
  const identity = file.identity?.identity
  const differs = identity ? differences(identity, row, session) : []
  if (differs.length > 0)
    return { ...tampered(null, explain(differs)), chunks: chunksOf(file), identity: true, differs }
  const rule = ledgerProblem(row, file, ledger)
  if (rule !== undefined) return { ...tampered(null, rule), chunks: chunksOf(file), identity: identity !== undefined }
  return file.result === 'intact' ? intact(file) : living(file)
}

/** Verdict on a recording whose data must exist but does not. */
export function missing(message: string): RecordingVerdict {
  return { ...NOTHING, result: 'missing', message: `The recording is missing. ${message}` }
}

const NOTHING = {
  complete: false,
  chunks: 0,
  bad_chunk: null,
  ending: null,
  identity: false,
  differs: [],
} as const satisfies Partial<RecordingVerdict>

function tampered(chunk: number | null, message: string): RecordingVerdict {
  return { ...NOTHING, differs: [], result: 'tampered', chunks: chunk ?? 0, bad_chunk: chunk, message }
}

function chunksOf(file: Exclude<Verdict, { result: 'tampered' }>): number {
  return file.result === 'intact' ? file.seal.chunks : file.state.chunks
}

const ENDINGS = {
  complete: 'The recording is as it was written.',
  truncated: 'As it was written, but it ends early.',
  interrupted:
    'As it was written, but it was interrupted: the server found it without its end when it started, and sealed it then.',
} as const

function intact({ seal, identity }: Extract<Verdict, { result: 'intact' }>): RecordingVerdict {
  const sealed = identity ? '' : ' It was sealed without identity, by an earlier version of the server.'
  return {
    result: 'intact',
    complete: seal.state === 'complete',
    chunks: seal.chunks,
    bad_chunk: null,
    ending: seal.state,
    identity: identity !== undefined,
    differs: [],
    message: ENDINGS[seal.state] + sealed,
  }
}

function living(file: Unsealed): RecordingVerdict {
  return {
    ...NOTHING,
    differs: [],
    result: 'recording',
    chunks: file.state.chunks,
    identity: file.identity !== undefined,
    message: 'As it was written so far; the session lives.',
  }
}

function differences(identity: Identity, row: RecordingRow, session: SessionFacts | undefined): Field[] {
  const expected: Pick<Identity, Field> = {
    tenant: row.tenant_id,
    session: row.session_uid,
    seat: row.seat,
    device: session?.device ?? '',
    user: session?.user ?? '',
    address: session?.address ?? '',
    started_at: row.started_at.toISOString(),
    command: row.command,
  }
  return FIELDS.filter((name) => expected[name] !== identity[name])
}

function explain(differs: readonly Field[]): string {
  const names = differs.join(', ')
  return differs.some((name) => OF_ANOTHER.includes(name))
    ? `The recording is of another session: it was sealed with another ${names}.`
    : `The database was changed: the recording was sealed with another ${names}.`
}

/** Contradiction between recording and ledger, if any. */
function ledgerProblem(
  row: RecordingRow,
  file: Exclude<Verdict, { result: 'tampered' }>,
  { own, others, broken }: LedgerExtract,
): string | undefined {
  if (broken.length > 0) return `The ledger was changed: entry ${broken.join(', ')} is not as it was written.`
  if (others.length > 0) return `The ledger names another recording of this session and seat: ${others.join(', ')}.`
  const start = own.find((entry) => entry.kind === 'start')
  if (!start) return file.identity && 'The ledger has no entry of the recording.'
  // Nothing is signed yet.
  if (file.result === 'unsealed' && file.state.chunks === 0) return undefined
  if (!file.identity || sha256(file.identity.text) !== start.identity) {
    return 'The recording has another identity than the ledger tells.'
  }
  if (file.result === 'unsealed') return undefined
  const seal = lastSeal(own)
  // The seal is written to the file shortly before the ledger.
  if (!seal) return row.state === 'recording' ? undefined : 'The ledger has no seal of the recording.'
  const isSame = seal.chunks === file.seal.chunks && seal.hash === file.seal.hash && seal.state === file.seal.state
  return isSame || row.state === 'recording' ? undefined : 'The ledger has another seal of the recording.'
}
