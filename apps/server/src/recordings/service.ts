// Use cases of recordings.
import { readChainLine } from '@bowline/asciicast/chain'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { fail } from '@bowline/contract/errors'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Keyframe, RecordingIndex } from '@bowline/contract/schemas/recording'
import { audit, auditActor } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { isMissing, StoreError } from '../platform/s3/store-error.ts'
import { setRecorded } from '../sessions/service.ts'
import { type Table, keyframeAt, readScreen } from './file/index-file.ts'
import { type Range, firstKeyframe } from './file/ranges.ts'
import { OtherNodeAway, type RecordingFile } from './file/reading.ts'
import type { Recordings } from './recordings.ts'
import { type Spool, openSpool, orAbandon } from './file/spool.ts'
import {
  type RecordingRow,
  deleteRecording,
  findRecording,
  findRecordingById,
  hasRecordings,
  listTypedCommands,
  setRecordingState,
} from './store.ts'

/** Identifies the recording of a session's channel. */
export interface SeatOf {
  readonly uid: SessionUid
  /** Index of the channel on its connection, from 0. */
  readonly seat: number
}

/**
 * Opens a recording for reading; the caller closes the file.
 * @throws {BowlineError} NOT_FOUND, also for sessions of other namespaces; UNAVAILABLE when the store does not answer
 */
export async function openRecording(
  ctx: TenantContext,
  recordings: Recordings,
  { uid, seat }: SeatOf,
): Promise<{ readonly row: RecordingRow; readonly file: RecordingFile }> {
  const { row, file } = (await locate(ctx, recordings, { uid, seat })) ?? notFound()
  return { row, file: file ?? notFound() }
}

/**
 * The row of a recording and its file, which the caller closes; undefined where there is none.
 * @throws {BowlineError} UNAVAILABLE when the store does not answer, or another node has the file and cannot be asked:
 *   only that one can tell whether it is missing
 */
export async function locate(
  ctx: Pick<TenantContext, 'db' | 'log'>,
  recordings: Recordings,
  { uid, seat }: SeatOf,
): Promise<{ readonly row: RecordingRow; readonly file: RecordingFile | undefined } | undefined> {
  const row = await findRecording(ctx.db, uid, seat)
  if (!row) return undefined
  try {
    return { row, file: await recordings.open(row, 'cast') }
  } catch (error) {
    // It may have been moved to the store in between.
    const now = await findRecording(ctx.db, uid, seat)
    if (!now || now.place === row.place) return { row, file: failed(error) }
    return { row: now, file: await recordings.open(now, 'cast').catch((second: unknown) => failed(second)) }
  }

  function failed(error: unknown): undefined {
    if (error instanceof OtherNodeAway) {
      fail('UNAVAILABLE', {
        what: 'the server with the recording cannot be reached, and the store does not have it yet',
      })
    }
    ctx.log.error('recording.failed', { session: uid, seat, err: error })
    if (error instanceof StoreError && !isMissing(error)) storeAway(error)
    return undefined
  }
}

/**
 * Opens the file of a recording by its id; the caller closes it. Undefined when there is no such recording.
 * Rejects when it cannot be read.
 */
export async function openById(
  { db }: Pick<TenantContext, 'db'>,
  recordings: Recordings,
  id: string,
): Promise<RecordingFile | undefined> {
  const row = await findRecordingById(db, id)
  if (!row) return undefined
  try {
    return await recordings.open(row, 'cast')
  } catch (error) {
    // It may have been moved to the store, or deleted, in between.
    const now = await findRecordingById(db, id)
    if (!now) return undefined
    if (now.place === row.place) throw error
    return recordings.open(now, 'cast')
  }
}

/** Length and keyframes of a recording. @throws {BowlineError} NOT_FOUND */
export async function getIndex(ctx: TenantContext, recordings: Recordings, which: SeatOf): Promise<RecordingIndex> {
  const row = (await findRecording(ctx.db, which.uid, which.seat)) ?? notFound()
  const table = await withIndex(ctx, recordings, row, (_, found) => Promise.resolve(found))
  return {
    state: row.state,
    indexed: table !== undefined,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    seconds: (table?.atMs ?? 0) / 1_000,
    bytes: row.bytes,
    keyframes: (table?.keyframes ?? []).map(({ atMs, offset, columns, rows }) => ({
      time: atMs / 1_000,
      offset,
      columns,
      rows,
    })),
    commands: (await listTypedCommands(ctx.db, row.id)).map(({ atMs, text }) => ({ time: atMs / 1_000, text })),
  }
}

/**
 * The screen at the last keyframe at or before a time; empty until the recording is indexed.
 * @throws {BowlineError} NOT_FOUND
 */
export async function getKeyframe(
  ctx: TenantContext,
  recordings: Recordings,
  which: SeatOf,
  seconds: number,
): Promise<Keyframe> {
  const { row, file } = await openRecording(ctx, recordings, which)
  const find = async () =>
    (await findKeyframe(ctx, recordings, row, seconds * 1_000)) ?? {
      ...((await firstKeyframe(file)) ?? notFound()),
      screen: '',
    }
  const { atMs, ...keyframe } = await find()
    .catch(storeAway)
    .finally(() => file.close())
  return { time: atMs / 1_000, ...keyframe }
}

/**
 * Finds the range to read for a part of a recording; undefined for all of it.
 * @param part seconds since the start
 */
export async function findRange(
  ctx: TenantContext,
  recordings: Recordings,
  row: RecordingRow,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
): Promise<Range | undefined> {
  if (from === undefined && to === undefined) return undefined
  const fromMs = (from ?? 0) * 1_000
  const keyframe = fromMs > 0 ? await findKeyframe(ctx, recordings, row, fromMs) : undefined
  return { fromMs, toMs: to === undefined ? Infinity : to * 1_000, ...(keyframe ? { keyframe } : {}) }
}

function findKeyframe(ctx: TenantContext, recordings: Recordings, row: RecordingRow, atMs: number) {
  return withIndex(ctx, recordings, row, async (file, table) => {
    const place = keyframeAt(table, atMs)
    if (!place) return undefined
    const { columns, rows, offset } = place
    return { atMs: place.atMs, offset, columns, rows, screen: await readScreen(file, place) }
  })
}

/** Reads from the index of a recording; undefined if it is missing or unreadable. */
async function withIndex<T>(
  ctx: TenantContext,
  recordings: Recordings,
  row: RecordingRow,
  read: (file: RecordingFile, table: Table) => Promise<T>,
): Promise<T | undefined> {
  if (row.indexed !== 'yes') return undefined
  let file: RecordingFile | undefined
  try {
    file = await recordings.open(row, 'index')
    return await read(file, await recordings.table(row.id, file))
  } catch (error) {
    ctx.log.error('recording.failed', { session: row.session_uid, seat: row.seat, err: error })
    return undefined
  } finally {
    await file?.close()
  }
}

/** Deletes a recording. @throws {BowlineError} NOT_FOUND */
export async function removeRecording(
  ctx: TenantContext,
  recordings: Recordings,
  { uid, seat }: SeatOf,
  action: 'recording.remove' | 'recording.expire' = 'recording.remove',
): Promise<void> {
  const row = (await findRecording(ctx.db, uid, seat)) ?? notFound()
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteRecording(db, row.id))) notFound()
    await audit({ ...ctx, db }, action, uid, { seat, recording: row.id })
    const reason = action === 'recording.expire' ? 'expired' : 'deleted'
    const event = { kind: 'remove', recording: row.id, reason, by: auditActor(ctx.actor) } as const
    await recordings.ledger.appendIn({ ...ctx, db }, event)
  })
  await recordings.remove(row.id)
  if (!(await hasRecordings(ctx.db, uid))) await setRecorded(ctx, uid, false)
}

export interface PostedFrame {
  readonly message: string
  /** Terminal size in characters. */
  readonly width: number
  readonly height: number
}

/**
 * Appends output from another part of the platform to its recording and reseals it.
 * @throws {BowlineError} CONFLICT when the gateway records the seat: its recordings never change; UNAVAILABLE without
 *   disk space, or when the store has the recording and does not answer
 */
export async function addFrame(
  ctx: TenantContext,
  recordings: Recordings,
  { uid, seat }: SeatOf,
  { message, width, height }: PostedFrame,
): Promise<void> {
  const row = await findRecording(ctx.db, uid, seat)
  if (row && !row.posted) fail('CONFLICT', { field: 'seat' }, ['seat'])
  await recordings.requireRoom().catch(() => fail('UNAVAILABLE', { what: 'the disk for recordings is full' }))
  const now = ctx.clock.now()
  let id: string
  let spool: Spool
  let startedAt = now
  let lastMs = 0
  let head = ''
  if (row) {
    ;({ id } = row)
    if (row.place === 'object') await recordings.bringBack(id).catch(storeAway)
    startedAt = row.started_at.getTime()
    const end = await lastSeal(recordings, id)
    lastMs = end.atMs
    await setRecordingState(ctx.db, id, 'recording', end.bytes)
    await recordings.key.refresh()
    spool = await openSpool(recordings.path(id), id, recordings.key.sign, end)
  } else {
    const made = await recordings.create(ctx, { session: uid, seat, posted: true })
    ;({ id, spool } = made)
    head = headerLine({ columns: width, rows: height, timestamp: Math.floor(now / 1_000) }) + made.identity
  }
  const lines = createEventLines(lastMs)
  const size = lines.next('r', `${width}x${height}`, now - startedAt)
  const seal = await orAbandon(spool, async () => {
    await spool.write(head + size + lines.next('o', message, now - startedAt))
    return spool.seal('complete', lines.atMs)
  })
  await recordings.sealed(ctx, id, seal, spool.bytes)
}

/** Upper bound of a seal's length. */
const SEAL_BYTES = 2_048

/** Offset and content of a file's seal. */
async function lastSeal(recordings: Recordings, id: string) {
  const file = await recordings.openFile(id)
  const end = async () => {
    const { size } = await file.stat()
    return { size, ...(await file.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, Math.max(0, size - SEAL_BYTES))) }
  }
  const { size, buffer, bytesRead } = await end().finally(() => file.close())
  const last =
    buffer
      .subarray(0, bytesRead)
      .toString('latin1')
      .split(/(?<=\n)/)
      .at(-1) ?? ''
  const line = readChainLine(last)
  if (line?.kind !== 'seal') return fail('CONFLICT', { field: 'seat' }, ['seat'])
  const { chunks, hash, atMs } = line.seal
  return { chain: { chunks, hash }, bytes: size - last.length, atMs }
}

/** Maps store errors to UNAVAILABLE: they are no defects of the server. */
export function storeAway(error: unknown): never {
  if (error instanceof StoreError) return fail('UNAVAILABLE', { what: 'the store of recordings does not answer' })
  throw error
}

function notFound(): never {
  return fail('NOT_FOUND', { what: 'The recording' })
}
