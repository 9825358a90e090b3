// Indexes recordings when they are over, one after the other, on a thread of their own: keyframes into a file beside the
// recording, text into the database. A row says what is done, so that a server that was killed goes on where it was.
import { Worker } from 'node:worker_threads'
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import type { Passage } from '../text/passages.ts'
import { type RecordingRow, listUnindexed, setIndexed } from '../store.ts'

/** What the thread is told. */
export interface Task {
  /** Files. */
  readonly cast: string
  readonly index: string
}

/** What it answers: passages, then the end. */
export type Answer =
  | { readonly type: 'passages'; readonly passages: readonly Passage[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string }

export interface Indexing {
  /** There may be recordings to index. */
  wake(): void
  /** Ends the thread; what it was at is done again by the next start. */
  close(): Promise<void>
}

export interface IndexingParts {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  /** Recordings of this node are indexed by it. */
  readonly node: string
  readonly log: Log
  readonly files: (id: string) => Task
  /** Told when one is done, whether or not it could be indexed. */
  readonly indexed: () => void
}

const BATCH = 16
/** Of the thread, for objects: a screen and its text need a small part of it. */
const HEAP_MEGABYTES = 256

export function createIndexing({ system, node, log, files, indexed }: IndexingParts): Indexing {
  let worker: Worker | undefined
  const ending = new AbortController()

  const loop = new BackgroundLoop(work)

  async function work(): Promise<void> {
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
      await worker?.terminate()
      worker = undefined
    }
  }

  const next = (): Promise<RecordingRow[]> => listUnindexed(system, node, BATCH)

  async function index(row: RecordingRow): Promise<void> {
    const passages: Passage[] = []
    try {
      await run(files(row.id), passages)
      await setIndexed(system, row, passages)
    } catch (error) {
      if (ending.signal.aborted) return
      if (!(error instanceof Unreadable)) throw error
      log.error('recording.failed', { session: row.session_uid, seat: row.seat, err: error })
      await setIndexed(system, row, undefined)
    }
    indexed()
  }

  /** @throws {Unreadable} */
  function run(task: Task, passages: Passage[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const thread = (worker ??= startWorker())
    const fail = (message: string): void => reject(new Unreadable(message))
    const lose = (error: unknown): void => {
      if (worker === thread) worker = undefined
      fail(error instanceof Error ? error.message : 'the thread has ended')
    }
    thread.removeAllListeners().on('error', lose).on('exit', lose)
    thread.on('message', (answer: Answer) => {
      if (answer.type === 'passages') passages.push(...answer.passages)
      else if (answer.type === 'done') resolve()
      else fail(answer.message)
    })
    thread.postMessage(task)
    return promise
  }

  return {
    wake: () => loop.wake(),
    async close() {
      ending.abort()
      await worker?.terminate()
      await loop.stop()
    },
  }
}

/** The recording is no terminal's output, or too much for the thread. */
class Unreadable extends Error {}

function startWorker(): Worker {
  const thread = new Worker(new URL('./indexing-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    execArgv: [],
  })
  thread.unref()
  return thread
}
