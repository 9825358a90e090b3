import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type DeviceUid,
  SessionUid,
  TenantId,
  UserId,
  DeviceUid as parseDevice,
} from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { type Database, openDatabase } from '../database.ts'
import { asOwner, type OwnerConnection } from '../owner-session.ts'
import { emptyDatabase, testDatabase, type TestDatabase } from '../../testing/database.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'
import { readTar, TAR_END, tarEntry } from './tar.ts'

const options = { version: '1.2.3', now: new Date('2026-11-20T12:00:00.000Z') }
const DEVICES = 3_000
/** Every character that COPY's text format must escape, and multi-byte characters. */
const AWKWARD = 'tab\tline\nreturn\rback\\slash \\N \\. "quote" {brace} ünï → 🚀'

let test: TestDatabase
let folder: string
let file: string
beforeAll(async () => {
  test = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'bowline-backup-'))
  file = join(folder, 'good.tar.gz')
  await fill(test.database)
  await backup(test.owner, file, { ...options, secretKey: 'ab'.repeat(32) })
})
afterAll(async () => {
  await test.close()
  await rm(folder, { recursive: true, force: true })
})

async function fill(database: Database): Promise<void> {
  const all = database.system()
  const owner = UserId.parse(randomBytes(12).toString('hex'))
  const tenant = TenantId.parse(randomUUID())
  const user = { id: owner, name: AWKWARD, username: 'alice', email: 'alice@example.com', status: 'confirmed' } as const
  await all.insertInto('users').values(user).execute()
  await all
    .insertInto('namespaces')
    .values({ tenant_id: tenant, name: 'acme', owner, settings: { note: AWKWARD } })
    .execute()
  await all.updateTable('users').set({ preferred_tenant: tenant }).execute()
  await all
    .insertInto('members')
    .values({ tenant_id: tenant, user_id: owner, role: 'owner', status: 'accepted' })
    .execute()
  const uids = Array.from({ length: DEVICES }, (): DeviceUid => parseDevice.parse(randomBytes(32).toString('hex')))
  const devices = uids.map((uid, index) => ({
    uid,
    tenant_id: tenant,
    name: `device-${index}`,
    public_key: `${AWKWARD}${'k'.repeat(700)}`,
    tags: ['one', AWKWARD],
    latitude: Math.PI * index,
  }))
  await all.insertInto('devices').values(devices).execute()
  const session = SessionUid.parse(randomBytes(32).toString('hex'))
  const [device = parseDevice.parse('')] = uids
  await all
    .insertInto('sessions')
    .values({ uid: session, tenant_id: tenant, device_uid: device, username: 'root', type: 'term', seats: [0, 1] })
    .execute()
  const event = { tenant_id: tenant, session_uid: session, seat: 0, type: 'shell', data: { text: AWKWARD } }
  await all.insertInto('session_events').values([event, event, event]).execute()
  await all
    .insertInto('instance_keys')
    .values({ name: 'token', sealed: randomBytes(300) })
    .execute()
  await all.updateTable('instance').set({ setup: true }).execute()
}

/** All rows of all tables, sorted. */
async function contents(database: Database): Promise<Record<string, unknown>> {
  const tables = [
    'users',
    'namespaces',
    'members',
    'devices',
    'sessions',
    'session_events',
    'instance_keys',
    'instance',
  ]
  const rows = tables.map(async (table) => {
    const result = await sql`select to_jsonb(t)::text as row from ${sql.table(table)} t order by 1`.execute(
      database.system(),
    )
    return [table, result.rows] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

async function intoNew<T>(work: (owner: OwnerConnection) => Promise<T>): Promise<T> {
  const empty = await emptyDatabase()
  try {
    return await work(empty.owner)
  } finally {
    await empty.close()
  }
}

/** Copy of the valid backup with modified entries. */
async function changed(name: string, change: (name: string, body: Buffer) => Buffer | undefined): Promise<string> {
  const entries: Buffer[] = []
  async function* bytes() {
    yield gunzipSync(await readFile(file))
  }
  for await (const entry of readTar(bytes(), 2 ** 30)) {
    const body = change(entry.name, entry.body)
    if (body) entries.push(tarEntry(entry.name, body, 0))
  }
  const path = join(folder, name)
  await writeFile(path, gzipSync(Buffer.concat([...entries, TAR_END])))
  return path
}

describe('backup', () => {
  it('restores every row of a backup, and constraints, grants and policies', async () => {
    await intoNew(async (owner) => {
      const restored = await restore(owner, file)
      expect(restored).toMatchObject({ version: '1.2.3', secretKey: 'ab'.repeat(32) })
      expect(restored.rows).toMatchObject({
        users: 1,
        devices: DEVICES,
        session_events: 3,
        instance: 1,
        refresh_tokens: 0,
      })
      const database = await openDatabase({ owner, poolSize: 2, log: silentLog })
      expect(await contents(database)).toEqual(await contents(test.database))
      await expect(guards(owner)).resolves.toEqual(await guards(test.owner))
      await database.close()
      const next = await asOwner(owner, (client) =>
        client.query<{ next: number }>(
          `select nextval(pg_get_serial_sequence('session_events', 'id'))::integer as next`,
        ),
      )
      expect(next.rows).toEqual([{ next: 4 }])
    })
  })

  it('takes a consistent snapshot while transactions write', async () => {
    const moment = join(folder, 'moment.tar.gz')
    const all = test.database.system()
    const stop = new AbortController()
    const writing = (async () => {
      while (!stop.signal.aborted) {
        // A user and its login attempt, in one transaction.
        await all.transaction().execute(async (trx) => {
          const id = randomBytes(12).toString('hex')
          await trx
            .insertInto('users')
            .values({ id: UserId.parse(id), email: `${id}@example.com`, status: 'invited' })
            .execute()
          await trx
            .insertInto('login_attempts')
            .values({ source: id, identifier: Buffer.alloc(32), attempts: 1, expires_at: new Date() })
            .execute()
        })
      }
    })()
    const counts = await backup(test.owner, moment, options)
    stop.abort()
    await writing
    expect((counts['users'] ?? 0) - 1).toBe(counts['login_attempts'])
  })

  it('writes a backup with mode 0600, overwrites none and leaves no partial file', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect(backup(test.owner, file, options)).rejects.toThrow('exists already')
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('includes the secret key in a backup only on request', async () => {
    const path = join(folder, 'without.tar.gz')
    await backup(test.owner, path, options)
    expect(gunzipSync(await readFile(path)).includes('secret_key')).toBe(false)
    await intoNew(async (owner) => expect((await restore(owner, path)).secretKey).toBeUndefined())
  })
})

/** Constraints, indexes, privileges and forced row-level security. */
async function guards(owner: OwnerConnection): Promise<unknown> {
  return asOwner(owner, async (client) => {
    const constraints = await client.query(
      `select conname, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
       where connamespace = 'public'::regnamespace order by 1, 2`,
    )
    const tables = await client.query(
      `select relname, relrowsecurity, relforcerowsecurity, relacl::text from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
    const indexes = await client.query(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       join pg_class c on c.oid = indrelid where c.relnamespace = 'public'::regnamespace order by 1`,
    )
    return { constraints: constraints.rows, tables: tables.rows, indexes: indexes.rows }
  })
}

describe('restore', () => {
  it('refuses to restore into a non-empty database and leaves it unchanged', async () => {
    const before = await contents(test.database)
    await expect(restore(test.owner, file)).rejects.toThrow('The database is not empty')
    expect(await contents(test.database)).toEqual(before)
  })

  it.each([
    ['cut off', async () => (await readFile(file)).subarray(0, 20_000), /cannot be read as a backup/],
    ['not gzip', async () => Buffer.from('hello'), /cannot be read as a backup/],
    ['with another checksum', async () => withLastBytesChanged(await readFile(file)), /cannot be read as a backup/],
    ['empty', async () => Buffer.alloc(0), /cannot be read as a backup|not a backup/],
  ])('refuses to restore a file that is %s and leaves the database empty', async (name, bytes, message) => {
    const path = join(folder, `${name}.gz`)
    await writeFile(path, await bytes())
    await intoNew(async (owner) => {
      await expect(restore(owner, path)).rejects.toThrow(message)
      await expect(restore(owner, file)).resolves.toBeDefined()
    })
  })

  it('refuses a backup without its end, with a missing part or a duplicate part', async () => {
    const noEnd = await changed('no-end.gz', (name, body) => (name === 'end.json' ? undefined : body))
    const noPart = await changed('no-part.gz', (name, body) =>
      name.startsWith('tables/devices.0002') ? undefined : body,
    )
    const twice = await changed('twice.gz', (name, body) =>
      name.startsWith('tables/session_events') ? Buffer.concat([body, body]) : body,
    )
    await intoNew(async (owner) => {
      await expect(restore(owner, noEnd)).rejects.toThrow('its end is missing')
      await expect(restore(owner, noPart)).rejects.toThrow('of devices it should have')
      await expect(restore(owner, twice)).rejects.toThrow('of session_events it should have 3 rows and has 6')
    })
  })

  it('refuses a backup with rows that violate a constraint', async () => {
    const orphan = await changed('orphan.gz', (name, body) =>
      name === 'end.json'
        ? Buffer.from(body.toString().replace('"members":1', '"members":0'))
        : name.startsWith('tables/users')
          ? Buffer.from(body.toString().replace('alice@', 'ALICE@'))
          : name.startsWith('tables/members')
            ? undefined
            : body,
    )
    await intoNew(async (owner) => {
      await expect(restore(owner, orphan)).rejects.toThrow('email_is_lower_case')
    })
  })

  it('refuses a backup of a newer server or with tables its migrations do not create', async () => {
    const edit = (name: string, change: (text: string) => string) =>
      changed(name, (entry, body) => (entry === 'manifest.json' ? Buffer.from(change(body.toString())) : body))
    const newer = await edit('newer.gz', (text) =>
      text
        .replace('"migrations": [', '"migrations": [')
        .replace(/(\n {2}\],\n {2}"tables")/, ',{"version":9999,"name":"future","checksum":"x"}$1'),
    )
    const foreign = await edit('foreign.gz', (text) => text.replace('"name": "users"', '"name": "pg_authid"'))
    const injected = await edit('injected.gz', (text) =>
      text.replace('"recovery_email"', '"recovery_email) from program \'id\' --"'),
    )
    await intoNew(async (owner) => {
      await expect(restore(owner, newer)).rejects.toThrow(
        'The backup was made by a newer Bowline (migration 9999 future',
      )
      await expect(restore(owner, foreign)).rejects.toThrow('a table pg_authid that its own migrations do not make')
      await expect(restore(owner, injected)).rejects.toThrow('a table users that its own migrations do not make')
    })
  })
})

function withLastBytesChanged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const place = copy.length - 6
  copy[place] = (copy[place] ?? 0) ^ 0xff
  return copy
}
