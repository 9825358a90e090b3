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
  /** Runs `action` after everything before it was passed on. */
  after(action: () => void): void
  /** Ends the recording. Never rejects. */
  finish(): Promise<void>
}

interface Entry {
  readonly line: string
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

  /** Empty when nothing of it is recorded: half a character, or what is beyond the limit. */
  function outputLine(bytes: Uint8Array, lane: 0 | 1): string {
    if (room <= 0) return ''
    const text = decoders[lane].decode(bytes, { stream: true })
    room -= bytes.length
    const told = room <= 0 ? line('m', LIMIT_TOLD) : ''
    return text === '' ? told : line('o', text) + told
  }

  function add(entry: Entry): void {
    // Without a recording nothing needs to wait, once what came before has gone.
    if ((failed || finished || entry.line === '') && !working) return settle(entry)
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
      await record(batch.map((entry) => entry.line).join(''))
      for (const entry of batch) settle(entry)
    }
  }

  async function record(text: string): Promise<void> {
    if (failed || text === '') return
    try {
      await spool?.write(text)
      cancelFlush ??= clock.after(FLUSH_MS, () => {
        flushDue = true
        start()
      })
    } catch (error) {
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
      add({ line: failed ? '' : outputLine(bytes, lane), isOutput: true, pass })
    },
    resize: (columns, rows) => add({ line: line('r', `${columns}x${rows}`), isOutput: false, pass: () => undefined }),
    exit: (status) => add({ line: line('x', String(status)), isOutput: false, pass: () => undefined }),
    after: (action) => add({ line: '', isOutput: false, pass: action }),
    async finish() {
      await begun
      await working
      await syncing
      finished = true
      cancelFlush?.()
      if (!spool) return
      const state = failed ? 'truncated' : 'complete'
      try {
        await spool.seal(state, lines.atMs)
        await parts.finished(state, spool.bytes)
      } catch (error) {
        // The next start seals what this one could not.
        fail(error)
      }
    },
  }
}
