// The archive of a namespace: a tar stream, made as it is read. Invariants: memory does not depend on the namespace's size;
// rows are one snapshot; names in the archive are made of our own words and ids, never of text from users or devices.
import { createHash } from 'node:crypto'
import type { RecordingKeyPeriod } from '@bowline/contract/schemas/recording'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { TenantContext } from '../context.ts'
import { TAR_END, tarEntry, tarHeader, tarPadding } from '../db/backup/tar.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { README } from './readme.ts'
import { type Left, recordingBytes } from './recordings.ts'
import { type Spool, openSpool } from './spool.ts'
import { readRows } from './store.ts'
import { EXPORTED, NOT_EXPORTED } from './tables.ts'

const FORMAT = 1
/** A part of a table ends with the row that fills it. */
const PART_BYTES = 4 * 1_048_576

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
  const mtimeSeconds = Math.floor(startedAt.getTime() / 1_000)
  const [rows, ids, sums, left] = await Promise.all([1, 2, 3, 4].map(() => openSpool(folder)))
  if (!rows || !ids || !sums || !left) throw new Error('a spool is missing')
  const addSum = (name: string, hash: string) => sums.append(Buffer.from(`${hash}  ${name}\n`))
  const entry = async (name: string, body: string | Uint8Array): Promise<Buffer> => {
    const bytes = Buffer.from(body)
    await addSum(name, createHash('sha256').update(bytes).digest('hex'))
    return tarEntry(name, bytes, mtimeSeconds)
  }
  const stopping = new AbortController()
  let writing: Promise<void> | undefined
  try {
    yield await entry('README.md', README)
    yield await entry('namespace.json', json(namespace))
    yield await entry('recording-keys.json', json(source.keys))
    yield await entry('billing/invoices.json', json(await invoicesOf(source)))
    writing = writeRows(source, { rows, ids, counts, entry, stopping: stopping.signal })
    writing.catch(() => undefined)
    yield* rows.follow()
    await writing
    for await (const id of ids.lines()) {
      const found = await recordingBytes(ctx, recordings, id)
      if ('reason' in found) {
        await note(left, found, counts)
        continue
      }
      const name = `recordings/${id}.cast`
      const hash = createHash('sha256')
      yield tarHeader(name, found.bytes, mtimeSeconds)
      for await (const piece of found.pieces()) {
        hash.update(piece)
        yield piece
      }
      yield tarPadding(found.bytes)
      await addSum(name, hash.digest('hex'))
      if (found.problem) await note(left, found.problem, counts)
      else counts.recordings += 1
    }
    yield* spooled('recordings-left-out.jsonl', left, { mtimeSeconds, addSum })
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
      left_out: {
        tables: NOT_EXPORTED,
        columns: Object.fromEntries(
          Object.entries(EXPORTED).flatMap(([table, { without }]) => (without ? [[table, without]] : [])),
        ),
      },
    }
    yield await entry('manifest.json', json(manifest))
    yield* spooled('SHA256SUMS', sums, { mtimeSeconds })
    yield TAR_END
  } finally {
    stopping.abort()
    await writing?.catch(() => undefined)
    await Promise.all([rows, ids, sums, left].map((spool) => spool.close()))
  }
}

interface RowsTarget {
  readonly rows: Spool
  /** Gets the ids of the recordings, one a line. */
  readonly ids: Spool
  readonly counts: ExportCounts
  readonly entry: (name: string, body: Uint8Array) => Promise<Buffer>
  readonly stopping: AbortSignal
}

/** Writes all tables as entries of the archive, from one snapshot. */
async function writeRows({ ctx }: ExportSource, { rows, ids, counts, entry, stopping }: RowsTarget): Promise<void> {
  try {
    await ctx.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (db) => {
        for (const [table, columns] of Object.entries(EXPORTED)) {
          let count = 0
          const batches = readRows(db, table, columns)
          for await (const part of parts(batches, (some) => (count += some.length), stopping)) {
            await rows.append(await entry(`tables/${table}.${part.name}.jsonl`, part.body))
          }
          counts.rows[table] = count
        }
        const onlyIds = { columns: ['id'], order: ['started_at', 'id'] }
        for await (const batch of readRows(db, 'recordings', onlyIds)) {
          stopping.throwIfAborted()
          await ids.append(Buffer.from(batch.map((line) => `${idIn(line)}\n`).join('')))
        }
      })
    rows.end()
    ids.end()
  } catch (error) {
    const reason = error instanceof Error ? error : new Error('the rows could not be read')
    rows.end(reason)
    ids.end(reason)
    throw error
  }
}

/** Joins rows to lines in parts of some megabytes; a table without rows has an empty one. */
async function* parts(
  batches: AsyncIterable<readonly string[]>,
  count: (rows: readonly string[]) => void,
  stopping: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly body: Buffer }> {
  let number = 1
  let pending: Buffer[] = []
  let bytes = 0
  const part = () => ({ name: String(number).padStart(4, '0'), body: Buffer.concat(pending) })
  for await (const batch of batches) {
    stopping.throwIfAborted()
    count(batch)
    const lines = Buffer.from(batch.map((line) => `${line}\n`).join(''))
    pending.push(lines)
    bytes += lines.length
    if (bytes < PART_BYTES) continue
    yield part()
    number += 1
    pending = []
    bytes = 0
  }
  if (bytes > 0 || number === 1) yield part()
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** The id is a uuid by its column's type: nothing else becomes part of a name. */
function idIn(line: string): string {
  return UUID.exec(line)?.[0] ?? ''
}

async function* spooled(
  name: string,
  spool: Spool,
  { mtimeSeconds, addSum }: { mtimeSeconds: number; addSum?: (name: string, hash: string) => Promise<void> },
): AsyncGenerator<Uint8Array> {
  spool.end()
  yield tarHeader(name, spool.bytes, mtimeSeconds)
  const hash = createHash('sha256')
  for await (const piece of spool.follow()) {
    hash.update(piece)
    yield piece
  }
  yield tarPadding(spool.bytes)
  await addSum?.(name, hash.digest('hex'))
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

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
