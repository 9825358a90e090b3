import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, type Migration, MIGRATIONS_FOLDER, readHistory, readMigrations } from './migrate.ts'
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

const first: Migration = { version: 1, name: 'one', sql: 'create table one (n integer)', checksum: 'a', requires: 0 }
const second: Migration = { version: 2, name: 'two', sql: 'create table two (n integer)', checksum: 'b', requires: 0 }
const taking: Migration = { version: 3, name: 'three', sql: 'drop table one', checksum: 'c', requires: 2 }
const run = (...migrations: Migration[]) => asOwner(owner, (client) => migrate(client, migrations))
const applied = async (...migrations: Migration[]) => (await run(...migrations)).applied
const tables = () =>
  asOwner(owner, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
    return rows.map(({ name }) => name)
  })

// Earlier migrations are part of the first release. New columns of a new table may be anything.
const TAKING_AWAY = /\bdrop (table|column|function|view)\b|\brename\b|\balter column \w+ (set not null|type)\b/i

describe('migrate', () => {
  it('runs missing migrations, each once', async () => {
    expect(await applied(first)).toEqual([first])
    expect(await applied(first, second)).toEqual([second])
    expect(await applied(first, second)).toEqual([])
    expect(await tables()).toEqual(['one', 'schema_migrations', 'two'])
  })

  it('runs each migration once when two servers start together', async () => {
    const both = await Promise.all([applied(first, second), applied(first, second)])
    expect(both.flat()).toEqual([first, second])
  })

  it('rolls a failed migration back and keeps the earlier ones', async () => {
    const broken = { ...second, sql: 'create table two (n integer); select 1/0' }
    await expect(run(first, broken)).rejects.toThrow('Migration 2 two failed')
    expect(await tables()).toEqual(['one', 'schema_migrations'])
    expect(await applied(first, second)).toEqual([second])
  })

  it('refuses a changed or renamed applied migration', async () => {
    await run(first)
    await expect(run({ ...first, checksum: 'c' })).rejects.toThrow(/is never changed/)
    await expect(run({ ...first, name: 'uno' })).rejects.toThrow(/is never changed/)
  })

  it('runs beside a newer server that has only added, and beside one that still has what it needs', async () => {
    await run(first, second)
    expect(await run(first)).toMatchObject({ applied: [], unknown: [{ version: 2, name: 'two', requires: 0 }] })
    await run(first, second, taking)
    expect(await run(first, second)).toMatchObject({ applied: [], unknown: [{ version: 3, name: 'three' }] })
  })

  it('refuses a database from which a newer server has taken what this one needs, without touching it', async () => {
    await run(first, second, taking)
    await expect(run(first)).rejects.toThrow(
      'The database was made by a newer Bowline (migration 3 three; this one knows 1)',
    )
    expect(await tables()).toEqual(['schema_migrations', 'two'])
  })

  it('reads a history that knew no requirements', async () => {
    await run(first)
    await asOwner(owner, async (client) => {
      await client.query('alter table schema_migrations drop column requires')
      expect(await readHistory(client)).toMatchObject([{ version: 1, requires: 0 }])
    })
    expect(await applied(first, second)).toEqual([second])
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

  it('reads which servers a migration ends', async () => {
    const next = (await readdir(folder)).length + 1
    const file = join(folder, `${String(next).padStart(4, '0')}_contract.sql`)
    await writeFile(file, '-- Nobody reads it any more.\n-- requires servers with migration 0063\nselect 1;\n')
    expect((await readMigrations(folder)).at(-1)).toMatchObject({ version: next, requires: 63 })
  })

  it('takes a column or a table away only where it says which servers can do without', async () => {
    const silent = (await readMigrations(folder)).filter(
      ({ version, sql, requires }) => version > 64 && requires === 0 && TAKING_AWAY.test(sql),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
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
