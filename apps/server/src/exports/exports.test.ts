// Archives of namespaces, opened with the system's own tar and judged with the command line.
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { populate, postFrame } from '../testing/http-server.ts'
import { tenantTables } from '../testing/tenant.ts'
import { EXPORTED, NOT_EXPORTED } from './tables.ts'
import { type Opened, unpackArchive } from './testing.ts'

const { namespaces, apiKeys, auth } = operations
const run = promisify(execFile)
let clock: ManualClock
let server: BootedServer
let folder: string
beforeAll(async () => {
  // Not before the key that signs recordings was made.
  clock = new ManualClock(Date.now() + 600_000)
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
  folder = await mkdtemp(join(tmpdir(), 'bowline-exports-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const ask = ({ client, tenant }: Person) => client.call(namespaces.export, { params: { tenant } })
const bowline = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_DATA_DIR: server.dataFolder,
}))

async function again(person: Person): Promise<Person> {
  const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
  return { ...person, client: server.client(body.token) }
}

async function download(person: Person): Promise<Opened> {
  const { path } = (await ask(person)).body
  const response = await server.fetch(path)
  expect(response.status).toBe(200)
  return unpackArchive(folder, new Uint8Array(await response.arrayBuffer()))
}

async function addSessions(tenant: TenantId, device: string, count: number): Promise<void> {
  await sql`with made as (insert into sessions (uid, tenant_id, device_uid, username, type)
      select encode(sha256(convert_to(${randomUUID()} || n, 'utf8')), 'hex'), ${tenant}, ${device}, 'root', 'term'
        from generate_series(1, ${count}) n returning uid)
    insert into session_events (tenant_id, session_uid, seat, type) select ${tenant}, uid, 0, 'shell' from made`.execute(
    server.database.system(),
  )
}

it('has a decision on every table and column of a namespace', async () => {
  const { rows } = await sql<{ table: string; columns: string[] }>`select table_name as table,
      array_agg(column_name::text order by column_name) as columns
    from information_schema.columns where table_schema = 'public' and table_name = any(${await tenantTables(server.database.system())})
    group by 1 order by 1`.execute(server.database.system())
  const decided = Object.entries(EXPORTED).map(([table, { columns, without = {} }]) => ({
    table,
    columns: ['tenant_id', ...columns, ...Object.keys(without)].sort(),
  }))
  const left = rows.filter(({ table }) => table in NOT_EXPORTED)
  expect([...decided, ...left].sort((a, b) => a.table.localeCompare(b.table, 'en'))).toEqual(
    rows.toSorted((a, b) => a.table.localeCompare(b.table, 'en')),
  )
})

describe('an archive', () => {
  it('has the rows of its namespace, the recordings as they were written, and nothing of another', async () => {
    const [mine, theirs] = [await populate(server, await newcomer()), await populate(server, await newcomer())]
    const { path, names, rows, text } = await download(mine.owner)
    for (const table of Object.keys(EXPORTED)) expect(names).toContain(`tables/${table}.0001.jsonl`)
    expect((await rows('devices')).map(({ uid }) => String(uid)).sort()).toEqual(
      [mine.device.uid, mine.pendingDevice.uid].sort(),
    )
    expect(await rows('members')).toHaveLength(2)
    expect(await rows('sessions')).toMatchObject([{ uid: mine.sessionUid }])
    expect((await rows('audit_log')).length).toBeGreaterThan(5)
    expect(JSON.parse(await text('namespace.json'))).toMatchObject({ tenant_id: mine.owner.tenant })
    const all = await run(
      'cat',
      names.map((name) => join(path, name)),
      { maxBuffer: 1 << 26 },
    )
    for (const trace of [theirs.marker, theirs.owner.tenant, theirs.device.uid]) expect(all.stdout).not.toContain(trace)

    const [recording] = await rows('recordings')
    const file = `recordings/${String(recording?.['id'])}.cast`
    const original = await readFile(join(server.dataFolder, file))
    expect(await readFile(join(path, file))).toEqual(original)
    // As on a machine that has neither server nor database.
    const args = ['recordings', 'verify', join(path, file), '--key', join(path, 'recording-keys.json')]
    const judged = await bowline.run(args, '', {})
    expect([judged.status, judged.out, judged.errors]).toEqual([0, expect.stringContaining('As it was written'), ''])
    const changed = original.toString().replace(mine.marker, `${mine.marker.slice(0, -1)}!`)
    await writeFile(join(path, file), changed)
    expect((await bowline.run(args, '', {})).status).not.toBe(0)
  })

  it('has no secret', async () => {
    const { owner, apiKey, tunnelAddress, connectorUid } = await populate(server, await newcomer())
    const db = server.database.system()
    const [secret, sealed] = [`secret-${randomUUID()}`, randomBytes(32)]
    await db.updateTable('tunnels').set({ password_hash: secret }).where('address', '=', tunnelAddress).execute()
    await db
      .updateTable('connectors')
      .set({ tls_ca: 'ca', tls_cert: 'cert', tls_key: sealed })
      .where('uid', '=', connectorUid)
      .execute()
    const { path, names } = await download(owner)
    const { stdout } = await run(
      'cat',
      names.map((name) => join(path, name)),
      { maxBuffer: 1 << 26 },
    )
    const hashes = await db.selectFrom('api_keys').select('key_hash').where('tenant_id', '=', owner.tenant).execute()
    const forms = [sealed, ...hashes.map(({ key_hash }) => key_hash)]
    for (const bytes of forms)
      for (const form of ['hex', 'base64'] as const) expect(stdout).not.toContain(bytes.toString(form))
    for (const trace of [secret, apiKey]) expect(stdout).not.toContain(trace)
  })

  it('takes no name from devices, tags or commands, and one line for each row', async () => {
    const owner = await newcomer()
    const device = await server.acceptedDevice(owner)
    const hostile = ['../../etc/passwd', '/root/.ssh/x', 'a\n{"uid":"b"}', '=cmd|calc', '\u2028"\\', '\u001b[31m']
    const db = server.database.system()
    for (const name of hostile) {
      const uid = DeviceUid.parse(randomBytes(32).toString('hex'))
      const row = { uid, tenant_id: owner.tenant, name, hostname: name, public_key: name, tags: [name] }
      await db.insertInto('devices').values(row).execute()
      const session = { uid: SessionUid.parse(randomBytes(32).toString('hex')), device_uid: uid, username: name }
      await db
        .insertInto('sessions')
        .values({ ...session, tenant_id: owner.tenant, type: 'term', term: name })
        .execute()
    }
    const { names, path, rows } = await download(owner)
    for (const name of names)
      expect(name).toMatch(
        /^(?:[A-Za-z0-9-]+(?:\.json|\.jsonl|\.md)?|tables\/\w+\.\d{4}\.jsonl|billing\/invoices\.json)$/,
      )
    expect((await readdir(path)).sort()).toEqual(
      [
        'README.md',
        'SHA256SUMS',
        'billing',
        'manifest.json',
        'namespace.json',
        'recording-keys.json',
        'recordings-left-out.jsonl',
        'tables',
      ].sort(),
    )
    const found = await rows('devices')
    expect(
      found
        .map(({ name }) => String(name))
        .filter((name) => name !== device.name)
        .sort(),
    ).toEqual(hostile.toSorted())
    expect((await rows('sessions')).map(({ username }) => String(username)).sort()).toEqual(hostile.toSorted())
  })

  it('is one moment of all tables while others write', async () => {
    const owner = await newcomer()
    const device = await server.acceptedDevice(owner)
    await addSessions(owner.tenant, device.uid, 5_000)
    const done = new AbortController()
    let batches = 0
    const writing = (async () => {
      for (; !done.signal.aborted; batches += 1) await addSessions(owner.tenant, device.uid, 7)
    })()
    await until(() => batches > 2)
    const { rows } = await download(owner).finally(() => done.abort())
    await writing
    const sessions = new Set((await rows('sessions')).map(({ uid }) => uid))
    const events = (await rows('session_events')).map(({ session_uid: uid }) => uid)
    expect(new Set(events)).toEqual(sessions)
    expect((sessions.size - 5_000) % 7).toBe(0)
    expect(batches).toBeGreaterThan(3)
  })

  it('names recordings that are gone or damaged instead of failing', async () => {
    const { owner, sessionUid } = await populate(server, await newcomer())
    const db = server.database.system()
    const session = { device_uid: DeviceUid.parse(''.padEnd(64, '0')), username: 'root', type: 'term' as const }
    const kept = SessionUid.parse(randomBytes(32).toString('hex'))
    const { device_uid } = await db
      .selectFrom('sessions')
      .select('device_uid')
      .where('uid', '=', sessionUid)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('sessions')
      .values({ ...session, device_uid, uid: kept, tenant_id: owner.tenant })
      .execute()
    await postFrame(server, kept, 'kept')
    const idOf = async (uid: SessionUid) =>
      (await db.selectFrom('recordings').select('id').where('session_uid', '=', uid).executeTakeFirstOrThrow()).id
    await rm(join(server.dataFolder, 'recordings', `${await idOf(sessionUid)}.cast`))
    const { names, text } = await download(owner)
    const left = await text('recordings-left-out.jsonl')
    expect(JSON.parse(left)).toMatchObject({ recording: await idOf(sessionUid) })
    expect(names).toContain(`recordings/${await idOf(kept)}.cast`)
    expect(names).not.toContain(`recordings/${await idOf(sessionUid)}.cast`)
    expect(JSON.parse(await text('manifest.json'))).toMatchObject({ recordings: { included: 1, left_out: 1 } })
  })
})

describe('the link to an archive', () => {
  it('is made for the owner only, with a fresh proof, and audited', async () => {
    const [owner, administrator, stranger] = [await newcomer(), await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, administrator.id, 'administrator')
    const there = await administrator.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    const as = (person: Person, client = person.client) => outcome(ask({ ...owner, client }))
    expect(await as(administrator, server.client(there.body.token))).toBe('403 FORBIDDEN')
    expect(await as(stranger)).toBe('404 NOT_FOUND')
    const body = { name: 'robot', expires_at: -1 as const, role: 'administrator' as const }
    const { id } = (await owner.client.call(apiKeys.create, { body })).body
    const path = `/api/namespaces/${owner.tenant}/export`
    expect((await server.fetch(path, { method: 'POST', headers: { 'x-api-key': id } })).status).toBe(403)
    const { client } = await again(owner)
    clock.advance(11 * 60_000)
    expect(await as(owner, client)).toBe('403 FRESH_PROOF_REQUIRED')
    await ask(await again(owner))
    const log = server.database.system().selectFrom('audit_log').select(['action', 'actor_id'])
    expect(await log.where('tenant_id', '=', owner.tenant).where('action', '=', 'namespace.export').execute()).toEqual([
      { action: 'namespace.export', actor_id: owner.id },
    ])
  })

  it('works once, for five minutes, and not after the next one or after its person has lost the namespace', async () => {
    const owner = await newcomer()
    const open = async (path: string) => {
      const response = await server.fetch(path)
      await response.arrayBuffer()
      return response.status
    }
    const link = async () => (await ask(owner)).body.path
    const first = await link()
    expect((await server.fetch(first, { method: 'HEAD' })).status).toBe(404)
    expect([await open(first), await open(first)]).toEqual([200, 404])
    const [replaced, second] = [await link(), await link()]
    expect([await open(replaced), await open(second)]).toEqual([404, 200])
    const last = await link()
    await server.database
      .system()
      .updateTable('members')
      .set({ role: 'administrator' })
      .where('tenant_id', '=', owner.tenant)
      .execute()
    expect(await open(last)).toBe(404)
    await server.database
      .system()
      .updateTable('members')
      .set({ role: 'owner' })
      .where('tenant_id', '=', owner.tenant)
      .execute()
    const late = await link()
    clock.advance(5 * 60_000)
    expect(await open(late)).toBe(404)
  })

  it.each(['hands the namespace over', 'is disabled', 'deletes the namespace'])(
    'ends what is being downloaded when the person who asked for it %s',
    async (how) => {
      const owner = await newcomer()
      const db = server.database.system()
      const noise = randomBytes(3_000_000).toString('base64')
      await db.updateTable('namespaces').set({ settings: { noise } }).where('tenant_id', '=', owner.tenant).execute()
      const response = await server.fetch((await ask(owner)).body.path)
      const reader = response.body?.getReader()
      await reader?.read()
      const members = db.updateTable('members').set({ role: 'administrator' }).where('tenant_id', '=', owner.tenant)
      const disabled = { status: 'disabled' as const, disabled_at: new Date(clock.now()) }
      if (how === 'hands the namespace over') await members.execute()
      else if (how === 'is disabled') await db.updateTable('users').set(disabled).where('id', '=', owner.id).execute()
      else await owner.client.call(namespaces.remove, { params: { tenant: owner.tenant } })
      clock.advance(20_000)
      const rest = async (): Promise<void> => {
        while (!(await reader?.read())?.done);
      }
      await expect(rest()).rejects.toThrow('terminated')
    },
  )

  it('is refused while an archive of the namespace is being read, and a process writes two at most', async () => {
    const [one, two, three] = [await withNoise(), await withNoise(), await withNoise()]
    const held = [await begun(one), await begun(two)]
    expect(await outcome(ask(one))).toBe('409 EXPORT_RUNNING')
    const { path } = (await ask(three)).body
    expect((await server.fetch(path)).status).toBe(503)
    await held[0]?.cancel()
    await until(async () => (await outcome(ask(one))) === '200')
    const third = await server.fetch(path)
    expect(third.status).toBe(200)
    await third.arrayBuffer()
    await held[1]?.cancel()
  })

  it('is not kept from others by people who open theirs and read nothing', async () => {
    const [one, two, three] = [await withNoise(), await withNoise(), await withNoise()]
    const held = [await begun(one), await begun(two)]
    const early = (await ask(three)).body.path
    expect((await server.fetch(early)).status).toBe(503)
    for (let looks = 0; looks < 3; looks += 1) clock.advance(20_000)
    const third = await server.fetch(early)
    expect(third.status).toBe(200)
    await third.arrayBuffer()
    const ends = await Promise.allSettled(held.map((reader) => readAll(reader)))
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('leaves one person one download at a time, however many namespaces they own', async () => {
    const owner = await withNoise()
    const second = await owner.client.call(namespaces.create, { body: { name: `s-${owner.username}` } })
    const tenant = TenantId.parse(second.body.tenant_id)
    const there = await owner.client.call(auth.switchNamespace, { params: { tenant } })
    const reader = await begun(owner)
    const { path } = (await ask({ ...owner, tenant, client: server.client(there.body.token) })).body
    expect((await server.fetch(path)).status).toBe(503)
    await reader?.cancel()
    await until(async () => (await server.fetch(path)).status === 200)
  })
})

/** An owner with more in the namespace than the buffers between both ends hold, and not compressible. */
async function withNoise(): Promise<Person> {
  const person = await newcomer()
  const noise = randomBytes(3_000_000).toString('base64')
  const rows = server.database.system().updateTable('namespaces').where('tenant_id', '=', person.tenant)
  await rows.set({ settings: { noise } }).execute()
  return person
}

/** Begins a download, and reads no further. */
async function begun(person: Person) {
  const response = await server.fetch((await ask(person)).body.path)
  const reader = response.body?.getReader()
  await reader?.read()
  return reader
}

async function readAll(reader: Awaited<ReturnType<typeof begun>>): Promise<void> {
  while (!(await reader?.read())?.done);
}

describe('bowline namespace export', () => {
  it('writes the archive to a new file and overwrites none', async () => {
    const { owner, marker } = await populate(server, await newcomer())
    const file = join(folder, 'namespace.tar.gz')
    const line = `namespace export ${owner.namespace} --to ${file}`
    expect(await bowline.bowline(line)).toMatch(/^Wrote \d+ rows and 1 recordings to /)
    const { rows } = await unpackArchive(folder, await readFile(file))
    expect(JSON.stringify(await rows('devices'))).toContain(marker)
    expect((await bowline.refusal(line))[1]).toContain('EEXIST')
    expect(await readdir(folder)).not.toContain('namespace.tar.gz.part')
  })
})
