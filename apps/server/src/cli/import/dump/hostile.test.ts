// Dumps by hand that contradict themselves, or come from somebody who means ill.
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readAccountsFile } from '../accounts-file.ts'
import { readMapFile } from './map-file.ts'
import { type DumpReport, readDump } from './read.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-hostile-'))
  return () => rm(folder, { recursive: true })
})

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const HASH = 'a'.repeat(64)
const TABLES: Readonly<Record<string, readonly [columns: string, ...rows: string[]]>> = {
  users: ['id, username, email, password, status', `${uuid(1)}\tann\tann@example.com\t${HASH}\tconfirmed`],
  namespaces: ['tenant_id, name, owner, session_record', `${uuid(8)}\thome\t${uuid(1)}\tt`],
  members: ['tenant_id, user_id, role', `${uuid(8)}\t${uuid(1)}\towner`],
  devices: ['uid, tenant_id, name, mac, public_key, status', `u1\t${uuid(8)}\tweb\t02:00\tkey\taccepted`],
}

/** @param changed rows and columns of some tables; null for none */
async function reading(
  changed: Readonly<Record<string, readonly [string, ...string[]] | null>> = {},
  map?: unknown,
): Promise<DumpReport> {
  const tables = Object.entries({ ...TABLES, ...changed }).flatMap(([name, table]) => {
    if (table === null) return []
    const [columns, ...rows] = table
    return [
      `COPY ${name.includes('.') ? name : `public.${name}`} (${columns}) FROM stdin;`,
      ...rows,
      String.raw`\.`,
      '',
    ]
  })
  await writeFile(join(folder, 'dump'), tables.join('\n'))
  if (map !== undefined) await writeFile(join(folder, 'map'), JSON.stringify(map))
  const names = await readMapFile(map === undefined ? undefined : join(folder, 'map'))
  return readDump(join(folder, 'dump'), { to: join(folder, 'out'), names, now: () => 0 })
}
const reasons = ({ unreadable }: DumpReport) => unreadable.map(({ what, name, reason }) => `${what} ${name}: ${reason}`)
async function content(report: DumpReport, nth = 0): Promise<Record<string, unknown[]>> {
  return JSON.parse(await readFile(report.namespaces[nth]?.file ?? '', 'utf8')) as Record<string, unknown[]>
}

describe('a dump that contradicts itself', () => {
  it('has the first of several with one id, username, address or uid', async () => {
    const user = (id: number, name: string, email: string) => `${uuid(id)}\t${name}\t${email}\t${HASH}\tconfirmed`
    const users = [
      user(1, 'ann', 'ann@example.com'),
      user(1, 'bob', 'bob@example.com'),
      user(2, 'ANN', 'other@example.com'),
      user(3, 'eve', 'ANN@example.com'),
      user(4, 'dan@example.com', 'mine@example.com'),
      `${uuid(5)}\tfay\tfay@example.com\t$1$salt$hash\tconfirmed`,
    ]
    const { devices, namespaces } = TABLES
    const report = await reading({
      users: ['id, username, email, password, status', ...users],
      namespaces: [namespaces?.[0] ?? '', namespaces?.[1] ?? '', `${uuid(8)}\tsecond\t${uuid(1)}\tt`],
      devices: [
        devices?.[0] ?? '',
        devices?.[1] ?? '',
        `u1\t${uuid(8)}\tcopy\t02:01\tkey\taccepted`,
        `u2\t${uuid(9)}\tx\tm\tk\taccepted`,
      ],
    })
    expect(reasons(report)).toEqual([
      'account bob: Another account has the same id.',
      'account ANN: Another account has the same username.',
      'account eve: Another account has the same address.',
      'account dan@example.com: username must not contain @ unless it is the own address.',
      'account fay: password_hash must be a bcrypt hash ($2a$, $2b$ or $2y$) of cost 4 to 14, or 64 hex digits of SHA-256.',
      'namespace second: Another namespace has the same id.',
      `namespace ${uuid(9)}: 1 rows of devices belong to it, and it is not there or cannot come.`,
      'device copy: Another device has the same uid.',
    ])
    const { accounts } = await readAccountsFile(report.accounts.file)
    expect(accounts.map(({ username, email }) => [username, email])).toEqual([['ann', 'ann@example.com']])
    expect((await content(report))['devices']).toMatchObject([{ uid: 'u1', name: 'web' }])
  })

  it('has no device whose status nobody knows, and no namespace without an id', async () => {
    const report = await reading({
      namespaces: ['tenant_id, name, session_record', `${uuid(8)}\thome\tt`, 'no-uuid\tother\tt', `\\N\tnull\tt`],
      devices: ['uid, tenant_id, name, mac, public_key, status', `u1\t${uuid(8)}\tweb\tm\tk\tremoved`],
    })
    expect(report.namespaces.map(({ name, counts }) => [name, counts.devices])).toEqual([['home', 0]])
    expect(reasons(report)).toEqual([
      expect.stringContaining('namespace other: '),
      expect.stringContaining('namespace null: '),
      expect.stringContaining('device web: status'),
    ])
  })

  it('names files by namespaces only where that is a name', async () => {
    const names = ['../../evil', 'accounts', 'home', 'HOME', '']
    const rows = names.map((name, n) => `${uuid(10 + n)}\t${name}\tt`)
    const report = await reading({
      namespaces: ['tenant_id, name, session_record', ...rows],
      members: ['tenant_id, user_id, role'],
    })
    expect(report.namespaces).toHaveLength(names.length)
    expect((await readdir(join(folder, 'out/namespaces'))).toSorted()).toEqual(
      ['accounts.json', 'home.json', ...[10, 13, 14].map((n) => `${uuid(n)}.json`)].toSorted(),
    )
    expect((await readdir(folder)).toSorted()).toEqual(['dump', 'out'])
  })
})

describe('keys and rules of a dump', () => {
  const keys = 'id, tenant_id, name, username, data, filter'
  const rules = 'id, tenant_id, action, active, priority, source_ip, username, filter_hostname'
  it.each([
    ['{"hostname": "web"}', '.*', 1],
    ['{"hostname": ""}', '.*', 0],
    ['{}', '.*', 0],
    [String.raw`\N`, '.*', 0],
    ['not json', '.*', 0],
    ['{"tags": ["a"]}', '.*', 1],
    ['{"tags": []}', '.*', 0],
    [`{"tags": ["${uuid(77)}"]}`, '.*', 0],
    [`{"tags": ["a", "${uuid(77)}"]}`, '.*', 0],
    ['{"hostname": "web"}', '', 0],
    ['{"hostname": "web"}', String.raw`\N`, 0],
  ])('with the filter %s for the accounts %s are for no more than there', async (filter, username, read) => {
    const report = await reading({ public_keys: [keys, `1\t${uuid(8)}\tkey\t${username}\tdata\t${filter}`] })
    expect(report.namespaces[0]?.counts.public_keys).toBe(read)
    expect(report.unreadable).toHaveLength(1 - read)
  })

  it('that deny and cannot be read are reported', async () => {
    const report = await reading({
      firewall_rules: [rules, `1\t${uuid(8)}\tdeny\tt\t1\t.*\t.*\t\\N`, `2\t${uuid(8)}\tdeny\tt\tone\t.*\t.*\t.*`],
    })
    expect(reasons(report)).toEqual([
      'firewall rule 1: The dump does not tell for which devices it is.',
      expect.stringContaining('priority'),
    ])
  })
})

describe('tables that are not as expected', () => {
  it.each([
    [{ users: null }, undefined, 'no table of users (users, user, accounts)'],
    [{ users: ['id, username, email', 'x'] }, undefined, 'public.users has no column for password_hash of users'],
    [{ 'auth.users': ['id', '1'] }, undefined, 'may both be the table of users'],
    [{ tags: ['tenant_id, name', 'x\ty'] }, undefined, '{"tables": {"tags": null}} goes on without tags'],
    [{}, { tables: { users: 'people' } }, 'no table of users (people)'],
    [{}, { columns: { users: { name: 'nick' } } }, 'public.users has no column for name of users (nick)'],
    [{}, { tables: { robots: 'x' } }, 'Tables are users, namespaces'],
    [{}, { columns: { users: { secret: 'x' } } }, 'Columns of users are id, name'],
  ] as const)('%j with the names %j end the command, and nothing is written', async (changed, map, reason) => {
    const failed = await reading(changed, map).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(failed).toContain(reason)
    expect(failed).not.toContain(HASH)
    await expect(stat(join(folder, 'out'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('can be chosen by their schema, or left out', async () => {
    const users = ['id, username, email, password', `${uuid(2)}\tzoe\tzoe@example.com\t${HASH}`] as const
    const map = { tables: { users: 'auth.users', tags: null } }
    const report = await reading({ 'auth.users': users, tags: ['name', 'x'] }, map)
    const { accounts } = await readAccountsFile(report.accounts.file)
    expect(accounts.map(({ username }) => username)).toEqual(['zoe'])
    expect(report.tables.filter(({ kind }) => kind === undefined).map(({ name }) => name)).toEqual([
      'public.users',
      'public.tags',
    ])
  })
})

describe('the file with accounts', () => {
  let file: string
  beforeEach(async () => {
    file = (await reading()).accounts.file
  })

  it('is refused when others can read it', async () => {
    const text = await readFile(file)
    await rm(file)
    await writeFile(file, text, { mode: 0o640 })
    await expect(readAccountsFile(file)).rejects.toThrow(`chmod 600 ${file}`)
  })

  it('becomes private again where an earlier one was not', async () => {
    await writeFile(`${file}.new`, 'left', { mode: 0o666 })
    await reading()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['format', 'accounts', 'format: must be bowline-import-accounts'],
    ['accounts', [{ username: 'ann' }], 'accounts.0.name'],
    ['accounts', [{ password_hash: 'secret-hash' }], 'accounts.0.password_hash: must be a bcrypt hash'],
  ])('with another %s is refused by the name of the field, without a hash', async (field, value, reason) => {
    const json = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    await writeFile(file, JSON.stringify({ ...json, [field]: value }))
    const failed = await readAccountsFile(file).catch((error: unknown) => String(error))
    expect(failed).toContain(reason)
    expect(failed).not.toContain('secret-hash')
  })
})
