// Archives of what the server has about a person, opened with the system's own tar.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { UserId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disable, enable, newAdministrator } from '../administration/testing.ts'
import { commandLine } from '../cli/testing.ts'
import { ownKey } from '../held-logins/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { NOT_OF_ACCOUNTS, accountTables } from './account-tables.ts'
import { type Opened, unpackArchive } from './testing.ts'

const { apiKeys, auth, devices, mfa, publicKeys, users } = operations
let clock: ManualClock
let server: BootedServer
let admin: Person
let folder: string
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
  admin = await newAdministrator(server, 'admin')
  folder = await mkdtemp(join(tmpdir(), 'bowline-exports-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const ask = ({ client }: Pick<Person, 'client'>) => client.call(users.export, {})

async function again(person: Person): Promise<Person> {
  const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
  return { ...person, auth: body, client: server.client(body.token) }
}

async function download(person: Person): Promise<Opened> {
  const response = await server.fetch((await ask(person)).body.path)
  expect(response.status).toBe(200)
  return unpackArchive(folder, new Uint8Array(await response.arrayBuffer()))
}

const statusOf = async (path: string): Promise<number> => {
  const response = await server.fetch(path)
  await response.arrayBuffer()
  return response.status
}

it('has a decision on every table that names people, and on each of its columns', async () => {
  const tables = accountTables(admin.id)
  const { rows } = await sql<{ table: string; columns: string[] }>`
    with named as (
      select conrelid::regclass::text as name from pg_constraint
        where contype = 'f' and confrelid in ('users'::regclass, 'members'::regclass)
      union select table_name from information_schema.columns
        where table_schema = 'public' and column_name in ('user_id', 'actor_id', 'owner', 'created_by', 'vouched_by')
      union select unnest(${Object.keys(tables)}::text[]))
    select table_name as table, array_agg(column_name::text order by column_name) as columns
      from information_schema.columns where table_schema = 'public' and table_name in (select name from named)
      group by 1 order by 1`.execute(server.database.system())
  const columnsOf = Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
  const left = Object.keys(NOT_OF_ACCOUNTS).map((table) => [table, columnsOf[table]])
  const decided = Object.entries(tables).map(([table, { columns, without = {} }]) => [
    table,
    [...columns, ...Object.keys(without)].sort(),
  ])
  expect({ ...Object.fromEntries(left), ...Object.fromEntries(decided) }).toEqual(columnsOf)
})

describe('an archive of personal data', () => {
  it('has what the person gave, did and from where, and nothing of anybody else', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    await server.addMember(person.tenant, other.id, 'observer')
    const device = await server.acceptedDevice(person)
    const body = { name: 'robot', expires_at: -1 as const, role: 'observer' as const }
    const { id: key } = (await person.client.call(apiKeys.create, { body })).body
    await ownKey(person)
    const [sshKey] = (await person.client.call(publicKeys.list, {})).body
    await server
      .client()
      .call(auth.login, { body: { username: person.username, password: 'wrong' } })
      .catch(() => 0)
    await other.client.call(users.update, { body: { name: 'Somebody Else' } })
    const { rows, names, text } = await download(person)
    for (const table of Object.keys(accountTables(person.id))) expect(names).toContain(`tables/${table}.0001.jsonl`)
    expect(await rows('users')).toMatchObject([{ id: person.id, username: person.username }])
    expect(await rows('members')).toEqual([
      expect.objectContaining({ tenant_id: person.tenant, namespace: person.namespace, role: 'owner' }),
    ])
    expect(await rows('api_keys')).toMatchObject([{ name: 'robot', tenant_id: person.tenant }])
    expect(await rows('public_keys')).toMatchObject([{ fingerprint: sshKey?.fingerprint, data: sshKey?.data }])
    expect((await rows('account_events')).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['sign-in', 'sign-in.fail', 'account.export']),
    )
    expect((await rows('sign_ins')).length).toBeGreaterThan(0)
    expect((await rows('audit_log')).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['device.accept', 'api-key.create']),
    )
    const all = (await Promise.all(names.map((name) => text(name)))).join('\n')
    for (const trace of [other.id, other.username, 'Somebody Else', device.uid, key, hashOf(person)]) {
      expect(all).not.toContain(await trace)
    }
    const manifest = JSON.parse(await text('manifest.json')) as { rows: object }
    expect(manifest).toMatchObject({ content: 'account', account: { id: person.id }, rows: { users: 1, members: 1 } })
  })

  it('has nothing of a namespace that the person has left', async () => {
    const [person, owner] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, person.id, 'administrator')
    const there = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    const client = server.client(there.body.token)
    await client.call(apiKeys.create, { body: { name: 'theirs', expires_at: -1, role: 'observer' } })
    await client.call(operations.members.leave, { params: { tenant: owner.tenant } })
    const { rows } = await download(await again(person))
    expect((await rows('members')).map(({ tenant_id: tenant }) => tenant)).toEqual([person.tenant])
    expect(await rows('api_keys')).toEqual([])
  })

  it('has the public keys that the person has left in namespaces, and nothing that others wrote about them', async () => {
    const [person, owner] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, person.id, 'administrator')
    const there = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    await ownKey({ ...person, tenant: owner.tenant, client: server.client(there.body.token) })
    const [key] = (await owner.client.call(publicKeys.list, {})).body
    if (!key) throw new Error('no key')
    await owner.client.call(operations.members.remove, { params: { tenant: owner.tenant, uid: person.id } })
    const params = { fingerprint: key.fingerprint }
    const keysOf = async (one: Person) => (await download(await again(one))).rows('public_keys')
    expect(await keysOf(person)).toEqual([
      expect.objectContaining({
        tenant_id: owner.tenant,
        fingerprint: key.fingerprint,
        data: key.data,
        name: null,
        username: null,
        hostname: null,
        tags: null,
      }),
    ])
    // Whoever takes the address over gets none of it, nor does its former owner once it is somebody else's.
    const heir = await newcomer()
    const accounts = server.database.system().updateTable('users')
    const { email } = (await again(person)).auth
    await accounts
      .set({ email: `${person.username}@elsewhere.example` })
      .where('id', '=', person.id)
      .execute()
    await accounts.set({ email }).where('id', '=', heir.id).execute()
    expect(await keysOf(heir)).toEqual([])
    expect(await keysOf(person)).toHaveLength(1)
    const body = { name: 'theirs', username: 'root', filter: { hostname: '.*' }, owner: owner.id }
    await owner.client.call(publicKeys.update, { params, body })
    expect(await keysOf(person)).toEqual([])
  })
})

async function hashOf({ id }: Person): Promise<string> {
  const row = server.database.system().selectFrom('users').select('password_hash').where('id', '=', id)
  return String((await row.executeTakeFirstOrThrow()).password_hash)
}

describe('the link to personal data', () => {
  it('is made for people only, with a fresh proof, and noted in the activity of the account', async () => {
    const person = await newcomer()
    const body = { name: 'robot', expires_at: -1 as const, role: 'administrator' as const }
    const { id } = (await person.client.call(apiKeys.create, { body })).body
    const byKey = await server.fetch('/api/users/export', { method: 'POST', headers: { 'x-api-key': id } })
    expect(byKey.status).toBe(403)
    expect(await outcome(server.client().call(users.export, {}))).toBe('401 UNAUTHORIZED')
    const later = await again(person)
    clock.advance(11 * 60_000)
    expect(await outcome(ask(later))).toBe('403 FRESH_PROOF_REQUIRED')
    await later.client.call(mfa.prove, { body: { current_password: PASSWORD } })
    await ask(later)
    const { body: events } = await later.client.call(users.listActivity, {})
    expect(events.map(({ kind }) => kind)).toContain('account.export')
  })

  it('works once, for five minutes, not after the next one, and not for whoever only looks', async () => {
    const person = await again(await newcomer())
    const link = async () => (await ask(person)).body.path
    const first = await link()
    expect((await server.fetch(first, { method: 'HEAD' })).status).toBe(404)
    expect([await statusOf(first), await statusOf(first)]).toEqual([200, 404])
    const [replaced, second] = [await link(), await link()]
    expect([await statusOf(replaced), await statusOf(second)]).toEqual([404, 200])
    const late = await link()
    clock.advance(5 * 60_000)
    expect(await statusOf(late)).toBe(404)
    // Links of namespaces are not those of accounts.
    expect(await statusOf(late.replace('user-exports', 'namespace-exports'))).toBe(404)
  })

  it('is void once the account is disabled, also after it is enabled again', async () => {
    const person = await again(await newcomer())
    const { path } = (await ask(person)).body
    const by = await again(admin)
    await by.client.call(mfa.prove, { body: { current_password: PASSWORD } })
    await disable(by, person)
    expect(await statusOf(path)).toBe(404)
    await enable(by, person)
    expect(await statusOf(path)).toBe(404)
  })

  it.each(['password changes', 'sign-ins are ended'])(
    'is void once the %s, as are links to namespaces',
    async (how) => {
      const person = await again(await newcomer())
      const { path } = (await ask(person)).body
      const params = { tenant: person.tenant }
      const ofNamespace = (await person.client.call(operations.namespaces.export, { params })).body.path
      const body = { current_password: PASSWORD, new_password: 'a new Password 1' }
      if (how === 'password changes')
        await person.client.call(users.updatePassword, { params: { id: person.id }, body })
      else {
        const by = await again(admin)
        await by.client.call(mfa.prove, { body: { current_password: PASSWORD } })
        await by.client.call(operations.administration.endSignIns, { params: { user: person.id } })
      }
      expect([await statusOf(path), await statusOf(ofNamespace)]).toEqual([404, 404])
    },
  )

  it('ends a download when the account is disabled or deleted while it is read', async () => {
    const person = await again(await newcomer())
    await addNoise(person.id)
    const response = await server.fetch((await ask(person)).body.path)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(await outcome(ask(person))).toBe('409 EXPORT_RUNNING')
    const by = await again(admin)
    await by.client.call(mfa.prove, { body: { current_password: PASSWORD } })
    await disable(by, person)
    clock.advance(20_000)
    const rest = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow('terminated')
    await enable(by, person)
    await until(async () => (await outcome(ask(await again(person)))) === '200')
  })
})

/** More events than the buffers between both ends hold, and not compressible. */
async function addNoise(user: UserId): Promise<void> {
  const noise = randomBytes(4_000_000).toString('base64')
  const event = { user_id: user, kind: 'sign-in' as const, at: new Date(), last_at: new Date(), bucket: null }
  await server.database
    .system()
    .insertInto('account_events')
    .values({ ...event, details: { noise } })
    .execute()
}

describe('bowline user export', () => {
  it('writes the archive to a new file and overwrites none', async () => {
    const person = await newcomer()
    await person.client.call(devices.list, {})
    const { bowline, refusal } = commandLine(() => ({
      BOWLINE_DATABASE_URL: databaseUrl(server.owner),
      BOWLINE_SECRET_KEY: server.secretKey,
      BOWLINE_DATA_DIR: server.dataFolder,
    }))
    const file = join(folder, 'person.tar.gz')
    const line = `user export ${person.username} --to ${file}`
    expect(await bowline(line)).toMatch(new RegExp(`^Wrote \\d+ rows about ${person.username} to `))
    const { rows } = await unpackArchive(folder, await readFile(file))
    expect(await rows('users')).toMatchObject([{ id: person.id }])
    expect((await refusal(line))[1]).toContain('EEXIST')
    expect((await refusal('user export nobody-here --to /tmp/never'))[1]).toContain(
      'The user nobody-here was not found',
    )
  })
})
