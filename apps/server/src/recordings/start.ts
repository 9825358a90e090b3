// Recordings as a part of the server: what an earlier life has left is sealed, and what is sealed is indexed.
import { type Indexing, createIndexing } from './indexing.ts'
import { type Recordings, type RecordingsParts, createRecordings } from './recordings.ts'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Clock } from '../platform/clock.ts'

/** For recordings that could not be indexed when they ended, or that are posted from elsewhere. */
const INDEX_INTERVAL_MS = 60_000

/**
 * Starts recordings.
 * @param system connection to every namespace
 * @param onEnd gets what is to be done at the end, in reverse order
 */
export async function startRecordings(
  parts: Omit<RecordingsParts, 'sealed'>,
  system: Kysely<Schema>,
  clock: Clock,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<Recordings> {
  const recordings = await createRecordings({ ...parts, sealed: () => indexing.wake() })
  const files = (id: string) => ({ cast: recordings.path(id), index: recordings.indexPath(id) })
  const indexing: Indexing = createIndexing({ system, node: parts.node, log: parts.log, files })
  onEnd(() => indexing.close())
  onEnd(() => recordings.close())
  const stop = clock.every(INDEX_INTERVAL_MS, () => indexing.wake())
  onEnd(() => Promise.resolve(stop()))
  await recordings.sealLost(system)
  indexing.wake()
  return recordings
}
