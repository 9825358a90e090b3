// Logins by registered key and under firewall rules, with the ssh of this machine.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from './support/product.ts'
import { type SshTarget, ssh } from './support/ssh.ts'
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

/** A new key pair; the base64 of its public line, and the options that make ssh use it alone. */
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
    'of type %s gets in, without the device ever seeing a password',
    async (type) => {
      const key = makeKey(type)
      await register(key.data)
      const { stdout, code } = await ssh(target, ['echo by key'], { options: key.options })
      expect([stdout.toString(), code]).toEqual(['by key\n', 0])
    },
  )

  it('does not get in once it is removed, nor before it is registered', async () => {
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
  ])('that is for %s does not get in', async (_, change) => {
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

  it('keeps out a right password and a right key; the row names the rule, the person only hears of the refusal', async () => {
    const key = makeKey('ed25519')
    await register(key.data)
    await addRule()
    const attempts = [
      await ssh({ ...target, password: product.device_password }, ['true']),
      await ssh(target, ['true'], { options: key.options }),
    ]
    for (const { code, stderr } of attempts) {
      expect(code).toBe(255)
      expect(stderr).toContain('access to this device is refused')
      expect(stderr).not.toContain('rule')
    }
    const { call } = await product.client()
    const refused = await until('both rows are closed by policy', async () => {
      const { body } = await call(operations.sessions.list, {})
      const rows = body.filter((one) => one.closed?.by === 'policy')
      return rows.length === 2 && rows
    })
    expect(refused[0]?.closed?.message).toBe(`Firewall rule ${made[0]} refuses the connection.`)
    expect(refused[0]?.authenticated).toBe(false)
  })

  it('for other addresses or accounts does not, and a higher one decides', async () => {
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

describe('an administrator', () => {
  it('ends a running session, which the person is told', async () => {
    const running = ssh({ ...target, password: product.device_password }, ['sleep 1000'])
    const { call } = await product.client()
    const session = await until('it runs', async () => {
      const { body } = await call(operations.sessions.list, {})
      return body.find((one) => one.active && one.events.types.includes('exec'))
    })
    const input = { params: { uid: session.uid }, body: { device: session.device_uid } }
    await call(operations.sessions.close, input)
    const { code, stderr } = await running
    expect(code).toBe(255)
    expect(stderr).toContain('An administrator ended the session.')
    const closed = await until('the row is closed', async () => {
      const { body } = await call(operations.sessions.get, { params: { uid: session.uid } })
      return body.closed
    })
    expect(closed).toMatchObject({ by: 'admin', reason: 'closed' })
  })
})

describe('the announcement of the namespace', () => {
  it('opens shells with a terminal, and only those', async () => {
    const { call } = await product.client()
    const settings = { connection_announcement: 'Be kind.\u001b[31m' }
    await call(operations.namespaces.update, { params: { tenant: product.tenant }, body: { settings } })
    const right = { ...target, password: product.device_password }
    const shell = await ssh(right, [], { options: ['-tt'], input: 'exit\n' })
    expect(shell.stdout.toString()).toMatch(/^Connected to .+ through Bowline\.\r\nBe kind\.\[31m\r\n/)
    expect((await ssh(right, ['echo quiet'])).stdout.toString()).toBe('quiet\n')
  })
})
