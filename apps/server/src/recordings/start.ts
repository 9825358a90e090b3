// Recordings as a part of the server: what an earlier life has left is sealed, what is sealed is indexed, and what is
// indexed goes to the store, when there is one.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type S3Settings, createS3Client } from '../platform/s3/client.ts'
import { type Indexing, createIndexing } from './index/indexing.ts'
import { createHeadLog } from './ledger/heads.ts'
import { createObjects } from './offload/objects.ts'
import { type Recordings, type RecordingsParts, createRecordings } from './recordings.ts'
import { type UploadState, type Uploads, createUploads } from './offload/uploads.ts'

/** For recordings that could not be indexed when they ended, that are posted from elsewhere, or that were deleted. */
const WORK_INTERVAL_MS = 60_000
/** Between two log lines with the heads of ledgers. */
const HEADS_INTERVAL_MS = 3_600_000

export interface RecordingsOptions extends Omit<RecordingsParts, 'sealed' | 'objects'> {
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  /** Without one recordings stay where they are. */
  readonly store: S3Settings | undefined
  /** Gets what is to be done at the end, in reverse order. */
  readonly onEnd: (ending: () => Promise<void>) => void
}

export interface StartedRecordings {
  readonly recordings: Recordings
  /** What is on its way to the store; undefined without one. */
  readonly uploads: UploadState | undefined
}

/** Starts recordings. The store is not waited for: a server starts without it, and tells so. */
export async function startRecordings(options: RecordingsOptions): Promise<StartedRecordings> {
  const { system, clock, store, onEnd, ...parts } = options
  const ending = new AbortController()
  const objects = store && createObjects(await createS3Client(store, ending.signal))
  const recordings = await createRecordings({
    ...parts,
    clock,
    ...(objects ? { objects } : {}),
    sealed: () => indexing.wake(),
  })
  const files = (id: string) => ({ cast: recordings.path(id), index: recordings.indexPath(id) })
  const indexing: Indexing = createIndexing({ ...parts, system, files, indexed: () => uploads?.wake() })
  const removeFiles = (id: string): Promise<void> => recordings.remove(id)
  const uploads: Uploads | undefined =
    objects && createUploads({ ...parts, system, clock, objects, files, removeFiles, ending })
  if (uploads) onEnd(() => uploads.close())
  onEnd(() => indexing.close())
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
  return { recordings, uploads: uploads?.state }
}
