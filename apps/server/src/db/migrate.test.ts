import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, type Migration, MIGRATIONS_FOLDER, readMigrations } from './migrate.ts'
import { asOwner, type OwnerConnection } from './owner-session.ts'
import { emptyDatabase } from '../testing/database.ts'

let owner: OwnerConnection
let drop: () => Promise<void>
beforeEach(async () => {
  const database = await emptyDatabase()
  owner = database.owner
  drop = () => database.close()
})
afterEach(() => drop())

const first: Migration = { version: 1, name: 'one', sql: 'create table one (n integer)', checksum: 'a' }
const second: Migration = { version: 2, name: 'two', sql: 'create table two (n integer)', checksum: 'b' }
const run = (...migrations: Migration[]) => asOwner(owner, (client) => migrate(client, migrations))
const tables = () =>
  asOwner(owner, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
    return rows.map(({ name }) => name)
  })

describe('migrate', () => {
  it('runs missing migrations, each once', async () => {
    expect(await run(first)).toEqual([first])
    expect(await run(first, second)).toEqual([second])
    expect(await run(first, second)).toEqual([])
    expect(await tables()).toEqual(['one', 'schema_migrations', 'two'])
  })

  it('runs each migration once when two servers start together', async () => {
    const both = await Promise.all([run(first, second), run(first, second)])
    expect(both.flat()).toEqual([first, second])
  })

  it('rolls a failed migration back and keeps the earlier ones', async () => {
    const broken = { ...second, sql: 'create table two (n integer); select 1/0' }
    await expect(run(first, broken)).rejects.toThrow('Migration 2 two failed')
    expect(await tables()).toEqual(['one', 'schema_migrations'])
    expect(await run(first, second)).toEqual([second])
  })

  it('refuses a changed or renamed applied migration', async () => {
    await run(first)
    await expect(run({ ...first, checksum: 'c' })).rejects.toThrow(/is never changed/)
    await expect(run({ ...first, name: 'uno' })).rejects.toThrow(/is never changed/)
  })

  it('refuses a database of a newer server without touching it', async () => {
    await run(first, second)
    await expect(run(first)).rejects.toThrow(
      'The database was made by a newer Bowline (migration 2 two; this one knows 1)',
    )
  })
})

describe('readMigrations', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowline-migrations-'))
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('reads the shipped migrations in order', async () => {
    const migrations = await readMigrations(folder)
    expect(migrations).toHaveLength((await readdir(folder)).length)
    expect(migrations[0]).toMatchObject({ version: 1, name: 'foundation' })
    expect(migrations[0]?.checksum).toMatch(/^[0-9a-f]{64}$/)
  })

  it('refuses a gap, a duplicate number and any other file among the migrations', async () => {
    const next = (await readdir(folder)).length + 1
    await writeFile(join(folder, `${String(next + 1).padStart(4, '0')}_later.sql`), '')
    await expect(readMigrations(folder)).rejects.toThrow('is out of order')
    await rm(join(folder, `${String(next + 1).padStart(4, '0')}_later.sql`))
    await writeFile(join(folder, '0001_zwilling.sql'), '')
    await expect(readMigrations(folder)).rejects.toThrow('is out of order')
    await rm(join(folder, '0001_zwilling.sql'))
    await writeFile(join(folder, 'notes.txt'), '')
    await expect(readMigrations(folder)).rejects.toThrow('is not named NNNN_name.sql')
  })
})
