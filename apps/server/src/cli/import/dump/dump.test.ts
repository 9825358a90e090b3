// A dump of a made-up database of an old server, by a real pg_dump, into a real server here.
import { createHash, randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { deviceUid } from '../../../devices/identity.ts'
import { type BootedServer, type Person, bootServer, databaseUrl, outcome } from '../../../testing/boot.ts'
import { freshKeyData } from '../../../testing/samples.ts'
import { commandLine } from '../../testing.ts'
import type { Report } from '../report.ts'
import { homeOf, mac, pem } from '../testing.ts'
import type { DumpReport } from './read.ts'
import { JSON_TABLES, type OldDatabase, PLAIN_TABLES, installedPrograms, startOldDatabase } from './testing.ts'

const { auth, devices, firewall, namespaces, publicKeys, administration } = operations
const programs = await installedPrograms()
const note = programs === undefined ? ' (skipped: no PostgreSQL of the system with pg_dump)' : ''

let server: BootedServer
let admin: Person
let old: OldDatabase
beforeAll(async () => {
  if (programs === undefined) return
  server = await bootServer({ settings: { BOWLINE_REGISTRATION: 'invited' } })
  admin = await server.setUpAccount()
  old = await startOldDatabase(programs)
})
afterAll(async () => {
  await server?.close()
  await old?.[Symbol.asyncDispose]()
})

let cli: Awaited<ReturnType<typeof homeOf>>
const operator = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))
let ids: { tenant: TenantId; owner: string; operator: string; invited: string; device: string; names: string }
let count = 0
beforeEach(async () => {
  if (programs === undefined) return
  cli = await homeOf(server, admin)
  const names = `place${(count += 1)}`
  const tenant = TenantId.parse(randomUUID())
  ids = { tenant, owner: randomUUID(), operator: randomUUID(), invited: randomUUID(), device: '', names }
})
afterEach(async () => {
  await old?.client.query('drop schema if exists app cascade; drop schema public cascade; create schema public')
  await cli?.remove()
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const dumpFile = (): string => `${cli.home}/old.sql`
const read = async (options = ''): Promise<DumpReport> =>
  (await cli.json(`import dump ${dumpFile()} --to ${cli.home}/out${options}`)) as DumpReport
const reasonsOf = ({ unreadable, notes }: DumpReport) =>
  [...notes, ...unreadable].map(({ what, name, reason }) => `${what} ${name}: ${reason}`)

/** A namespace with its people, and some of everything. */
async function fillPlain(): Promise<void> {
  const { client } = old
  const { tenant, owner, names } = ids
  await client.query(PLAIN_TABLES)
  const people: [string, string, string, string | null, string, boolean][] = [
    [owner, 'owner', 'confirmed', await hashBcrypt('the old secret', 4), 'Olga\tOwner\\', true],
    [ids.operator, 'grace', 'confirmed', sha256('legacy secret'), 'Gräce', false],
    [ids.invited, 'ivy', 'not-confirmed', await hashBcrypt('x', 4), 'Ivy', false],
    [randomUUID(), 'saml', 'confirmed', null, 'Sam', false],
  ]
  for (const [id, name, status, password, fullName, isAdmin] of people) {
    const insert = `insert into users (id, username, email, status, password_digest, name, admin, mfa_enabled, max_namespaces)
      values ($1, $2, $3, $4, $5, $6, $7, $7, 3)`
    const username = `${names}-${name}`
    await client.query(insert, [id, username, `${username}@example.com`, status, password, fullName, isAdmin])
  }
  const announcement = "Welcome,\nit's\tan \\old place;\nCOPY public.users (id) FROM stdin;"
  await client.query('insert into namespaces values ($1, $2, $3, $4, true, $5)', [
    tenant,
    names,
    owner,
    'team',
    announcement,
  ])
  for (const [id, role] of [
    [owner, 'owner'],
    [ids.operator, 'operator'],
    [ids.invited, 'observer'],
  ]) {
    await client.query('insert into memberships values ($1, $2, $3, $4)', [tenant, id, role, 'accepted'])
  }
  const publicKey = pem()
  const address = mac()
  ids.device = deviceUid({ mac: address, publicKey, tenant })
  const device = [ids.device, tenant, 'web', address, 'debian', 'Debian', 'v0.24.0', 'amd64', 'native', publicKey]
  await client.query("insert into devices values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,'accepted', now())", device)
  const [kiosk, key, rule] = [randomUUID(), randomUUID(), randomUUID()]
  await client.query('insert into tags values ($1, $2, $3)', [kiosk, tenant, 'kiosk'])
  await client.query('insert into device_tags values ($1, $2)', [ids.device, kiosk])
  const line = Buffer.from(freshKeyData(), 'base64')
  await client.query("insert into public_keys values ($1, $2, 'laptop', '.*', 'f1', $3, null)", [key, tenant, line])
  await client.query('insert into public_key_tags values ($1, $2)', [key, kiosk])
  const lost = randomUUID()
  await client.query("insert into public_keys values ($1, $2, 'lost', '.*', 'f2', $3, null)", [lost, tenant, line])
  await client.query('insert into public_key_tags values ($1, $2)', [lost, randomUUID()])
  await client.query("insert into public_keys values ($1, $2, 'bare', '.*', 'f3', $3, null)", [
    randomUUID(),
    tenant,
    line,
  ])
  await client.query("insert into firewall_rules values ($1, $2, 'deny', true, 7, '^10[.]', 'root', null)", [
    rule,
    tenant,
  ])
  await client.query('insert into firewall_rule_tags values ($1, $2)', [rule, kiosk])
  await client.query("insert into api_keys values ('digest', $1, 'ci', 'operator')", [tenant])
  await client.query("insert into sessions select 's' || n, repeat('x', 3000000) from generate_series(1, 3) n")
}

describe.skipIf(programs === undefined)(`bowline import dump${note}`, () => {
  it.each([
    ['rows of COPY', [], false],
    ['INSERT statements', ['--column-inserts'], false],
    ['several rows in each INSERT statement', ['--column-inserts', '--rows-per-insert=7'], false],
    ['rows of COPY, compressed', [], true],
  ])('reads %s', async (_, args, isCompressed) => {
    await fillPlain()
    await old.dump(dumpFile(), ...args)
    if (isCompressed) await writeFile(dumpFile(), gzipSync(await readFile(dumpFile())))
    const report = await read()
    const { names } = ids
    expect(report.accounts.accounts).toBe(2)
    expect(report.namespaces).toMatchObject([
      {
        name: names,
        tenant_id: ids.tenant,
        counts: { members: 3, devices: 1, public_keys: 1, firewall_rules: 1, api_keys: 1 },
      },
    ])
    expect(reasonsOf(report)).toEqual([
      `account ${names}-owner: Administered the server there; here it does not.`,
      `account ${names}-owner: Had a second factor there, which does not come: it needs a new one.`,
      `account ${names}-ivy: Has not confirmed the address there, and can register here.`,
      `account ${names}-saml: Has no password there: its person signs in by single sign-on, or has an account made here.`,
      'public key lost: The dump does not tell for which devices it is.',
      'public key bare: The dump does not tell for which devices it is.',
    ])
    const tables = report.tables.map(({ name, kind, rows, ignored }) => [name, kind, rows, ignored.join()])
    expect(tables).toContainEqual(['public.users', 'users', 4, 'created_at,origin,recovery_email'])
    expect(tables).toContainEqual(['public.sessions', undefined, args.length === 2 ? 1 : 3, ''])
    const [namespace] = report.namespaces
    const content = JSON.parse(await readFile(namespace?.file ?? '', 'utf8')) as Record<string, unknown>
    expect(content).toMatchObject({
      namespace: {
        session_record: true,
        connection_announcement: "Welcome,\nit's\tan \\old place;\nCOPY public.users (id) FROM stdin;",
      },
      members: [{ role: 'owner', has_account: true }, { role: 'operator', has_account: true }, { role: 'observer' }],
      devices: [{ uid: ids.device, tags: ['kiosk'], info: { id: 'debian', pretty_name: 'Debian', arch: 'amd64' } }],
    })
    expect(JSON.stringify(content)).not.toMatch(/\$2b\$|digest/)
    const accounts = JSON.parse(await readFile(report.accounts.file, 'utf8')) as { accounts: unknown[] }
    // A name with a tab is none here.
    expect(accounts.accounts).toMatchObject([{ name: `${names}-owner` }, { name: 'Gräce' }])
    for (const file of [report.accounts.file, namespace?.file ?? ''])
      expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('makes accounts that sign in with their password, and the namespace that they had', async () => {
    await fillPlain()
    await old.dump(dumpFile())
    const report = await read()
    const [owner, grace] = [`${ids.names}-owner`, `${ids.names}-grace`]
    const made = async (): Promise<Report> => (await operator.json(`import accounts ${report.accounts.file}`)) as Report
    const outcomesOf = ({ lines }: Pick<Report, 'lines'>) => lines.map(({ name, outcome: one }) => `${name} ${one}`)
    const dry = (await operator.json(`import accounts ${report.accounts.file} --dry-run`)) as Report
    const refused = [`${ids.names}-ivy refused`, `${ids.names}-saml refused`]
    expect(outcomesOf(dry)).toEqual([`${owner} created`, `${grace} created`, ...refused])
    expect(outcomesOf(await made())).toEqual(outcomesOf(dry))
    expect(outcomesOf(await made())).toEqual([`${owner} unchanged`, `${grace} unchanged`, ...refused])

    const apply = async () => (await cli.json(`import apply ${report.namespaces[0]?.file} --create`)) as Report
    const members = ({ lines }: Report) =>
      lines.flatMap(({ what, name, outcome: one, reason, link }) =>
        what === 'member' ? [[name.replace('@example.com', ''), one, reason, link !== undefined]] : [],
      )
    expect(members(await apply())).toEqual([
      [owner, 'created', 'Owns the namespace, as there; you administer it.', false],
      [grace, 'created', null, false],
      [`${ids.names}-ivy`, 'created', null, true],
    ])
    expect(members(await apply())).toEqual([
      [owner, 'unchanged', null, false],
      [grace, 'unchanged', null, false],
      [`${ids.names}-ivy`, 'unchanged', null, false],
    ])

    const sign = (username: string, password: string) =>
      server.client().call(auth.login, { body: { username, password } })
    const { body } = await sign(owner, 'the old secret')
    expect(body).toMatchObject({
      tenant: ids.tenant,
      role: 'owner',
      instance_admin: false,
      mfa: false,
      max_namespaces: 3,
    })
    expect((await sign(grace, 'legacy secret')).body).toMatchObject({ role: 'operator', name: 'Gräce' })
    expect(await outcome(sign(grace, sha256('legacy secret')))).toBe('401 BAD_CREDENTIALS')
    const rows = await server.database.system().selectFrom('users').select(['username', 'password_hash']).execute()
    for (const one of [owner, grace])
      expect(rows.find(({ username }) => username === one)?.password_hash).toMatch(/^\$argon2id\$/)

    const client = server.client(body.token)
    expect((await client.call(devices.list, {})).body).toMatchObject([
      { uid: ids.device, name: 'web', status: 'accepted' },
    ])
    expect((await client.call(publicKeys.list, {})).body).toMatchObject([
      { name: 'laptop', filter: { tags: ['kiosk'] } },
    ])
    expect((await client.call(firewall.list, {})).body).toMatchObject([{ action: 'deny', filter: { tags: ['kiosk'] } }])
    const log = (await admin.client.call(administration.listAudit, { query: { action: 'account.import' } })).body
    expect(log.map(({ details, actor }) => [actor.type, details['username']])).toEqual([
      ['system', grace],
      ['system', owner],
    ])
  })

  it('never touches an account that is here', async () => {
    await fillPlain()
    const [owner, grace] = [`${ids.names}-owner`, `${ids.names}-grace`]
    const mine = await server.addPerson(owner)
    const other = `insert into users (id, username, email, status, password_digest) values ($1, $2, $3, 'confirmed', $4)`
    await old.client.query(other, [randomUUID(), 'ada', `${ids.names}-ada@example.com`, sha256('x')])
    await old.dump(dumpFile())
    const { accounts } = await read()
    const report = (await operator.json(`import accounts ${accounts.file}`)) as Report
    expect(report.lines.slice(0, 3).map(({ name, outcome: one, reason }) => [name, one, reason])).toEqual([
      [owner, 'unchanged', null],
      [grace, 'created', null],
      ['ada', 'refused', 'Another account has the username ada.'],
    ])
    expect(await outcome(mine.client.call(namespaces.list, {}))).toBe('200')
    const guess = { username: owner, password: 'the old secret' }
    expect(await outcome(server.client().call(auth.login, { body: guess }))).toBe('401 BAD_CREDENTIALS')
  })

  it('reads JSON columns, and tables that a file names', async () => {
    const { client } = old
    await client.query(JSON_TABLES)
    const hash = await hashBcrypt('secret of json', 4)
    const { tenant, owner, names } = ids
    const row = randomUUID()
    const person = [owner, `${names}-J`, `${names}-J@Example.com`, { hash }]
    await client.query(`insert into app."user" values ($1, 'confirmed', 'J', $2, $3, $4, '{"enabled": false}')`, person)
    const settings = { session_record: false, connection_announcement: 'hello' }
    await client.query('insert into app.namespaces values ($1, $2, $3, $4, $5)', [row, tenant, names, owner, settings])
    await client.query("insert into app.members values ($1, $2, 'Owner')", [row, owner])
    const publicKey = pem()
    const address = mac()
    const uid = deviceUid({ mac: address, publicKey, tenant })
    const info = { id: 'alpine', pretty_name: 'Alpine', version: 'v0.19.0', arch: 'arm64', platform: 'docker' }
    const device = [uid, tenant, names, { mac: address }, info, Buffer.from(publicKey), ['one tag', 'kiosk']]
    await client.query("insert into app.devices values ($1,$2,$3,$4,$5,$6,'accepted',$7,'2024-05-06 07:08:09')", device)
    const key = [tenant, freshKeyData(), { hostname: 'web' }]
    await client.query("insert into app.public_keys values ('f', $1, 'laptop', 'root', $2, $3)", key)
    await client.query('alter table app.members rename to crew; alter table app.crew rename role to rank')
    await old.dump(dumpFile())
    const line = `import dump ${dumpFile()} --to ${cli.home}/out`
    expect(await cli.refusal(line)).toEqual([2, expect.stringContaining('The dump has no table of members')])
    await writeFile(`${cli.home}/map`, JSON.stringify({ tables: { members: 'crew' } }))
    const [status, errors] = await cli.refusal(`${line} --map ${cli.home}/map`)
    expect([status, errors]).toEqual([2, expect.stringContaining('app.crew has no column for role of members (role)')])
    expect(errors).toContain('It has tenant_id, user_id, rank.')
    const map = { tables: { members: 'app.crew' }, columns: { members: { role: 'rank' } } }
    await writeFile(`${cli.home}/map`, JSON.stringify(map))
    const report = await read(` --map ${cli.home}/map`)
    expect(reasonsOf(report)).toEqual([])
    expect(JSON.parse(await readFile(report.namespaces[0]?.file ?? '', 'utf8'))).toMatchObject({
      namespace: { tenant_id: tenant, session_record: false, connection_announcement: 'hello' },
      members: [{ email: `${names}-j@example.com`, role: 'owner', has_account: true }],
      devices: [
        {
          uid,
          mac: address,
          info,
          public_key: publicKey,
          tags: ['one tag', 'kiosk'],
          last_seen: '2024-05-06T07:08:09.000Z',
        },
      ],
      public_keys: [{ name: 'laptop', username: 'root', filter: { hostname: 'web' } }],
    })
    const { accounts } = JSON.parse(await readFile(report.accounts.file, 'utf8')) as { accounts: unknown }
    expect(accounts).toMatchObject([{ username: `${names}-j`, password_hash: hash, max_namespaces: 1 }])
  })

  it.each([
    ['an archive', ['--format=custom'], 'pg_restore -f dump.sql'],
    ['a tar archive', ['--format=tar'], 'pg_restore -f dump.sql'],
    ['INSERT statements without columns', ['--inserts'], 'make it again with --column-inserts'],
    ['another encoding', ['--encoding=LATIN1'], 'pg_dump --encoding=UTF8'],
    ['no rows', ['--schema-only'], 'no table of users'],
  ])('says what to do with a dump that has %s', async (_, args, advice) => {
    await fillPlain()
    await old.dump(dumpFile(), ...args)
    expect(await cli.refusal(`import dump ${dumpFile()} --to ${cli.home}/out`)).toEqual([
      2,
      expect.stringContaining(advice),
    ])
    await expect(stat(`${cli.home}/out`)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
