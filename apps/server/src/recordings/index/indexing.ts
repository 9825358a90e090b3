// Indexes finished recordings one by one on a worker thread: keyframes into a file beside the recording, text into the
// database. The row holds the progress, so that a killed server resumes after a restart.
import { Worker } from 'node:worker_threads'
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import type { RecordingSummary } from '@bowline/contract/schemas/recording'
import { type RecordingFacts, summaryOf } from '../summary/summary.ts'
import type { Passage } from '../text/passages.ts'
import { type RecordingRow, listUnindexed, setIndexed } from '../store.ts'

/** Message to the worker. */
export interface Task {
  /** Files. */
  readonly cast: string
  readonly index: string
}

/** Answers of the worker: passages, then the end. */
export type Answer =
  | { readonly type: 'passages'; readonly passages: readonly Passage[] }
  | { readonly type: 'done'; readonly facts: RecordingFacts }
  | { readonly type: 'failed'; readonly message: string }

export interface Indexing {
  /** Checks for recordings to index. */
  wake(): void
  /** Resolves when all the recordings there are have been indexed, or the database fails. */
  finish(): Promise<void>
  /** Ends the thread; the next start repeats its unfinished task. */
  close(): Promise<void>
}

export interface IndexingParts {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  /** This node; it indexes its own recordings. */
  readonly node: string
  readonly log: Log
  readonly files: (id: string) => Task
  /** Called in the transaction that marks a recording as indexed, on the system connection. */
  readonly completed?: (db: Kysely<Schema>, row: RecordingRow, summary: RecordingSummary) => Promise<void>
  /** Called after each recording, indexed or not. */
  readonly indexed: () => void
}

const BATCH = 16
/**
 * The thread ends when it has had nothing to do for this long. To start one takes some 40 ms of processor time, more than a
 * short session does.
 */
export const IDLE_MS = 60_000
/** Heap limit of the thread: a screen and its text need a small part of it. */
const HEAP_MEGABYTES = 256

export function createIndexing(parts: IndexingParts): Indexing {
  const { system, clock, node, log, files, completed, indexed } = parts
  let worker: Worker | undefined
  let keepThread = (): void => undefined
  const ending = new AbortController()

  const loop = new BackgroundLoop(work)

  async function work(): Promise<void> {
    keepThread()
    try {
      for (let rows = await next(); rows.length > 0; rows = await next()) {
        for (const row of rows) {
          if (ending.signal.aborted) return
          await index(row)
        }
      }
    } catch (error) {
      if (!ending.signal.aborted) log.error('recording.failed', { err: error })
    } finally {
      keepThread = clock.after(IDLE_MS, endThread)
    }
  }

  function endThread(): void {
    void worker?.terminate()
    worker = undefined
  }

  const next = (): Promise<RecordingRow[]> => listUnindexed(system, node, BATCH)

  async function index(row: RecordingRow): Promise<void> {
    const passages: Passage[] = []
    try {
      const facts = await run(files(row.id), passages)
      const typed = passages.flatMap(({ kind, text }) => (kind === 'command' ? [text] : []))
      const summary = summaryOf(facts, row.command === '' ? typed : [row.command, ...typed])
      await setIndexed(system, row, { passages, summary, completed })
    } catch (error) {
      if (ending.signal.aborted) return
      if (!(error instanceof Unreadable)) throw error
      log.error('recording.failed', { session: row.session_uid, seat: row.seat, err: error })
      await setIndexed(system, row, undefined)
    }
    indexed()
  }

  /** @throws {Unreadable} */
  function run(task: Task, passages: Passage[]): Promise<RecordingFacts> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordingFacts>()
    const thread = (worker ??= startWorker())
    const fail = (message: string): void => reject(new Unreadable(message))
    const lose = (error: unknown): void => {
      if (worker === thread) worker = undefined
      fail(error instanceof Error ? error.message : 'the thread has ended')
    }
    thread.removeAllListeners().on('error', lose).on('exit', lose)
    thread.on('message', (answer: Answer) => {
      if (answer.type === 'passages') passages.push(...answer.passages)
      else if (answer.type === 'done') resolve(answer.facts)
      else fail(answer.message)
    })
    thread.postMessage(task)
    return promise
  }

  return {
    wake: () => loop.wake(),
    async finish() {
      loop.wake()
      await loop.settled()
    },
    async close() {
      ending.abort()
      await worker?.terminate()
      await loop.stop()
      keepThread()
    },
  }
}

/** The recording is not terminal output or exceeds the worker's memory. */
class Unreadable extends Error {}

function startWorker(): Worker {
  const thread = new Worker(new URL('./indexing-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    execArgv: [],
  })
  thread.unref()
  return thread
}
