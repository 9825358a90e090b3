// Loads a backup. Invariants: it is atomic and overwrites nothing.
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import type { z } from 'zod'
import {
  applyMigration,
  type Migration,
  MIGRATIONS_FOLDER,
  prepareHistory,
  readMigrations,
  refuseForeign,
  whileLocked,
} from '../migrate.ts'
import { asOwner, DatabaseRefused, type OwnerConnection } from '../owner-session.ts'
import { ensureWorkingRoles } from '../roles.ts'
import { copyIn } from './copy.ts'
import {
  BackupRefused,
  End,
  END_NAME,
  Manifest,
  MANIFEST_NAME,
  MAX_ENTRY_BYTES,
  type RowCounts,
  tableOfPart,
} from './manifest.ts'
import { copyTarget, dataTables, openForLoading, type TableColumns } from './tables.ts'
import { readTar, type TarEntry } from './tar.ts'

export interface Restored {
  readonly rows: RowCounts
  /** Version of the server that wrote the backup. */
  readonly version: string
  /** `BOWLINE_SECRET_KEY`, if the backup has it; without it the platform's private keys stay sealed. */
  readonly secretKey: string | undefined
}

/**
 * Loads a backup into an empty database and migrates it to this server's version.
 * @throws {BackupRefused} when the file is damaged, incomplete or not a backup
 * @throws {DatabaseRefused} when the database is not empty, or the backup was written by a newer server
 */
export async function restore(owner: OwnerConnection, file: string): Promise<Restored> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  return asOwner(owner, async (client, facts) => {
    await ensureWorkingRoles(client, facts)
    return whileLocked(client, async () => {
      await refuseFull(client)
      await client.query('begin')
      try {
        const restored = await load(client, file, migrations)
        await client.query('commit')
        return restored
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    })
  })
}

async function refuseFull(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') order by 1 limit 1`,
  )
  if (rows[0]) {
    throw new DatabaseRefused(
      `The database is not empty: it has ${rows[0].name}. A backup is restored into a new data folder or a new database.`,
    )
  }
}

/** Loads everything, from the first table to the final counts, in the caller's transaction. */
async function load(client: Client, file: string, migrations: readonly Migration[]): Promise<Restored> {
  const entries = readArchive(file)
  const manifest = parse(Manifest, MANIFEST_NAME, (await entries.next()).value)
  refuseForeign('The backup', manifest.migrations, migrations)
  await prepareHistory(client)
  for (const migration of migrations.slice(0, manifest.migrations.length)) await applyMigration(client, migration)
  const tables = await matchTables(client, manifest)
  const closeAfterLoading = await openForLoading(client, [...tables.values()])
  const rows = new Map([...tables.keys()].map((name) => [name, 0]))
  let hasEnded = false
  // Up to the last byte of the file: its checksum follows the last entry.
  for await (const entry of entries) {
    if (hasEnded) throw new BackupRefused(`The backup is damaged: ${entry.name} follows its end.`)
    if (entry.name === END_NAME) {
      compareCounts(parse(End, END_NAME, entry).rows, rows)
      hasEnded = true
      continue
    }
    const name = tableOfPart(entry.name) ?? ''
    const table = tables.get(name)
    if (!table) throw new BackupRefused(`The backup has an unknown entry ${entry.name}.`)
    rows.set(name, (rows.get(name) ?? 0) + (await copyIn(client, `copy ${copyTarget(table)} from stdin`, entry.body)))
  }
  if (!hasEnded) throw new BackupRefused('The backup is incomplete: its end is missing.')
  await closeAfterLoading()
  for (const migration of migrations.slice(manifest.migrations.length)) await applyMigration(client, migration)
  return { rows: Object.fromEntries(rows), version: manifest.version, secretKey: manifest.secret_key }
}

/** Tables of the manifest, checked against the schema: names from a file reach SQL only if they match. */
async function matchTables(client: Client, manifest: Manifest): Promise<Map<string, TableColumns>> {
  const inSchema = new Map((await dataTables(client)).map((table) => [table.name, table]))
  for (const { name, columns } of manifest.tables) {
    const known = inSchema.get(name)
    if (!known || columns.some((column) => !known.columns.includes(column))) {
      throw new BackupRefused(`The backup has a table ${name} that its own migrations do not make.`)
    }
  }
  return new Map(manifest.tables.map((table) => [table.name, table]))
}

function compareCounts(expected: RowCounts, loaded: ReadonlyMap<string, number>): void {
  for (const name of new Set([...Object.keys(expected), ...loaded.keys()])) {
    if (expected[name] !== loaded.get(name)) {
      throw new BackupRefused(
        `The backup is damaged: of ${name} it should have ${expected[name] ?? 0} rows and has ${loaded.get(name) ?? 0}.`,
      )
    }
  }
}

/** @yields the entries of the file; damage on any layer is a BackupRefused */
async function* readArchive(file: string): AsyncGenerator<TarEntry, undefined, undefined> {
  const gunzip = createGunzip()
  // Failures surface at the reader of `gunzip`.
  const reading = pipeline(createReadStream(file), gunzip).catch(() => undefined)
  try {
    yield* readTar(gunzip, MAX_ENTRY_BYTES)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BackupRefused(`${file} cannot be read as a backup: ${reason}`, { cause })
  } finally {
    gunzip.destroy()
    await reading
  }
}

function parse<T>(schema: z.ZodType<T>, name: string, entry: TarEntry | undefined): T {
  if (entry?.name !== name) throw new BackupRefused(`This is not a backup: ${name} is not where it belongs.`)
  try {
    return schema.parse(JSON.parse(entry.body.toString('utf8')))
  } catch (cause) {
    throw new BackupRefused(`This is not a backup that can be read here: ${name} is not understood.`, { cause })
  }
}
