// Uploads finished recordings to the store and deletes removed ones there, one by one, in the background. Rows hold the
// progress: a file is deleted only after the store has confirmed it, and work interrupted by a crash or an unavailable
// store is repeated. Until then a recording is read from its file.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { Backoff } from '@bowline/base/backoff'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import { StoreError, isRefusal } from '../../platform/s3/store-error.ts'
import type { Objects } from './objects.ts'
import {
  type RecordingRow,
  countToStore,
  findKnownIds,
  forgetRemoved,
  listRemoved,
  listToStore,
  rememberRemoved,
  setPlace,
} from '../store.ts'

/** State for metrics and health. */
export interface UploadState {
  /** Recordings that are not in the store yet. */
  readonly waiting: number
  /** Failed attempts since start. */
  readonly failures: number
  /** Bytes accepted by the store since start. */
  readonly bytes: number
  /** True while the store fails; it is retried. */
  readonly away: boolean
}

export interface Uploads {
  readonly state: UploadState
  /** Checks for work. While the store is unavailable, it waits for the next retry. */
  wake(): void
  /** Resolves when all the recordings there are have been uploaded, or the store fails; tries now, whenever it last failed. */
  finish(): Promise<void>
  /** Number of recordings that are not in the store now. */
  count(): Promise<number>
  /** Aborts the current work; the next start resumes it. */
  close(): Promise<void>
}

export interface UploadsParts {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  /** This node; it uploads its own recordings. */
  readonly node: string
  readonly log: Log
  readonly clock: Clock
  readonly objects: Objects
  readonly files: (id: string) => { readonly cast: string; readonly index: string }
  /** Removes the files of a recording. */
  readonly removeFiles: (id: string) => Promise<void>
  /** Aborts requests to the store. */
  readonly ending: AbortController
}

const BATCH = 16
const RETRY = { baseMs: 1_000, capMs: 60_000, leastShare: 0.5 }

export function createUploads({ system, node, log, clock, objects, ...parts }: UploadsParts): Uploads {
  const { signal } = parts.ending
  const state = { waiting: 0, failures: 0, bytes: 0, away: false }
  let isReady = false
  const backoff = new Backoff(RETRY)
  let cancelRetry: (() => void) | undefined

  const loop = new BackgroundLoop(async () => {
    try {
      if (!cancelRetry) await work()
    } catch (error) {
      if (!signal.aborted) retryLater(error)
    }
  })

  async function work(): Promise<void> {
    state.waiting = await countToStore(system, node)
    if (!isReady) await objects.check()
    await removeRemoved()
    let last: string | undefined
    for (let rows = await next(last); rows.length > 0; rows = await next(last)) {
      for (const row of rows) {
        await unlessRefused(row.id, () => bring(row))
        last = row.id
      }
      state.waiting = await countToStore(system, node)
    }
    succeeded()
  }

  /** A reachable store may still refuse writes: it counts as available after a successful operation. */
  function succeeded(): void {
    if (!isReady) log.info('recording.store-ready')
    isReady = true
    state.away = false
    backoff.reset()
  }

  const next = (after: string | undefined): Promise<RecordingRow[]> => listToStore(system, node, after, BATCH)

  async function removeRemoved(): Promise<void> {
    let last: string | undefined
    for (let ids = await removed(last); ids.length > 0; ids = await removed(last)) {
      for (const id of ids) {
        await unlessRefused(id, async () => {
          await objects.remove(id)
          await forgetRemoved(system, id)
        })
        last = id
      }
    }
  }

  const removed = (after: string | undefined): Promise<string[]> => listRemoved(system, after, BATCH)

  async function bring(row: RecordingRow): Promise<void> {
    const { id } = row
    if (!(await setPlace(system, row, 'leaving'))) return
    const { cast, index } = parts.files(id)
    const sent = (bytes: number): void => {
      state.bytes += bytes
    }
    if (row.indexed === 'yes') await objects.send(id, 'index', index, sent)
    await objects.send(id, 'cast', cast, sent)
    if (await setPlace(system, row, 'object')) return parts.removeFiles(id)
    // It has changed and is uploaded again, or it was deleted before the upload.
    if (await isGone(id)) await rememberRemoved(system, id)
    loop.wake()
  }

  async function isGone(id: string): Promise<boolean> {
    return (await findKnownIds(system, [id])).size === 0
  }

  /** One failing recording must not block the others: the next pass retries it. */
  async function unlessRefused(id: string, action: () => Promise<void>): Promise<void> {
    try {
      await action()
      succeeded()
    } catch (error) {
      if (signal.aborted || !(isRefusal(error) || isOfFile(error))) throw error
      state.failures += 1
      log.error('recording.store-failed', { recording: id, err: error })
    }
  }

  function retryLater(error: unknown): void {
    if (error instanceof StoreError) {
      // Logged once, not for every attempt.
      if (!state.away) log.error('recording.store-away', { message: error.message })
      state.failures += 1
      state.away = true
      isReady = false
    } else log.error('jobs.error', { err: error })
    cancelRetry = clock.after(backoff.next(), () => {
      cancelRetry = undefined
      wake()
    })
  }

  function wake(): void {
    // A scheduled retry will do the work.
    if (!cancelRetry) loop.wake()
  }

  return {
    state,
    wake,
    async finish() {
      cancelRetry?.()
      cancelRetry = undefined
      loop.wake()
      await loop.settled()
    },
    count: () => countToStore(system, node),
    async close() {
      parts.ending.abort()
      cancelRetry?.()
      await loop.stop()
    },
  }
}

/** True for a file that cannot be opened: file system errors have a path. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'path' in error
}
