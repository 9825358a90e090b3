// Records one seat: what the device says goes into the file first and to the person then, in order. A file that is slow
// slows the device, because credit goes back only for what was passed on; so memory stays bounded by the link's window.
// Input never comes here: what is typed where nothing is echoed is in no recording.
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import type { Clock } from '../platform/clock.ts'
import type { Spool } from './spool.ts'

/** What is lost at most when the machine stops; a killed server loses nothing that a person has seen. */
const FLUSH_MS = 1_000
/**
 * Of a program without a terminal, where not everything must be recorded: what is beyond is a file on its way rather
 * than something a person reads, and would fill the disk with text that nobody can play.
 */
export const BULK_LIMIT_BYTES = 8_388_608
const LIMIT_TOLD = `output beyond ${BULK_LIMIT_BYTES} bytes is not recorded`

export interface RecorderParts {
  readonly clock: Clock
  readonly columns: number
  readonly rows: number
  readonly term: string
  /** Makes row and file. */
  readonly open: () => Promise<Spool>
  /** Rejects when recordings must stop for lack of room. */
  readonly requireRoom: () => Promise<void>
  /** Nothing may pass that is not recorded. */
  readonly required: boolean
  /** Whether a person looks at a terminal: without one only the beginning is recorded, unless all of it must be. */
  readonly hasTerminal: boolean
  /** It cannot go on; told once. */
  readonly failed: (error: unknown) => void
  /** The file is as it stays. */
  readonly finished: (state: 'complete' | 'truncated', bytes: number) => Promise<void>
  /** The seat is over: how many bytes the device said on it, and how many of them are in the file. */
  readonly counted: (output: number, recorded: number) => Promise<void>
}

export interface Recorder {
  /** Nothing may pass that is not recorded. */
  readonly required: boolean
  /** Resolves with whether row and file could be made. Never rejects. */
  readonly begun: Promise<boolean>
  /** Records bytes, then passes them on. When nothing may pass unrecorded and recording fails, they are dropped. */
  output(bytes: Uint8Array, lane: 0 | 1, pass: () => void): void
  resize(columns: number, rows: number): void
  exit(status: number): void
  /** Writes a line about what happens. */
  mark(text: string): void
  /** Recording cannot go on. */
  fail(error: Error): void
  /** Runs `action` after everything before it was passed on. */
  after(action: () => void): void
  /** Ends the recording. Never rejects. */
  finish(): Promise<void>
}

interface Entry {
  readonly line: string
  /** Bytes of output in it. */
  readonly bytes: number
  readonly isOutput: boolean
  readonly pass: () => void
}

export function createRecorder(parts: RecorderParts): Recorder {
  const { clock } = parts
  const startedAt = clock.now()
  const lines = createEventLines()
  // A character may end in the next piece; stdout and stderr have each their own.
  const decoders = [
    new TextDecoder('utf-8', { ignoreBOM: true }),
    new TextDecoder('utf-8', { ignoreBOM: true }),
  ] as const
  let queue: Entry[] = []
  let spool: Spool | undefined
  let failed = false
  let room = parts.hasTerminal || parts.required ? Infinity : BULK_LIMIT_BYTES
  let finished = false
  let output = 0
  let recorded = 0
  let working: Promise<void> | undefined
  let cancelFlush: (() => void) | undefined
  let flushDue = false
  let syncing: Promise<void> | undefined

  const opening = parts.open().then(async (opened) => {
    spool = opened
    const { columns, rows, term } = parts
    await opened.write(headerLine({ columns, rows, term, timestamp: Math.floor(startedAt / 1_000) }))
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

  function line(code: 'o' | 'r' | 'x' | 'm', data: string): string {
    return lines.next(code, data, clock.now() - startedAt)
  }

  /** What is no output. */
  function told(code: 'r' | 'x' | 'm', data: string): Entry {
    return { line: line(code, data), bytes: 0, isOutput: false, pass: () => undefined }
  }

  /** Empty for half a character. */
  function outputLine(bytes: Uint8Array, lane: 0 | 1): string {
    const text = decoders[lane].decode(bytes, { stream: true })
    room -= bytes.length
    const told = room <= 0 ? line('m', LIMIT_TOLD) : ''
    return text === '' ? told : line('o', text) + told
  }

  function add(entry: Entry): void {
    // Without a recording nothing needs to wait, once what came before has gone.
    if ((failed || finished || entry.line === '') && !working) {
      if (!failed) recorded += entry.bytes
      return settle(entry)
    }
    queue.push(entry)
    start()
  }

  function start(): void {
    working ??= work().finally(() => {
      working = undefined
    })
  }

  function settle({ isOutput, pass }: Entry): void {
    if (failed && parts.required && isOutput) return
    try {
      pass()
    } catch (error) {
      // A defect of the taker must not end the server; what came before it is recorded.
      fail(error)
    }
  }

  async function work(): Promise<void> {
    await begun
    while (queue.length > 0 || flushDue) {
      if (flushDue) await flush()
      const batch = queue
      queue = []
      await record(batch)
      for (const entry of batch) settle(entry)
    }
  }

  async function record(batch: readonly Entry[]): Promise<void> {
    const text = batch.map((entry) => entry.line).join('')
    if (failed) return
    for (const { bytes } of batch) recorded += bytes
    if (text === '') return
    try {
      await spool?.write(text)
      cancelFlush ??= clock.after(FLUSH_MS, () => {
        flushDue = true
        start()
      })
    } catch (error) {
      for (const { bytes } of batch) recorded -= bytes
      fail(error)
    }
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
    // Nobody waits for the disk itself, unless it takes more than a second.
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
      const { length } = bytes
      output += length
      const isKept = !failed && room > 0
      add({ line: isKept ? outputLine(bytes, lane) : '', bytes: isKept ? length : 0, isOutput: true, pass })
    },
    resize: (columns, rows) => add(told('r', `${columns}x${rows}`)),
    exit: (status) => add(told('x', String(status))),
    mark: (text) => add(told('m', text)),
    fail,
    after: (action) => add({ line: '', bytes: 0, isOutput: false, pass: action }),
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
        // The next start seals what this one could not.
        fail(error)
      }
    },
  }

  async function seal(open: Spool): Promise<void> {
    const state = failed ? 'truncated' : 'complete'
    await open.seal(state, lines.atMs)
    await parts.finished(state, open.bytes)
  }
}
