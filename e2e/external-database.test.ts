// Runs the server with an operator's own PostgreSQL instead of the embedded one.
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { operations } from '@bowline/contract/operations'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { health, signInAnswer } from './support/health.ts'
import { setBack } from './support/older-database.ts'
import { type Postgres, postgresPrograms, startPostgres } from './support/postgres.ts'
import { pendingUids, startWriter } from './support/registrations.ts'
import { type Server, refusedServer, startServer } from './support/server.ts'
import { ssh, startEcho } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const PASSWORD = 'password-of-the-login'
const BOWLINE_SECRET_KEY = randomBytes(32).toString('hex')
const undo = cleanups()
let postgres: Postgres
/** Proxy between the server and its database. */
let between: ChaosProxy
let server: Server | undefined
let agent: Agent
showOnFailure(() => ({ server: server?.process }))

describe.skipIf(!postgresPrograms)('an own PostgreSQL (needs the package postgresql)', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    undo(() => postgres.stop())
    postgres.sql(`create role bowline login createrole password '${PASSWORD}'`)
    postgres.sql('create database bowline owner bowline')
    between = await startChaosProxy({ target: { host: '127.0.0.1', port: postgres.port } })
    undo(() => between.close())
  })

  it('keeps the device, its session and the keys of the server in an external database across restarts', async () => {
    const started = await startServer({
      env: { BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline', between.port), BOWLINE_SECRET_KEY },
    })
    server = started
    undo(() => started.remove())
    agent = await startAgent(started, 'own-database')
    undo(() => agent.remove())
    expect((await ssh(agent.target, ['echo works'])).stdout.toString()).toBe('works\n')
    expect(await readdir(started.dataFolder)).not.toContain('postgres')

    await started.process.end()
    await started.start()
    await untilOnline(await started.client(), agent.device.uid)
    expect((await ssh(agent.target, ['echo again'])).stdout.toString()).toBe('again\n')
  })

  it('connects with roles that row-level security applies to', () => {
    const rows = postgres.sql(
      `select distinct rolname, rolsuper, rolbypassrls from pg_roles
       where rolname in (select usename from pg_stat_activity where datname = 'bowline')
          or rolname like 'bowline%' order by 1`,
    )
    const roles = rows.split('\n')
    expect(roles).toEqual(expect.arrayContaining(['bowline|f|f', 'bowline_app|f|f', 'bowline_system|f|f']))
    expect(roles.filter((role) => !role.endsWith('|f|f'))).toEqual([])
  })

  it('loses no session and doubles no row when the database network delays, cuts and drops', async () => {
    const started = await until('the server has started', () => server)
    const client = await started.client()
    const [staying, leaving] = await Promise.all([startEcho(agent.target), startEcho(agent.target)])

    between.setConditions({ delayMs: 5, jitterMs: 5 })
    const writer = startWriter(started, 4)
    await until('rows are written', () => writer.acknowledged.size >= 8)
    let done = false
    const refused = writer.done.finally(() => (done = true))
    await until('every writer has met a cut', () => {
      between.reset()
      return done
    })
    for (const answer of await refused) {
      expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('"UNAVAILABLE"') })
    }
    await staying.echo('after the cuts')

    between.setConditions({ silent: true })
    leaving.end()
    const [left, answer, healthy] = await Promise.all([leaving.result, signInAnswer(started), health(started)])
    expect([left.code, answer.status, healthy]).toEqual([0, 503, 503])
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE' })
    await staying.echo('while nothing comes back')
    // The peer of every connection is gone, without a FIN or RST.
    between.reset()
    between.setConditions({})

    await until('the database answers', async () => (await health(started)) === 200)
    const kept = await pendingUids(client)
    expect([...writer.acknowledged].filter((uid) => !kept.has(uid))).toEqual([])
    expect(postgres.sql('select count(*) - count(distinct name) from devices', 'bowline')).toBe('0')
    const { headers } = await client.call(operations.devices.list, { query: { status: 'pending' } })
    expect(headers.get('x-total-count')).toBe(String(kept.size))
    staying.end()
    expect((await staying.result).code).toBe(0)
    const sessions = await until('every session is closed', async () => {
      const { body } = await client.call(operations.sessions.list, { query: { per_page: '100' } })
      return body.every(({ closed }) => closed) && body
    })
    const ended = sessions.map(({ closed }) => `${closed?.by} ${closed?.reason}`)
    expect(ended).toEqual(Array(4).fill('user disconnect'))
  })

  it('upgrades a database of the previous version, and its devices and people come back', async () => {
    const started = await until('the server has started', () => server)
    await started.process.end()
    const missing = await setBack(postgres, 'bowline', { login: 'bowline', password: PASSWORD })
    await started.start()
    expect(started.process.output()).toContain(`"ev":"database.migrated"`)
    expect(started.process.output()).toContain(`"name":"${missing}"`)
    const client = await started.client()
    await untilOnline(client, agent.device.uid)
    expect((await ssh(agent.target, ['echo upgraded'])).stdout.toString()).toBe('upgraded\n')
    const { body, headers } = await client.call(operations.sessions.list, { query: { per_page: '100' } })
    expect(body.map(({ device_uid }) => device_uid)).toEqual(Array(5).fill(agent.device.uid))
    expect(headers.get('x-total-count')).toBe('5')
  })

  it('runs on a database that a newer version has added to, until one takes away what it needs', async () => {
    const started = await until('the server has started', () => server)
    await started.process.end()
    const plant = (name: string, requires: number): string =>
      postgres.sql(
        `insert into schema_migrations (version, name, checksum, requires)
         select max(version) + 1, '${name}', repeat('0', 64), ${requires} from schema_migrations`,
        'bowline',
      )
    postgres.sql(
      'alter table devices add column added_later text; alter table sessions add column added_later int',
      'bowline',
    )
    plant('added_later', 0)
    await started.start()
    expect(started.process.output()).toContain('"ev":"database.newer"')
    await untilOnline(await started.client(), agent.device.uid)
    expect((await ssh(agent.target, ['echo beside'])).stdout.toString()).toBe('beside\n')
    await started.process.end()

    plant('taken_away', 9_999)
    await expect(started.start()).rejects.toThrow(/made by a newer Bowline \(migration \d+ taken_away; /)
    postgres.sql("delete from schema_migrations where name in ('added_later', 'taken_away')", 'bowline')
  })

  it.each([
    ['a superuser', () => postgres.url('postgres', postgres.superuserPassword, 'bowline'), /is a superuser/],
    ['a wrong password', () => postgres.url('bowline', 'wrong-password', 'bowline'), /password authentication failed/],
    ['a database that is not there', () => postgres.url('bowline', PASSWORD, 'nowhere'), /"nowhere" does not exist/],
    ['a server that is not there', () => 'postgres://bowline:x@127.0.0.1:1/bowline', /ECONNREFUSED 127\.0\.0\.1:1/],
  ])('refuses %s with the reason and without secrets', async (_, url, reason) => {
    const { code, output } = await refusedServer({ BOWLINE_DATABASE_URL: url(), BOWLINE_SECRET_KEY })
    expect(code).toBe(1)
    expect(output).toMatch(new RegExp(`^bowline: .*${reason.source}`, 'm'))
    for (const secret of [PASSWORD, postgres.superuserPassword, 'wrong-password', BOWLINE_SECRET_KEY]) {
      expect(output).not.toContain(secret)
    }
    expect(output).not.toMatch(/^\s+at /m)
  })

  it('refuses to start without the key that encrypts its secrets, which the next server could not read', async () => {
    const { code, output } = await refusedServer({ BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline') })
    expect(code).toBe(2)
    expect(output).toBe('bowline: BOWLINE_SECRET_KEY is required together with BOWLINE_DATABASE_URL.\n')
  })

  it('refuses to start with another key than the one that encrypted its secrets, in one sentence', async () => {
    const other = randomBytes(32).toString('hex')
    const env = { BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline'), BOWLINE_SECRET_KEY: other }
    const { code, output } = await refusedServer(env)
    expect(code).toBe(1)
    expect(output).toMatch(/^bowline: .*BOWLINE_SECRET_KEY/m)
    expect(output).not.toContain(other)
  })
})
