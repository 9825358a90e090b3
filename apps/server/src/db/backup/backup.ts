// Writes the whole database to one file. Invariants: a backup is a consistent snapshot, and a file with the final name
// is complete. Also the way to another PostgreSQL or another major version.
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { readHistory } from '../migrate.ts'
import { asOwner, type OwnerConnection } from '../owner-session.ts'
import { SYSTEM_ROLE } from '../roles.ts'
import { copyOut } from './copy.ts'
import {
  BackupRefused,
  END_NAME,
  type Manifest,
  MANIFEST_NAME,
  PART_BYTES,
  partName,
  type RowCounts,
} from './manifest.ts'
import { copyTarget, dataTables } from './tables.ts'
import { TAR_END, tarEntry } from './tar.ts'

export interface BackupOptions {
  /** Version of this server, for people who find the file. */
  readonly version: string
  /** Time of the backup. */
  readonly now: Date
  /** Includes the key that unseals the platform's private keys: the file then grants access to everything. */
  readonly secretKey?: string
}

/**
 * Writes the database to a new file, readable by its owner only. The server may keep running.
 * @throws {BackupRefused} when the file exists already
 */
export async function backup(owner: OwnerConnection, file: string, options: BackupOptions): Promise<RowCounts> {
  if (await exists(file)) throw new BackupRefused(`${file} exists already; a backup is not overwritten.`)
  const part = `${file}.part`
  await rm(part, { force: true })
  try {
    const counts = await asOwner(owner, async (client) => {
      const rows = new Map<string, number>()
      await pipeline(
        Readable.from(archive(client, options, rows), { objectMode: false }),
        createGzip(),
        createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }),
      )
      return Object.fromEntries(rows)
    })
    await rename(part, file)
    await syncFolderOf(file)
    return counts
  } finally {
    await rm(part, { force: true })
  }
}

/** Tar archive of the database as seen by one transaction. Fills `rows`. */
async function* archive(
  client: Client,
  options: BackupOptions,
  rows: Map<string, number>,
): AsyncGenerator<Buffer, void, undefined> {
  const mtimeSeconds = Math.floor(options.now.getTime() / 1_000)
  const entry = (name: string, body: Uint8Array) => tarEntry(name, body, mtimeSeconds)
  await client.query('set search_path = public')
  await client.query('begin isolation level repeatable read read only')
  const manifest: Manifest = {
    product: 'bowline',
    format: 1,
    version: options.version,
    created_at: options.now.toISOString(),
    migrations: (await readHistory(client)).map(({ version, name, checksum }) => ({ version, name, checksum })),
    tables: await dataTables(client).then((tables) =>
      tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
    ),
    ...(options.secretKey !== undefined && { secret_key: options.secretKey }),
  }
  yield entry(MANIFEST_NAME, Buffer.from(JSON.stringify(manifest, null, 2)))
  // Row-level security hides namespace rows from the owner.
  await client.query(`set local role ${SYSTEM_ROLE}`)
  // Deleted ones that can still be restored belong to it.
  await client.query("set local bowline.closed = 'shown'")
  for (const table of manifest.tables) {
    let count = 0
    let part = 0
    const rowsOfTable = countRows(copyOut(client, `copy ${copyTarget(table)} to stdout`), () => (count += 1))
    for await (const body of parts(rowsOfTable)) {
      part += 1
      yield entry(partName(table.name, part), body)
    }
    rows.set(table.name, count)
  }
  await client.query('commit')
  yield entry(END_NAME, Buffer.from(JSON.stringify({ rows: Object.fromEntries(rows) })))
  yield TAR_END
}

async function* countRows(rows: AsyncIterable<Buffer>, count: () => void): AsyncGenerator<Buffer> {
  for await (const row of rows) {
    count()
    yield row
  }
}

/** Joins whole rows into parts of at least PART_BYTES, except the last one. */
async function* parts(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let bytes = 0
  for await (const row of rows) {
    pending.push(row)
    bytes += row.length
    if (bytes < PART_BYTES) continue
    yield Buffer.concat(pending)
    pending = []
    bytes = 0
  }
  if (pending.length) yield Buffer.concat(pending)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Syncs the folder: otherwise a power failure may undo the rename. */
async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(dirname(file))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
