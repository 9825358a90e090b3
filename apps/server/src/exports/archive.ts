// The archive of a namespace: a tar stream, made as it is read. Invariants: memory does not depend on the namespace's size;
// rows are one snapshot; names in the archive are made of our own words and ids, never of text from users or devices.
import type { RecordingKeyPeriod } from '@bowline/contract/schemas/recording'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import { TAR_END } from '../db/backup/tar.ts'
import type { Schema } from '../db/schema.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { archiveEntries, json } from './entries.ts'
import { README } from './readme.ts'
import { type Left, recordingBytes } from './recordings.ts'
import { leftOut, writeRows } from './rows.ts'
import { type Spool, openSpool } from './spool.ts'
import { readRows } from './store.ts'
import { EXPORTED, NOT_EXPORTED } from './tables.ts'

const FORMAT = 1

export interface ExportSource {
  /** Of the namespace. */
  readonly ctx: Pick<TenantContext, 'db' | 'clock' | 'log'>
  readonly namespace: Namespace
  readonly recordings: Recordings
  readonly keys: readonly RecordingKeyPeriod[]
  /** Invoices at the payment provider; rejects when it does not answer, undefined without one. */
  readonly invoices?: () => Promise<unknown>
  /** Version of this server. */
  readonly version: string
  /** For temporary files, which are as large as all rows. */
  readonly folder: string
}

/** What an archive has, for those who wrote it. */
export interface ExportCounts {
  rows: Record<string, number>
  recordings: number
  /** Recordings that could not be read. */
  left: number
}

/**
 * The bytes of the archive. Rows are read into a temporary file as fast as the database gives them, so that a slow reader
 * does not hold the snapshot.
 * @param counts filled meanwhile
 * @throws {NoRoom} when the disk is full
 */
export async function* exportArchive(source: ExportSource, counts: ExportCounts): AsyncGenerator<Uint8Array> {
  const { ctx, namespace, recordings, folder } = source
  const startedAt = new Date(ctx.clock.now())
  const [rows, ids, sums, left] = await Promise.all([1, 2, 3, 4].map(() => openSpool(folder)))
  if (!rows || !ids || !sums || !left) throw new Error('a spool is missing')
  const entries = archiveEntries(sums, Math.floor(startedAt.getTime() / 1_000))
  const stopping = new AbortController()
  let writing: Promise<void> | undefined
  try {
    yield await entries.whole('README.md', README)
    yield await entries.whole('namespace.json', json(namespace))
    yield await entries.whole('recording-keys.json', json(source.keys))
    yield await entries.whole('billing/invoices.json', json(await invoicesOf(source)))
    const target = { rows, counts: counts.rows, entries, stopping: stopping.signal }
    writing = writeRows(ctx.db, EXPORTED, target, (db) => writeIds(db, ids, stopping.signal))
    writing.catch(() => undefined)
    yield* rows.follow()
    await writing
    for await (const id of ids.lines()) {
      const found = await recordingBytes(ctx, recordings, id)
      if ('reason' in found) {
        await note(left, found, counts)
        continue
      }
      yield* entries.streamed(`recordings/${id}.cast`, found.bytes, found.pieces())
      if (found.problem) await note(left, found.problem, counts)
      else counts.recordings += 1
    }
    yield* entries.spooled('recordings-left-out.jsonl', left)
    const { tenant_id, name } = namespace
    const manifest = {
      product: 'bowline',
      content: 'namespace',
      format: FORMAT,
      version: source.version,
      created_at: startedAt.toISOString(),
      namespace: { tenant_id, name },
      rows: counts.rows,
      recordings: { included: counts.recordings, left_out: counts.left },
      left_out: leftOut(EXPORTED, NOT_EXPORTED),
    }
    yield await entries.whole('manifest.json', json(manifest))
    yield* entries.sums()
    yield TAR_END
  } finally {
    stopping.abort()
    await writing?.catch(() => undefined)
    await Promise.all([rows, ids, sums, left].map((spool) => spool.close()))
  }
}

/** Writes the ids of the recordings, one a line. */
async function writeIds(db: Kysely<Schema>, ids: Spool, stopping: AbortSignal): Promise<void> {
  for await (const batch of readRows(db, 'recordings', { columns: ['id'], order: ['started_at', 'id'] })) {
    stopping.throwIfAborted()
    await ids.append(Buffer.from(batch.map((line) => `${idIn(line)}\n`).join('')))
  }
  ids.end()
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** The id is a uuid by its column's type: nothing else becomes part of a name. */
function idIn(line: string): string {
  return UUID.exec(line)?.[0] ?? ''
}

async function note(spool: Spool, left: Left, counts: ExportCounts): Promise<void> {
  counts.left += 1
  await spool.append(Buffer.from(`${JSON.stringify(left)}\n`))
}

async function invoicesOf({ invoices, ctx }: ExportSource): Promise<unknown> {
  if (!invoices)
    return { available: false, reason: 'The namespace is no customer of a payment provider.', invoices: [] }
  try {
    return { available: true, invoices: await invoices() }
  } catch (error) {
    ctx.log.warn('export.incomplete', { err: error })
    return { available: false, reason: 'The payment provider did not answer.', invoices: [] }
  }
}
