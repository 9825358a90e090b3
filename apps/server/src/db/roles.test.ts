// Checks of an administrator's database: logins to refuse, roles to prepare. Needs a superuser, so it has its own
// embedded PostgreSQL.
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { openDatabase } from './database.ts'
import { SUPERVISOR_USER } from './embedded/cluster.ts'
import { readPasswords } from './embedded/passwords.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/supervisor.ts'
import { clusterOf, settings, testFolders } from './embedded/testing.ts'
import { type OwnerFacts, whyRefused } from './owner-session.ts'

const { newFolder } = testFolders()
let postgres: EmbeddedPostgres
let administrator: Client
beforeAll(async () => {
  const dataDir = await newFolder()
  postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, settings })
  const { supervisor } = await readPasswords(await clusterOf(dataDir))
  administrator = new Client({ ...postgres.connection, user: SUPERVISOR_USER, password: supervisor })
  await administrator.connect()
})
afterAll(async () => {
  await administrator.end()
  await postgres.close()
})

/** A login with its own database, on a server without any trace of Bowline. */
beforeEach(async () => {
  await administrator.query('drop database if exists external with (force)')
  for (const role of ['external', 'bowline_app', 'bowline_system']) {
    await administrator.query(`drop role if exists ${role}`)
  }
  await administrator.query(`create role external login password 'x'`)
  await administrator.query('create database external owner external')
})

async function open(): Promise<void> {
  const owner = { ...postgres.connection, user: 'external', password: 'x', database: 'external' }
  const database = await openDatabase({ owner, poolSize: 1, log: silentLog })
  await database.ping()
  await database.close()
}

describe('roles of an external database', () => {
  it('creates the roles with a CREATEROLE login, and finds them the next time', async () => {
    await administrator.query('alter role external createrole')
    await open()
    await administrator.query('alter role external nocreaterole')
    await expect(open()).resolves.toBeUndefined()
  })

  it('prints the complete SQL for an administrator when it may not create the roles', async () => {
    const message = await open().then(
      () => '',
      (error: unknown) => String(error),
    )
    const statements = message.split('\n').slice(1)
    expect(statements).toEqual([
      '  create role bowline_app nologin;',
      '  create role bowline_system nologin;',
      '  grant bowline_app, bowline_system to "external" with inherit false, set true;',
    ])
    await administrator.query(statements.join('\n'))
    await open()
  })

  it('refuses working roles with excessive privileges', async () => {
    await administrator.query('alter role external createrole')
    await open()
    await administrator.query('alter role bowline_app bypassrls')
    await expect(open()).rejects.toThrow('alter role bowline_app nologin nosuperuser nobypassrls')
  })

  it('refuses an owner that inherits the privileges of the working roles', async () => {
    await administrator.query('create role bowline_app nologin; create role bowline_system nologin')
    await administrator.query('grant bowline_app, bowline_system to external with inherit true, set true')
    await expect(open()).rejects.toThrow('with inherit false, set true')
  })

  it('refuses a superuser and a login with BYPASSRLS', async () => {
    await administrator.query('alter role external superuser')
    await expect(open()).rejects.toThrow('is a superuser')
    await administrator.query('alter role external nosuperuser bypassrls')
    await expect(open()).rejects.toThrow('has BYPASSRLS')
  })

  it('refuses a login that may not create tables', async () => {
    await administrator.query(`alter database external owner to ${SUPERVISOR_USER}`)
    await expect(open()).rejects.toThrow('alter database "external" owner to "external"')
  })
})

describe('suitability of server and login', () => {
  const good: OwnerFacts = {
    user: 'bowline',
    database: 'bowline',
    major: 15,
    encoding: 'UTF8',
    superuser: false,
    bypassesRowSecurity: false,
    mayCreate: true,
  }

  it('accepts a suitable login on PostgreSQL 15 and later', () => {
    expect([15, 16, 17, 18].map((major) => whyRefused({ ...good, major }))).toEqual(Array(4).fill(undefined))
  })

  it('refuses a PostgreSQL below 15 by its version', () => {
    expect(whyRefused({ ...good, major: 14 })).toBe(
      'Bowline needs PostgreSQL 15 or newer; this server is PostgreSQL 14.',
    )
  })

  it('refuses an encoding other than UTF8', () => {
    expect(whyRefused({ ...good, encoding: 'SQL_ASCII' })).toContain('encoding SQL_ASCII')
  })

  it('quotes identifiers in the SQL of a refusal', () => {
    expect(whyRefused({ ...good, user: 'a"b', mayCreate: false })).toContain('owner to "a""b";')
  })
})
