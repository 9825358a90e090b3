// Commands as typed by an operator: output, effect and exit status.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmbeddedPostgres } from '../db/embedded/supervisor.ts'
import { emptyDatabase } from '../testing/database.ts'
import { silentLog } from '../platform/log.ts'
import { type BootedServer, PASSWORD, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
let folder: string
let env: Record<string, string>
beforeAll(async () => {
  server = await bootServer()
  folder = await mkdtemp(join(tmpdir(), 'bowline-cli-'))
  env = { BOWLINE_DATABASE_URL: databaseUrl(server.owner), BOWLINE_SECRET_KEY: server.secretKey }
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const { run, bowline, json, refusal } = commandLine(() => env)
const signIn = (username: string, password: string) =>
  outcome(server.client().call(operations.auth.login, { body: { username, password } }))

describe('users', () => {
  it('ends the set-up with the first user', async () => {
    const isSetUp = async () => (await server.client().call(operations.instance.info, {})).body.setup
    expect(await isSetUp()).toBe(false)
    expect(await bowline(`user create Ada ${'x'.repeat(8)} Ada@Example.com`)).toBe('Created the user ada.')
    expect(await isSetUp()).toBe(true)
    expect(await signIn('ada', 'xxxxxxxx')).toBe('200')
  })

  it('lists users as a table and as JSON', async () => {
    expect(await bowline('user list')).toBe(
      [
        'USERNAME  NAME  E-MAIL           STATUS     SECOND FACTOR',
        'ada       ada   ada@example.com  confirmed  off',
      ].join('\n'),
    )
    const id = expect.stringMatching(/^[0-9a-f]{24}$/)
    const ada = { id, username: 'ada', name: 'ada', email: 'ada@example.com', status: 'confirmed', mfa: false }
    expect(await json('user list')).toEqual([ada])
  })

  it('sets a password from stdin and ends every session of the user', async () => {
    const { body } = await server.client().call(operations.auth.login, {
      body: { username: 'ada', password: 'xxxxxxxx' },
    })
    expect(await bowline('user password ada -', `${PASSWORD}\n`)).toBe(
      'Set the password of ada; everybody signed in with the old one is out.',
    )
    expect(await outcome(server.client(body.token).call(operations.auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    expect(await signIn('ada', 'xxxxxxxx')).toBe('401 BAD_CREDENTIALS')
    expect(await signIn('ada', PASSWORD)).toBe('200')
  })

  it('signs a user out everywhere', async () => {
    const { body } = await server.client().call(operations.auth.login, {
      body: { username: 'ada', password: PASSWORD },
    })
    expect(await bowline('user sign-out ada')).toBe('Signed ada out everywhere.')
    expect(await outcome(server.client(body.token).call(operations.auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    expect(await signIn('ada', PASSWORD)).toBe('200')
  })

  it('prints the history of a user, and failed sign-ins of unknown names', async () => {
    await signIn('no-such-person', 'wrong')
    const history = (await json('user history ada')) as { kind: string; username: string }[]
    expect(new Set(history.map(({ kind }) => kind))).toEqual(
      new Set(['account.create', 'sign-in', 'sign-in.fail', 'password.set', 'sign-out.everywhere']),
    )
    expect(new Set(history.map(({ username }) => username))).toEqual(new Set(['ada']))
    expect(await json('user history')).toContainEqual(
      expect.objectContaining({ kind: 'sign-in.fail', username: '', count: 1 }),
    )
    expect(await bowline('user history ada')).toMatch(/^TIME +USERNAME +EVENT +COUNT +SOURCE +DETAILS\n/)
  })

  it.each([
    ['user create ada another-one other@example.com', 'bowline: username is taken.'],
    ['user create eve another-one ada@example.com', 'bowline: email is taken.'],
    ['user create eve tiny eve@example.com', 'bowline: password: must have 5 to 30 characters.'],
    ['user create e another-one eve@example.com', 'bowline: username: must have 3 to 30 characters.'],
    [
      'user create eve eve@example.com eve@example.com',
      'bowline: password: must differ from the username and the e-mail address.',
    ],
    ['user password ada ADA', 'bowline: password: must have 5 to 30 characters.'],
    ['user sign-out nobody', 'bowline: The user nobody was not found.'],
    ['user history nobody', 'bowline: The user nobody was not found.'],
    ['user password nobody another-one', 'bowline: The user nobody was not found.'],
    ['user delete nobody', 'bowline: The user nobody was not found.'],
  ])('refuses "bowline %s" with "%s"', async (line, complaint) => {
    expect(await refusal(line)).toEqual([1, complaint])
  })

  it('refuses to delete a user who owns namespaces and names them', async () => {
    await bowline('user create owner another-one owner@example.com')
    await bowline('namespace create first owner')
    await bowline('namespace create second owner')
    expect(await refusal('user delete owner')).toEqual([
      1,
      'bowline: owner owns first, second: delete what is owned first.',
    ])
    await bowline('namespace delete first')
    await bowline('namespace delete second')
    expect(await bowline('user delete owner')).toBe('Deleted the user owner.')
    expect(await signIn('owner', 'another-one')).toBe('401 BAD_CREDENTIALS')
  })
})

describe('namespaces', () => {
  const tenant = '11111111-2222-4333-8444-555555555555'

  it('creates, lists and deletes namespaces', async () => {
    expect(await bowline(`namespace create Lab ada ${tenant} --type personal`)).toBe(
      `Created the namespace lab (${tenant}) of ada.`,
    )
    expect(await bowline('namespace list')).toBe(
      [
        'NAME  TENANT ID                             OWNER            MEMBERS  DEVICES',
        `lab   ${tenant}  ada@example.com  1        0`,
      ].join('\n'),
    )
    expect(await json('namespace list')).toMatchObject([
      { name: 'lab', tenant_id: tenant, type: 'personal', max_devices: -1, settings: { session_record: true } },
    ])
    expect(await refusal('namespace create lab ada')).toEqual([1, 'bowline: name is taken.'])
    expect(await refusal(`namespace create other ada ${tenant}`)).toEqual([1, 'bowline: tenant is taken.'])
    expect(await refusal('namespace create other ada nonsense')).toEqual([1, 'bowline: tenant: must be a UUID.'])
  })

  it('adds and removes members, with the command line as actor in the audit log', async () => {
    await bowline('user create bob another-one bob@example.com')
    expect(await bowline('namespace member add bob lab operator')).toBe('bob is operator of lab now.')
    expect(await refusal('namespace member add bob lab operator')).toEqual([
      1,
      'bowline: The user is a member already.',
    ])
    expect(await refusal('namespace member add bob lab owner')).toEqual([
      1,
      'bowline: The role owner may not grant or act on the role owner.',
    ])
    expect(await refusal('namespace member remove ada lab')).toEqual([
      1,
      'bowline: The role owner may not grant or act on the role owner.',
    ])
    expect(await bowline('namespace member remove bob lab')).toBe('bob is no member of lab any more.')
    const log = await server.database.system().selectFrom('audit_log').selectAll().orderBy('id').execute()
    expect(log.filter((entry) => entry.tenant_id === tenant)).toMatchObject([
      { action: 'member.add', actor_type: 'system', actor_id: 'command line' },
      { action: 'member.remove', actor_type: 'system', actor_id: 'command line' },
    ])
  })

  it('creates API keys of a namespace’s owner, printed once', async () => {
    const key = await bowline('api-key create machine lab --role observer --expires-days 30')
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    const status = async (path: string) => (await server.fetch(path, { headers: { 'x-api-key': key } })).status
    expect(await status('/api/stats')).toBe(200)
    expect(await json('api-key create other lab')).toMatchObject({
      name: 'other',
      role: 'administrator',
      expires_in: -1,
    })
    expect(await json('api-key create limited lab --scope devices:read audit:read')).toMatchObject({
      scopes: ['devices:read', 'audit:read'],
    })
    expect(await refusal('api-key create third lab --scope devices')).toEqual([
      1,
      'bowline: scopes.0: must be an area with :read or :write, such as devices:read.',
    ])
    expect(await refusal('api-key create machine lab')).toEqual([1, 'bowline: name is taken.'])
    expect(await refusal('api-key create third lab --role owner')).toEqual([
      1,
      'bowline: The role owner may not grant or act on the role owner.',
    ])
    expect(await refusal('api-key create third lab --expires-days 31')).toEqual([
      1,
      'bowline: expires_at: must be -1, 30, 60, 90 or 365.',
    ])
    expect(await bowline('namespace delete LAB --now')).toBe('Removed the namespace LAB for good.')
    expect(await status('/api/stats')).toBe(401)
    expect(await refusal('namespace delete lab')).toEqual([1, 'bowline: The namespace lab was not found.'])
  })
})

describe('announcements', () => {
  it('publishes, lists and deletes announcements', async () => {
    const made = await run(['announcement', 'create', 'Maintenance on Sunday', '-'], '# All of it\n')
    const uuid = made.out
    expect(made).toMatchObject({ status: 0, errors: '' })
    const { body } = await server.client().call(operations.announcements.get, { params: { uuid } })
    expect(body).toMatchObject({ title: 'Maintenance on Sunday', content: '# All of it\n' })
    expect(await bowline('announcement list')).toBe(
      [
        `UUID${' '.repeat(34)}DATE${' '.repeat(22)}END  STATE  TITLE`,
        `${uuid}  ${body.date}       shown  Maintenance on Sunday`,
      ].join('\n'),
    )
    expect(await refusal(`announcement create ${'x'.repeat(91)} y`)).toEqual([
      1,
      'bowline: title: must have at most 90 characters.',
    ])
    expect(await bowline(`announcement edit ${uuid} --title Later --at 2100-01-01T00:00:00Z`)).toBe(
      `Changed the announcement ${uuid}.`,
    )
    expect(await json('announcement list')).toMatchObject([{ uuid, title: 'Later', state: 'scheduled' }])
    expect(await refusal(`announcement edit ${uuid} --until 2099-01-01T00:00:00Z`)).toEqual([
      1,
      'bowline: ends_at: must be after date.',
    ])
    expect(await bowline(`announcement delete ${uuid}`)).toBe(`Deleted the announcement ${uuid}.`)
    expect(await json('announcement list')).toEqual([])
  })
})

describe('backup and restore', () => {
  it('restores a backup of everything into an empty database', async () => {
    const file = join(folder, 'backup.tar.gz')
    const made = await json(`backup ${file}`)
    expect(made).toMatchObject({ file, with_key: false, rows: { users: 2 } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await refusal(`backup ${file}`)).toEqual([
      1,
      `bowline: ${file} exists already; a backup is not overwritten.`,
    ])
    const [status, complaint] = await refusal(`restore ${file}`)
    expect([status, complaint]).toEqual([1, expect.stringContaining('The database is not empty')])
    const empty = await emptyDatabase()
    try {
      const settings = { ...env, BOWLINE_DATABASE_URL: databaseUrl(empty.owner) }
      const restored = await run(['restore', file], '', settings)
      expect(restored).toMatchObject({ status: 0, out: expect.stringMatching(/^Restored \d+ rows of v/) })
      expect((await run(['user', 'list', '--json'], '', settings)).out).toBe(await bowline('user list --json'))
    } finally {
      await empty.close()
    }
  })
})

describe('embedded database', () => {
  let data: string
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'bowline-cli-data-'))
  })
  afterEach(() => rm(data, { recursive: true, force: true }))

  it('starts the embedded database for a command, or shares that of a running server', async () => {
    const settings = { BOWLINE_DATA_DIR: data }
    const created = await run(['user', 'create', 'ada', '-', 'ada@example.com'], PASSWORD, settings)
    expect(created).toEqual({ status: 0, out: 'Created the user ada.', errors: '' })
    const running = await startEmbeddedPostgres({ dataDir: data, log: silentLog })
    try {
      const listed = await run(['user', 'list', '--json'], '', settings)
      expect(JSON.parse(listed.out)).toMatchObject([{ username: 'ada' }])
    } finally {
      await running.close()
    }
    // Only the server creates the key, at its first start.
    await expect(readFile(join(data, 'secret.key'))).rejects.toThrow('ENOENT')
  })
})

describe('command line', () => {
  it.each([
    ['user frobnicate', "error: unknown command 'frobnicate'"],
    ['user create ada', "error: missing required argument 'password'"],
    ['namespace list --yaml', "error: unknown option '--yaml'"],
  ])('exits with 2 and an explanation for misuse: %s', async (line, complaint) => {
    const [status, complaints] = await refusal(line)
    expect([status, complaints]).toEqual([2, expect.stringContaining(complaint)])
  })

  it('exits with 2 for an unknown setting', async () => {
    const { status, errors } = await run(['user', 'list'], '', { BOWLINE_DATABSE_URL: 'x' })
    expect([status, errors]).toEqual([
      2,
      'bowline: BOWLINE_DATABSE_URL is not a setting; the nearest one is BOWLINE_DATABASE_URL.',
    ])
  })

  it('offers --json on every command that ends by itself', async () => {
    /** Commands without subcommands. */
    const leaves = async (words: readonly string[]): Promise<(readonly string[])[]> => {
      const { out } = await run([...words, '--help'])
      const below = (out.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)
      const names = [...below].map(([, name = '']) => name).filter((name) => name !== 'help')
      return names.length ? (await Promise.all(names.map((name) => leaves([...words, name])))).flat() : [words]
    }
    const commands = await leaves([])
    const without: string[] = []
    for (const words of commands) {
      const { out } = await run([...words, '--help'])
      if (!out.includes('--json')) without.push(words.join(' '))
    }
    expect(commands.map((words) => words.join(' '))).toEqual(
      expect.arrayContaining([
        ...['create', 'password', 'delete', 'list'].map((verb) => `user ${verb}`),
        ...['create', 'delete', 'list', 'member add', 'member remove'].map((verb) => `namespace ${verb}`),
        ...['create', 'list', 'delete'].map((verb) => `announcement ${verb}`),
        'api-key create',
      ]),
    )
    // They run until they are stopped, or print many lines of JSON.
    expect(without).toEqual(['server', 'tunnel connect', 'audit export'])
  })

  it('lists all commands in --help', async () => {
    const { status, out } = await run(['--help'])
    expect(status).toBe(0)
    for (const command of ['server', 'user', 'namespace', 'api-key', 'announcement', 'backup', 'restore']) {
      expect(out).toContain(`\n  ${command}`)
    }
  })
})

it('refuses `bowline agent` as misuse with an explanation', async () => {
  expect(await refusal('agent run')).toEqual([2, expect.stringContaining('the agent is a program of its own')])
})
