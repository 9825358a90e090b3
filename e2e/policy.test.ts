// Logins by registered key and under firewall rules, with this machine's ssh.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newestSession } from './support/newest-session.ts'
import { type Product, startProduct } from './support/product.ts'
import { SHOWN, type SshTarget, ssh, startEcho, startSsh } from './support/ssh.ts'
import { until } from './support/wait.ts'

let product: Product
let target: SshTarget
let folder: string
const me = userInfo().username

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-keys-'))
  product = await startProduct()
  target = { ...product.ssh, login: `${me}@${product.sshid}`, password: 'not the password' }
})
afterAll(async () => {
  await product.stop()
  rmSync(folder, { recursive: true })
})

/** A new key pair; the base64 of its public line, and the ssh options to use it alone. */
function makeKey(type: string) {
  const file = join(folder, `${type}-${Date.now()}`)
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', file])
  const data = readFileSync(`${file}.pub`).toString('base64')
  const options = [
    '-i',
    file,
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    'PubkeyAuthentication=yes',
    '-o',
    'PreferredAuthentications=publickey',
  ]
  return { data, options }
}

async function register(data: string, change: { username?: string; hostname?: string } = {}) {
  const { call } = await product.client()
  const { username = '.*', hostname = '.*' } = change
  const body = { name: 'mine', username, filter: { hostname }, data }
  return (await call(operations.publicKeys.create, { body })).body
}

describe('a registered key', () => {
  it.each(['ed25519', 'ecdsa', 'rsa'])(
    'lets a registered key of type %s in, without the device ever seeing a password',
    async (type) => {
      const key = makeKey(type)
      await register(key.data)
      const { stdout, code } = await ssh(target, ['echo by key'], { options: key.options })
      expect([stdout.toString(), code]).toEqual(['by key\n', 0])
    },
  )

  it('refuses a key that was removed or never registered', async () => {
    const key = makeKey('ed25519')
    expect((await ssh(target, ['true'], { options: key.options })).code).toBe(255)
    const { fingerprint } = await register(key.data)
    expect((await ssh(target, ['true'], { options: key.options })).code).toBe(0)
    const { call } = await product.client()
    await call(operations.publicKeys.remove, { params: { fingerprint } })
    expect((await ssh(target, ['true'], { options: key.options })).code).toBe(255)
  })

  it.each([
    ['another account', { username: `not-${me}` }],
    ['a part of the account', { username: me.slice(0, 2) }],
    ['another device', { hostname: 'elsewhere' }],
  ])('refuses a registered key that is for %s', async (_, change) => {
    const key = makeKey('ed25519')
    await register(key.data, change)
    expect((await ssh(target, ['true'], { options: key.options })).code).toBe(255)
  })
})

describe('a firewall rule', () => {
  const made: number[] = []
  const deny = { action: 'deny', active: true, priority: 5, source_ip: '.*', username: '.*' } as const

  async function addRule(change: { username?: string; source_ip?: string; action?: 'allow'; priority?: number } = {}) {
    const { call } = await product.client()
    const body = { ...deny, filter: { hostname: '.*' }, ...change }
    made.push((await call(operations.firewall.create, { body })).body.id)
  }
  afterEach(async () => {
    const { call } = await product.client()
    for (const id of made.splice(0)) await call(operations.firewall.remove, { params: { id } })
  })

  it('refuses a right password like a wrong one, and explains the refusal to a right key; the row names the rule', async () => {
    const key = makeKey('ed25519')
    await register(key.data)
    await addRule()
    const byPassword = await ssh({ ...target, password: product.device_password }, ['true'], { options: SHOWN })
    expect([byPassword.code, byPassword.stderr]).toEqual([
      255,
      expect.stringContaining('the password was not accepted'),
    ])
    expect(byPassword.stderr).not.toContain('is refused')
    const byKey = await ssh(target, ['true'], { options: key.options })
    expect([byKey.code, byKey.stderr]).toEqual([255, expect.stringContaining('access to this device is refused')])
    expect(byKey.stderr).not.toContain('rule')
    const { call } = await product.client()
    const refused = await until('both rows are closed by policy', async () => {
      const { body } = await call(operations.sessions.list, {})
      const rows = body.filter((one) => one.closed?.by === 'policy')
      return rows.length === 2 && rows
    })
    expect(refused[0]?.closed?.message).toBe(`Firewall rule ${made[0]} refuses the connection.`)
    expect(refused[0]?.authenticated).toBe(false)
    const { body: entries } = await call(operations.audit.list, {})
    const [entry] = entries.filter(({ action }) => action === 'session.refuse')
    expect(entry).toMatchObject({ ip: '127.0.0.1', details: { rule: made[0], username: me } })
    expect(refused.map(({ uid }) => uid)).toContain(entry?.target)
    const uid = refused[0]?.uid ?? ''
    const { body: row } = await call(operations.sessions.get, { params: { uid } })
    expect(row.events.items).toMatchObject([{ type: 'firewall', data: { rule: made[0], action: 'deny' } }])
  })

  it('applies a rule only to its addresses and accounts, and lets a higher one decide', async () => {
    const right = { ...target, password: product.device_password }
    await addRule({ source_ip: '^10[.]' })
    await addRule({ username: `^not-${me}$` })
    expect((await ssh(right, ['true'])).code).toBe(0)
    await addRule()
    expect((await ssh(right, ['true'])).code).toBe(255)
    await addRule({ action: 'allow', priority: 9 })
    expect((await ssh(right, ['true'])).code).toBe(0)
  })
})

describe('a running session whose permission is withdrawn', () => {
  const withdrawn = /Bowline: access to this device has been withdrawn/
  const byPassword = () => ({ ...target, password: product.device_password })
  /** Starts a session; `cause` reads its own row, regardless of other sessions. */
  async function start(to: SshTarget, options: readonly string[] = []) {
    const session = await startEcho(to, options)
    const client = await product.client()
    const uid = (await newestSession(client))?.uid ?? ''
    const cause = async () => (await client.call(operations.sessions.get, { params: { uid } })).body.closed
    return { ...session, cause }
  }

  it('ends a running session with a text when its key is removed', async () => {
    const { call } = await product.client()
    const key = makeKey('ed25519')
    const { fingerprint } = await register(key.data)
    const session = await start(target, key.options)
    const other = await startEcho(byPassword())
    await call(operations.publicKeys.remove, { params: { fingerprint } })
    const { code, stderr } = await session.result
    expect([code, stderr]).toEqual([255, expect.stringMatching(withdrawn)])
    const cause = { by: 'policy', reason: 'public-key' }
    expect(await until('the row is closed', session.cause)).toMatchObject(cause)
    await other.echo('by password, so not concerned')
    other.end()
    expect((await other.result).code).toBe(0)
  })

  it('ends a running session when a rule refuses it now, unless the namespace exempts running sessions', async () => {
    const { call } = await product.client()
    const rule = { action: 'deny', active: true, priority: 5, source_ip: '.*', username: '.*' } as const
    const body = { ...rule, filter: { hostname: '.*' } }
    const change = (settings: { end_disallowed_sessions: boolean }) =>
      call(operations.namespaces.update, { params: { tenant: product.tenant }, body: { settings } })
    const session = await start(byPassword())
    await change({ end_disallowed_sessions: false })
    const { id } = (await call(operations.firewall.create, { body })).body
    try {
      expect((await ssh(byPassword(), ['true'])).code).toBe(255)
      await session.echo('goes on')
      await change({ end_disallowed_sessions: true })
      const { code, stderr } = await session.result
      expect([code, stderr]).toEqual([255, expect.stringMatching(withdrawn)])
      expect(stderr).not.toContain('rule')
      const message = `Firewall rule ${id} refuses the connection.`
      expect(await until('the row is closed', session.cause)).toMatchObject({
        by: 'policy',
        reason: 'firewall',
        message,
      })
    } finally {
      await call(operations.firewall.remove, { params: { id } })
      await change({ end_disallowed_sessions: true })
    }
  })
})

describe('an administrator', () => {
  it('shows the person that an administrator ended the session', async () => {
    const running = ssh({ ...target, password: product.device_password }, ['echo $$; exec sleep 1000'])
    const { call } = await product.client()
    const session = await until('it runs', async () => {
      const { body } = await call(operations.sessions.list, {})
      return body.find((one) => one.active && one.events.types.includes('exec'))
    })
    const input = { params: { uid: session.uid }, body: { device: session.device_uid } }
    await call(operations.sessions.close, input)
    const { code, stdout, stderr } = await running
    expect(code).toBe(255)
    expect(stderr).toContain('An administrator ended the session.')
    // Not even what needs no terminal goes on.
    await until('its process has ended', () => !existsSync(`/proc/${stdout.toString().trim()}`))
    const closed = await until('the row is closed', async () => {
      const { body } = await call(operations.sessions.get, { params: { uid: session.uid } })
      return body.closed
    })
    expect(closed).toMatchObject({ by: 'admin', reason: 'closed' })
  })

  it('ends what a command has left in the background, too, while that holds the output', async () => {
    const running = startSsh({ ...target, password: product.device_password }, ['sleep 1000 & echo $$ $!'])
    let said = ''
    running.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const over = once(running, 'close')
    const [shell, left] = await until('both have run', () => /^(\d+) (\d+)\n/.exec(said)?.slice(1))
    await until('the shell has ended', () => !existsSync(`/proc/${shell}`))
    expect(existsSync(`/proc/${left}`)).toBe(true)
    const { call } = await product.client()
    const session = await until('its session', async () => {
      const { body } = await call(operations.sessions.list, {})
      return body.find((one) => one.active)
    })
    await call(operations.sessions.close, { params: { uid: session.uid }, body: { device: session.device_uid } })
    await until('what is left has ended', () => !existsSync(`/proc/${left}`))
    await over
  })
})

describe('the events of a session', () => {
  const eventsOf = async (run: () => Promise<unknown>) => {
    await run()
    const client = await product.client()
    const closed = await until('the session is closed', async () => {
      const session = await newestSession(client)
      return session?.closed && session
    })
    const { body } = await client.call(operations.sessions.get, { params: { uid: closed.uid } })
    return { types: body.events.types, items: body.events.items?.map(({ type, seat, data }) => ({ type, seat, data })) }
  }
  const right = () => ({ ...target, password: product.device_password })

  it('records the command, its environment and its exit, but not what was typed', async () => {
    const options = ['-o', 'SetEnv=LC_TEST=hidden']
    const { types, items } = await eventsOf(() => ssh(right(), ['cat; exit 7'], { options, input: 'typed' }))
    expect(items).toEqual([
      { type: 'env', seat: 0, data: { name: 'LC_TEST' } },
      { type: 'exec', seat: 0, data: { command: 'cat; exit 7' } },
      { type: 'exit-status', seat: 0, data: { status: 7 } },
    ])
    expect(types).toEqual(['env', 'exec', 'exit-status'])
    expect(JSON.stringify(items)).not.toContain('typed')
  })

  it('records the terminal, and the signal that ended a shell', async () => {
    const { items } = await eventsOf(() => ssh(right(), [], { options: ['-tt'], input: 'kill -9 $$\n' }))
    expect(items?.map(({ type }) => type)).toEqual(['pty-req', 'shell', 'exit-signal'])
    expect(items?.[0]?.data).toMatchObject({ term: 'xterm-256color' })
    expect(items?.[2]?.data).toMatchObject({ status: 'KILL', dumped: false })
  })

  it('records the targets of forwarded connections', async () => {
    const { items } = await eventsOf(() => ssh(right(), [], { options: ['-W', '127.0.0.1:1'] }))
    expect(items).toEqual([{ type: 'direct-tcpip', seat: 0, data: { host: '127.0.0.1', port: 1 } }])
  })
})

describe('the announcement of the namespace', () => {
  it('shows the announcement in shells with a terminal only', async () => {
    const { call } = await product.client()
    const settings = { connection_announcement: 'Be kind.\u001b[31m' }
    await call(operations.namespaces.update, { params: { tenant: product.tenant }, body: { settings } })
    const right = { ...target, password: product.device_password }
    const shell = await ssh(right, [], { options: ['-tt'], input: 'exit\n' })
    expect(shell.stderr).toMatch(/^Connected to .+ through Bowline\.\r\n/)
    expect(shell.stdout.toString()).toMatch(/^Be kind\.\[31m\r\n/)
    expect((await ssh(right, ['echo quiet'])).stdout.toString()).toBe('quiet\n')
  })
})
