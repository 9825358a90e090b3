// Starts recordings in the server: seals files of earlier runs, indexes sealed ones, and uploads indexed ones to the
// store, if configured.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { type S3Settings, createS3Client } from '../platform/s3/client.ts'
import { type Indexing, createIndexing } from './index/indexing.ts'
import { createHeadLog } from './ledger/heads.ts'
import { createObjects } from './offload/objects.ts'
import { type Recordings, type RecordingsParts, createRecordings } from './recordings.ts'
import { type CompletionParts, createCompletion } from './summary/completion.ts'
import { type UploadState, type Uploads, createUploads } from './offload/uploads.ts'

/** Interval for recordings not indexed at their end, posted from elsewhere, or deleted. */
const WORK_INTERVAL_MS = 60_000
/** Interval of log lines with the heads of ledgers. */
const HEADS_INTERVAL_MS = 3_600_000

/** For what the last sessions left, at the end: less than what service managers wait beyond the drain time. */
const LAST_MS = 15_000

export interface RecordingsOptions extends Omit<RecordingsParts, 'sealed' | 'objects'>, CompletionParts {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  /** Without one recordings stay on disk. */
  readonly store: S3Settings | undefined
  /** Registers shutdown actions, run in reverse order. */
  readonly onEnd: (ending: () => Promise<void>) => void
}

export interface StartedRecordings {
  readonly recordings: Recordings
  /** State of uploads; undefined without a store. */
  readonly uploads: UploadState | undefined
  /** Parts that do not work: `recording-store`, the store does not answer; `recording-disk`, the disk is full. */
  readonly degraded: () => Promise<string[]>
}

/** Starts recordings. Does not wait for the store: the server starts without it and reports so. */
export async function startRecordings(options: RecordingsOptions): Promise<StartedRecordings> {
  const { system, clock, store, onEnd, contextOf, publicUrl, ...parts } = options
  const ending = new AbortController()
  const objects = store && createObjects(await createS3Client(store, ending.signal))
  const recordings = await createRecordings({
    ...parts,
    clock,
    ...(objects ? { objects } : {}),
    sealed: () => indexing.wake(),
  })
  const files = (id: string) => ({ cast: recordings.path(id), index: recordings.indexPath(id) })
  const indexing: Indexing = createIndexing({
    ...parts,
    system,
    clock,
    files,
    completed: createCompletion({ contextOf, publicUrl }),
    indexed: () => uploads?.wake(),
  })
  const removeFiles = (id: string): Promise<void> => recordings.remove(id)
  const uploads: Uploads | undefined =
    objects && createUploads({ ...parts, system, clock, objects, files, removeFiles, ending })
  if (uploads) onEnd(() => uploads.close())
  onEnd(() => indexing.close())
  if (uploads) onEnd(() => bringLast(indexing, uploads, parts.log, clock))
  onEnd(() => recordings.close())
  const work = (): void => {
    indexing.wake()
    uploads?.wake()
  }
  const stop = clock.every(WORK_INTERVAL_MS, work)
  onEnd(() => Promise.resolve(stop()))
  const tellHeads = createHeadLog(system, parts.log)
  const stopTelling = clock.every(HEADS_INTERVAL_MS, () => {
    tellHeads().catch((error: unknown) => parts.log.error('jobs.error', { err: error }))
  })
  onEnd(() => Promise.resolve(stopTelling()))
  await recordings.sealLost(system)
  await recordings.removeStored(system)
  work()
  return {
    recordings,
    uploads: uploads?.state,
    async degraded() {
      const store = uploads?.state.away === true ? ['recording-store'] : []
      return (await recordings.room()) < 0 ? [...store, 'recording-disk'] : store
    },
  }
}

/**
 * Uploads what is left when no session runs any more: the node may never come back, and its disk with it. What cannot be
 * uploaded in time stays on its disk, and the log says so.
 */
async function bringLast(indexing: Indexing, uploads: Uploads, log: Log, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(LAST_MS, resolve)
  await Promise.race([indexing.finish().then(() => uploads.finish()), late])
  cancel()
  const waiting = await uploads.count()
  if (waiting > 0) log.warn('recording.not-uploaded', { recordings: waiting })
}
