// Records one seat: output of the device is written to the file and then passed to the client, in order. A slow file
// slows the device, because credit is returned only for passed output; so memory is bounded by the link's window.
// Input is never recorded, so text typed without echo is in no recording.
import { createCharacters, jsonBytes } from '@bowline/asciicast/characters'
import type { CastCode } from '@bowline/asciicast/cast'
import type { Seal } from '@bowline/asciicast/chain'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import type { Clock } from '@bowline/base/clock'
import { Batch, type Entry } from './batch.ts'
import { toBytes } from './line-bytes.ts'
import type { Spool } from '../file/spool.ts'

/** Maximum loss when the machine stops; a killed server loses nothing that was passed on. */
const FLUSH_MS = 1_000
/**
 * Output limit of a program without a terminal, where recording is not required: more is a file transfer rather than
 * text to read, and would fill the disk with unplayable data.
 */
export const BULK_LIMIT_BYTES = 8_388_608
const LIMIT_NOTICE = `output beyond ${BULK_LIMIT_BYTES} bytes is not recorded`

/** A new file, and the line that identifies its recording. */
export interface OpenedRecording {
  readonly spool: Spool
  /** Follows the header. */
  readonly identity: string
}

export interface RecorderParts {
  readonly clock: Clock
  readonly columns: number
  readonly rows: number
  readonly term: string
  /** Creates row and file. */
  readonly open: () => Promise<OpenedRecording>
  /** Rejects when recordings must stop for lack of disk space. */
  readonly requireRoom: () => Promise<void>
  /** Nothing may pass that is not recorded. */
  readonly required: boolean
  /** True with a terminal: without one only the beginning is recorded, unless recording is required. */
  readonly hasTerminal: boolean
  /** Called once when recording cannot continue. */
  readonly failed: (error: unknown) => void
  /** Called when the file is final. */
  readonly finished: (seal: Seal, bytes: number) => Promise<void>
  /** Called when the seat has ended, with its output bytes and those of them in the file. */
  readonly counted: (output: number, recorded: number) => Promise<void>
}

export interface Recorder {
  /** Nothing may pass that is not recorded. */
  readonly required: boolean
  /** Resolves to true if row and file were created. Never rejects. */
  readonly begun: Promise<boolean>
  /**
   * Records bytes, then passes them on. If recording is required and fails, they are dropped.
   * @param bytes copied
   * @param pass receives them together with directly following output; the memory is valid during the call only
   */
  output(bytes: Uint8Array, lane: 0 | 1, pass: (bytes: Uint8Array) => void): void
  /** Writes the size unless it is the current one: clients send theirs again whenever they come back. */
  resize(columns: number, rows: number): void
  exit(status: number): void
  /** Writes a line about an event. */
  mark(text: string): void
  /** Makes the recording fail. */
  fail(error: Error): void
  /** Runs `action` after all earlier output was passed on. */
  after(action: () => void): void
  /** Ends the recording. Never rejects. */
  finish(): Promise<void>
}

export function createRecorder(parts: RecorderParts): Recorder {
  const { clock } = parts
  const startedAt = clock.now()
  const lines = createEventLines()
  // A character may be split between pieces; stdout and stderr are decoded separately.
  const characters = [createCharacters(), createCharacters()] as const
  const queue: Batch[] = []
  let spool: Spool | undefined
  let failed = false
  let room = parts.hasTerminal || parts.required ? Infinity : BULK_LIMIT_BYTES
  let finished = false
  let size = sizeText(parts)
  let output = 0
  let recorded = 0
  let working: Promise<void> | undefined
  let cancelFlush: (() => void) | undefined
  let flushDue = false
  let syncing: Promise<void> | undefined

  const opening = parts.open().then(async (opened) => {
    ;({ spool } = opened)
    const { columns, rows, term } = parts
    const header = headerLine({ columns, rows, term, timestamp: Math.floor(startedAt / 1_000) })
    await spool.write(header + opened.identity)
  })
  const begun = opening.then(
    () => true,
    (error: unknown) => {
      fail(error)
      return false
    },
  )

  function fail(error: unknown): void {
    if (failed) return
    failed = true
    cancelFlush?.()
    parts.failed(error)
  }

  const now = (): number => clock.now() - startedAt
  const event = (code: CastCode, data: string): void => add({ kind: 'event', code, data, atMs: now() })

  function add(entry: Exclude<Entry, { kind: 'output' }>): void {
    // Without a recording nothing needs to wait, once earlier entries are done.
    if ((failed || finished || entry.kind === 'act') && !working) return settle(entry)
    lastBatch().entries.push(entry)
    start()
  }

  function addOutput(bytes: Uint8Array, from: Parameters<Batch['output']>[1]): void {
    if (!from.isKept && !working) return settle({ kind: 'output', ...from, bytes })
    for (let done = 0; done < bytes.length;) done += lastBatch().output(bytes.subarray(done), from)
    start()
  }

  function lastBatch(): Batch {
    const last = queue.at(-1)
    if (last && !last.isFull) return last
    const batch = new Batch()
    queue.push(batch)
    return batch
  }

  function start(): void {
    working ??= work()
  }

  function settle(entry: Entry): void {
    try {
      if (entry.kind === 'act') entry.act()
      else if (entry.kind === 'output' && !(failed && parts.required)) entry.pass(entry.bytes)
    } catch (error) {
      // A defect in a callback must not end the server; earlier output is recorded.
      fail(error)
    }
  }

  async function work(): Promise<void> {
    await begun
    for (let batch = queue.shift(); batch || flushDue; batch = queue.shift()) {
      if (flushDue) await flush()
      if (!batch) continue
      await record(batch.entries)
      for (const entry of batch.entries) settle(entry)
      batch.release()
    }
    // No await since the last check of the queue: later entries start `work` anew.
    working = undefined
  }

  async function record(entries: readonly Entry[]): Promise<void> {
    if (failed) return
    try {
      const { bytes, release } = toBytes(entries.flatMap(toLine))
      if (bytes.length > 0) await spool?.write(bytes).finally(release)
      for (const entry of entries) if (entry.kind === 'output' && entry.isKept) recorded += entry.bytes.length
      cancelFlush ??= clock.after(FLUSH_MS, () => {
        flushDue = true
        start()
      })
    } catch (error) {
      fail(error)
    }
  }

  /** A line as bytes, one character each ("latin1"), in parts; none for entries that are not written. */
  function toLine(entry: Entry): readonly string[] {
    if (entry.kind === 'event') return [Buffer.from(lines.next(entry.code, entry.data, entry.atMs)).toString('latin1')]
    if (entry.kind === 'act' || !entry.isKept) return []
    const text = characters[entry.lane].next(entry.bytes)
    if (text.length === 0) return []
    const [before, after] = lines.around('o', entry.atMs)
    return [before, jsonBytes(text), after]
  }

  async function flush(): Promise<void> {
    flushDue = false
    cancelFlush = undefined
    if (failed) return
    try {
      await parts.requireRoom()
      await spool?.closeChunk()
    } catch (error) {
      return fail(error)
    }
    // Sessions do not wait for a flush, unless it takes more than a second.
    await syncing
    syncing = spool
      ?.sync()
      .catch(fail)
      .finally(() => {
        syncing = undefined
      })
  }

  return {
    required: parts.required,
    begun,
    output(bytes, lane, pass) {
      output += bytes.length
      const isKept = !failed && !finished && room > 0
      if (isKept) room -= bytes.length
      addOutput(bytes, { lane, atMs: now(), isKept, pass })
      if (isKept && room <= 0) event('m', LIMIT_NOTICE)
    },
    resize(columns, rows) {
      const next = sizeText({ columns, rows })
      if (next === size) return
      size = next
      event('r', size)
    },
    exit: (status) => event('x', String(status)),
    mark: (text) => event('m', text),
    fail,
    after: (act) => add({ kind: 'act', act }),
    async finish() {
      await begun
      await working
      await syncing
      finished = true
      cancelFlush?.()
      try {
        if (spool) await seal(spool)
        await parts.counted(output, Math.min(recorded, output))
      } catch (error) {
        // The next start seals the file instead.
        fail(error)
      }
    },
  }

  async function seal(open: Spool): Promise<void> {
    await parts.finished(await open.seal(failed ? 'truncated' : 'complete', lines.atMs), open.bytes)
  }
}

/** As an asciicast has it. */
function sizeText({ columns, rows }: Pick<RecorderParts, 'columns' | 'rows'>): string {
  return `${columns}x${rows}`
}
