// The recordings of this node: a folder with one file each, named by the recording's own id – text from users or
// devices is never part of a path.
import { randomUUID } from 'node:crypto'
import { type FileHandle, constants, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Seal } from '@bowline/asciicast/chain'
import { identityLine } from '@bowline/asciicast/identity'
import { type Verifier, createVerifier } from '@bowline/asciicast/verify'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import type { RecordingKeys } from '../instance/recording-keys.ts'
import { addOutput, setRecorded } from '../sessions/service.ts'
import type { Table } from './file/index-file.ts'
import { sha256 } from './ledger/entry.ts'
import { type Ledger, type LedgerContext, createLedger } from './ledger/ledger.ts'
import { type Kind, NO_STORE, type Objects } from './offload/objects.ts'
import { sealLost } from './lost.ts'
import { OtherNodeAway, type RecordingFile } from './file/reading.ts'
import { type Recorder, createRecorder } from './record/recorder.ts'
import { type RecordingKey, createRecordingKey } from './recording-key.ts'
import { NoRoom, requireRoom, watchRoom } from './file/disk-space.ts'
import { findSessionFacts, fingerprintOf } from './session-facts-store.ts'
import { type Spool, openSpool, orAbandon } from './file/spool.ts'
import { createTableCache } from './file/table-cache.ts'
import { type RecordingRow, findKnownIds, findStoredIds, insertRecording, setRecordingState } from './store.ts'

/** The seat to record. */
export interface RecordedSeat {
  readonly session: SessionUid
  readonly seat: number
  readonly columns: number
  readonly rows: number
  readonly term: string
  readonly hasTerminal: boolean
  /** Command; '' for a shell. */
  readonly command: string
  /** Nothing may pass unrecorded. */
  readonly required: boolean
}

export interface Recordings {
  /** Starts recording a seat. @param failed called when it cannot continue; already audited and logged */
  start(ctx: TenantContext, seat: RecordedSeat, failed: (message: string) => void): Recorder
  /** Rejects without disk space for recordings. */
  requireRoom(): Promise<void>
  /** Bytes that recordings may still use; negative when the disk is full or does not answer. */
  room(): Promise<number>
  /** Creates a row and its file. */
  create(
    ctx: TenantContext,
    seat: { session: SessionUid; seat: number; posted: boolean; command?: string },
  ): Promise<NewRecording>
  path(id: string): string
  /** Path of the index beside it. */
  indexPath(id: string): string
  /**
   * Opens a recording or its index at its row's location. Rejects if missing or not a file of ours, with `OtherNodeAway`
   * if another node has it and cannot be asked.
   */
  open(where: RecordingLocation, kind: Kind): Promise<RecordingFile>
  /** Opens a recording or its index on this node's disk. Rejects if missing or not a file of ours. */
  openHere(file: { readonly id: string; readonly kind: Kind }): Promise<FileHandle>
  /** Table of an open index. Rejects if the index is incomplete. */
  table(id: string, file: RecordingFile): Promise<Table>
  /** Opens its file for reading. Rejects if missing or not a file of ours. */
  openFile(id: string): Promise<FileHandle>
  /** Downloads its object into its file. */
  bringBack(id: string): Promise<void>
  /** Removes its files; deleting the row removes its objects. */
  remove(id: string): Promise<void>
  readonly key: RecordingKey
  readonly ledger: Ledger
  /** Records the seal of a file in its row and in the ledger. */
  sealed(ctx: LedgerContext, id: string, seal: Seal, bytes: number): Promise<void>
  /** Verifies the bytes of a recording. */
  verifier(id: string): Verifier
  /** At start: seals files left by an earlier run. @param db system connection */
  sealLost(db: Kysely<Schema>): Promise<void>
  /** At start: removes files that the store has. @param db system connection */
  removeStored(db: Kysely<Schema>): Promise<void>
  /** Removes files whose session is gone. @param db system connection */
  removeOrphans(db: Kysely<Schema>): Promise<void>
  /** Waits until everything is sealed; the gateway has ended every session before. */
  close(): Promise<void>
}

/** Location of a recording. */
export type RecordingLocation = Pick<RecordingRow, 'id' | 'place' | 'node'>

export interface NewRecording {
  readonly id: string
  readonly spool: Spool
  /** Line after the header that identifies the recording. */
  readonly identity: string
}

export interface RecordingsParts {
  readonly folder: string
  readonly node: string
  readonly log: Log
  readonly clock: Clock
  readonly key: RecordingKeys
  /** Reads the keys again, for one created by another process. */
  readonly reloadKeys?: () => Promise<RecordingKeys>
  /** Opens a file on the disk of another node; undefined where none can be asked. */
  readonly openElsewhere?: (node: string, file: { readonly id: string; readonly kind: Kind }) => Promise<RecordingFile>
  /** The store, when there is one. */
  readonly objects?: Objects
  /** Called when a recording is finished. */
  readonly sealed: () => void
}

/** Creates the folder. */
export async function createRecordings(parts: RecordingsParts): Promise<Recordings> {
  const { folder, node, log, clock, objects = NO_STORE } = parts
  const { openElsewhere = () => Promise.reject(new OtherNodeAway()) } = parts
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const key = createRecordingKey(parts.key, parts.reloadKeys)
  const ledger = createLedger(key)
  const finishing = new Set<Promise<void>>()
  const tables = createTableCache()
  const room = watchRoom(folder)
  const path = (id: string): string => join(folder, `${id}.cast`)
  const indexPath = (id: string): string => join(folder, `${id}.index`)
  const openPath = (file: string): Promise<FileHandle> => open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  const openFile = (id: string): Promise<FileHandle> => openPath(path(id))
  const openHere: Recordings['openHere'] = ({ id, kind }) => openPath(kind === 'cast' ? path(id) : indexPath(id))

  async function create(
    ctx: TenantContext,
    { session, seat, posted, command = '' }: Parameters<Recordings['create']>[1],
  ): Promise<NewRecording> {
    await requireRoom(folder)
    const facts = await findSessionFacts(ctx.db, session)
    if (!facts) throw new Error('There is no such session.')
    await key.refresh()
    // A recording keeps its first key, even if the key is replaced meanwhile.
    const { published, sign } = key
    const id = randomUUID()
    const startedAt = new Date(ctx.clock.now())
    const { line, text } = identityLine({
      recording: id,
      key: published.id,
      tenant: ctx.tenant,
      session,
      seat,
      device: facts.device,
      device_key: fingerprintOf(facts.devicePem),
      user: facts.user,
      address: facts.address,
      started_at: startedAt.toISOString(),
      command: storable(command),
    })
    const event = { kind: 'start', recording: id, session, seat, device: facts.device, identity: sha256(text) } as const
    await ledger.append(ctx, event, (db) =>
      insertRecording(db, {
        id,
        tenant_id: ctx.tenant,
        session_uid: session,
        seat,
        posted,
        node,
        command: storable(command),
        started_at: startedAt,
      }),
    )
    const spool = await openSpool(path(id), id, sign)
    await orAbandon(spool, () => setRecorded(ctx, session, true))
    return { id, spool, identity: line }
  }

  async function sealed(ctx: LedgerContext, id: string, seal: Seal, bytes: number): Promise<void> {
    const { state, chunks, hash } = seal
    await ledger.append(ctx, { kind: 'seal', recording: id, state, chunks, hash }, (db) =>
      setRecordingState(db, id, state, bytes),
    )
  }

  function start(ctx: TenantContext, seat: RecordedSeat, failed: (message: string) => void): Recorder {
    let id = ''
    const recorder = createRecorder({
      ...seat,
      clock: ctx.clock,
      requireRoom: () => requireRoom(folder),
      async open() {
        const made = await create(ctx, { ...seat, posted: false })
        ;({ id } = made)
        return made
      },
      failed(error) {
        const message = reasonOf(error)
        failed(message)
        void tellFailure(ctx, seat, message, error)
      },
      async finished(seal, bytes) {
        await sealed(ctx, id, seal, bytes)
        parts.sealed()
      },
      counted: (output, recorded) => addOutput(ctx, seat.session, { output, recorded }),
    })
    return {
      ...recorder,
      finish() {
        const done = recorder.finish().finally(() => finishing.delete(done))
        finishing.add(done)
        return done
      },
    }
  }

  async function remove(id: string): Promise<void> {
    for (const file of [path(id), indexPath(id)]) {
      for (const name of [file, `${file}.part`]) await rm(name, { force: true })
    }
  }

  /** Yields batches. */
  async function* idsOfFiles(): AsyncGenerator<string[]> {
    const names = await readdir(folder)
    const ids = [...new Set(names.flatMap((name) => /^([0-9a-f-]{36})\.(?:cast|index)/.exec(name)?.[1] ?? []))]
    for (let from = 0; from < ids.length; from += 1_000) yield ids.slice(from, from + 1_000)
  }

  async function tellFailure(ctx: TenantContext, which: RecordedSeat, reason: string, error: unknown): Promise<void> {
    const { session, seat, required } = which
    log.error('recording.failed', { session, seat, required, err: error })
    try {
      await audit(ctx, 'recording.fail', session, { seat, required, reason })
    } catch (err) {
      log.error('recording.failed', { session, seat, required, err })
    }
  }

  return {
    start,
    create,
    path,
    indexPath,
    async open({ id, place, node: holder }, kind) {
      if (place === 'object') return objects.open(id, kind)
      // Without a store all nodes share the folder.
      if (holder === node || !parts.objects) return openHere({ id, kind })
      return openHere({ id, kind }).catch((error: unknown) => {
        if (isAbsent(error)) return openElsewhere(holder, { id, kind })
        throw error
      })
    },
    openHere,
    table: (id, file) => tables.read(id, file),
    openFile,
    bringBack: (id) => objects.fetch(id, path(id)),
    key,
    ledger,
    sealed,
    verifier: (id) => createVerifier(id, key.isSigned),
    room,
    requireRoom: () => requireRoom(folder),
    remove,
    sealLost: (system) => sealLost({ system, node, log, clock, key, openFile, path, sealed }),
    async removeStored(db) {
      for await (const some of idsOfFiles()) for (const id of await findStoredIds(db, some)) await remove(id)
    },
    async removeOrphans(db) {
      for await (const some of idsOfFiles()) {
        const known = await findKnownIds(db, some)
        for (const id of some) if (!known.has(id)) await remove(id)
      }
    },
    async close() {
      while (finishing.size > 0) await Promise.all(finishing)
    },
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Message for users: file system errors contain paths. */
function reasonOf(error: unknown): string {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
  return isFull || error instanceof NoRoom ? new NoRoom().message : 'The recording could not be written.'
}

const MAX_COMMAND = 65_536

/** Makes text storable in PostgreSQL. */
function storable(text: string): string {
  return text.slice(0, MAX_COMMAND).toWellFormed().replaceAll('\0', '\uFFFD')
}
