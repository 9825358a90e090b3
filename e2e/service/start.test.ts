// `npm start` as people run it: without root, in a private home, twice, again, and with mistakes.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type OwnedCheckout, ownedCheckout, processesOf } from '../support/checkout.ts'
import { cleanups } from '../support/cleanup.ts'
import { isAlive } from '../support/proc.ts'
import { type Product, type ProductOptions, refusedProduct, startProduct } from '../support/product.ts'
import { type SshResult, ssh } from '../support/ssh.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const isRoot = process.getuid?.() === 0
const undo = cleanups()
let product: Product | undefined
showOnFailure(() => ({ 'npm start': product?.process }))

describe.skipIf(!isRoot)('npm start of an ordinary user (needs root, to become one)', () => {
  let checkout: OwnedCheckout
  let first: Product

  /** `npm start -- --json` with the host's Node and npm. */
  function npmStart() {
    const PATH = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
    return {
      as: checkout.as,
      checkout: checkout.folder,
      command: ['npm', 'start', '--', '--json'],
      dataFolder: join(checkout.home, 'deep'.padEnd(120, '-'), 'data'),
      env: { PATH: PATH.join(':') },
    }
  }
  async function start(options: ProductOptions = {}): Promise<Product> {
    product = await startProduct({ ...npmStart(), ...options })
    return product
  }
  function login({ ssh: where, sshid, device_password }: Product, command: string): Promise<SshResult> {
    return ssh({ ...where, login: `${checkout.user}@${sshid}`, password: device_password }, [command])
  }
  const nothingIsLeft = () =>
    until('everything has ended', async () => {
      const left = await Promise.all((await processesOf(checkout.uid)).map(isAlive))
      return !left.includes(true)
    })
  const hostKey = ({ ssh: { host, port } }: Product): string =>
    execFileSync('ssh-keyscan', ['-T', '20', '-p', String(port), host], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .replace(/^\S+ /, '')

  beforeAll(async () => {
    checkout = await ownedCheckout()
    undo(() => checkout.remove())
    undo(async () => product?.process.end())
    first = await start()
  })

  it('works in a home that nobody else can enter, with a data folder in a deep path', async () => {
    expect((await login(first, 'id -un; pwd')).stdout.toString()).toBe(`${checkout.user}\n${checkout.home}\n`)
    expect(first.ssh_command).toContain(` ${checkout.user}@`)
    expect(first.dataFolder.length).toBeGreaterThan(120)
  })

  it('hides its secrets from everybody else', async () => {
    expect((await stat(first.dataFolder)).mode & 0o777).toBe(0o700)
    const secret = (await readdir(first.dataFolder)).filter((name) => /quickstart|secret|\.key$/.test(name))
    expect(secret).toEqual(expect.arrayContaining(['quickstart.json', 'quickstart-agent.key', 'secret.key']))
    for (const name of secret)
      expect([name, (await stat(join(first.dataFolder, name))).mode & 0o777]).toEqual([name, 0o600])
    const { pid } = first.process
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(first.password)
  })

  it('refuses a second start on the same data, naming the first, which keeps running', async () => {
    const { code, stdout, stderr } = await refusedProduct(npmStart())
    expect(code).toBe(1)
    expect(stdout).not.toContain('{')
    const holder = /Another Bowline server \(process (\d+)\) uses the database/.exec(stderr)?.[1]
    expect(await readFile(`/proc/${holder}/cmdline`, 'utf8')).toContain('server')
    expect((await login(first, 'echo goes on')).stdout.toString()).toBe('goes on\n')
  })

  it('leaves nothing running when stopped, and starts again unchanged', async () => {
    const key = hostKey(first)
    await first.stop()
    await nothingIsLeft()
    const again = await start()
    for (const name of ['username', 'password', 'tenant', 'sshid', 'device_password'] as const) {
      expect([name, again[name]]).toEqual([name, first[name]])
    }
    expect(hostKey(again)).toBe(key)
    const { call } = await again.client()
    expect((await call(operations.devices.list, {})).body).toHaveLength(1)
    expect((await login(again, 'echo again')).stdout.toString()).toBe('again\n')
  })

  it('exits when npm is killed; prints null for a password changed since, and does not try it again', async () => {
    const before = product ?? first
    const { call } = await before.client()
    await call(operations.users.update, { body: { password: 'changed since', current_password: before.password } })
    await before.process.end('SIGKILL')
    await nothingIsLeft()
    const after = await start({ command: ['script', '-qefc', 'npm start -- --json', '/dev/null'], stdin: 'pipe' })
    expect(after).toMatchObject({ username: first.username, password: null, tenant: first.tenant, sshid: first.sshid })
    expect(after.device_password).toBe(first.device_password)
    expect(await readFile(join(after.dataFolder, 'quickstart.json'), 'utf8')).not.toContain(first.password)
    const works = await until('the device is back', async () => {
      const { code, stdout } = await login(after, 'echo works')
      return code === 0 && stdout.toString()
    })
    expect(works).toBe('works\n')
  })

  it('shuts everything down in order on Ctrl-C in a terminal', async () => {
    product?.process.child.stdin?.write('\u0003')
    await product?.process.ended
    expect(
      product?.process
        .output()
        .split('^C')
        .slice(1)
        .map((text) => text.trim()),
    ).toEqual([''])
    expect(await nothingIsLeft()).toBe(true)
  })
})

describe('npm start that cannot work says why in one sentence', () => {
  it.each(['BOWLINE_HTTP_PORT', 'BOWLINE_SSH_PORT'])('explains that %s is in use', async (name) => {
    const other = createServer()
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const { code, stdout, stderr } = await refusedProduct({ env: { [name]: String(port) } })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^bowline: port ${port} is in use; BOWLINE_HTTP_PORT, BOWLINE_SSH_PORT and`, 'm'))
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('names the nearest setting for one that does not exist', async () => {
    const { code, stdout, stderr } = await refusedProduct({ env: { BOWLINE_SHH_PORT: '2222' } })
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^bowline: BOWLINE_SHH_PORT is not a setting; the nearest one is BOWLINE_SSH_PORT\.$/m)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('npm start that other machines can reach', () => {
  const env = { BOWLINE_HOST: '0.0.0.0' }

  it('prints an https console and starts an agent for this machine only when asked', async () => {
    const open = await startProduct({ env })
    product = open
    expect(new URL(open.console).protocol).toBe('https:')
    expect([open.sshid, open.ssh_command, open.device_password]).toEqual([null, null, null])
    expect(open.password).toMatch(/^\S{8,}$/)
    expect((await open.stop()).code).toBe(0)

    const command = [process.execPath, 'scripts/start.js', '--json', '--agent']
    const asked = await startProduct({ env, command })
    product = asked
    const user = asked.ssh_command.split(' ')[3]?.split('@')[0] ?? ''
    const target = { ...asked.ssh, login: `${user}@${asked.sshid}`, password: asked.device_password }
    expect((await ssh(target, ['echo asked for'])).stdout.toString()).toBe('asked for\n')
    expect((await asked.stop()).code).toBe(0)
  })

  it('sets itself up also where its name does not lead to this machine', async () => {
    const named = await startProduct({ env: { ...env, BOWLINE_DOMAIN: 'console.invalid' } })
    product = named
    expect(new URL(named.console).hostname).toBe('console.invalid')
    expect(named.password).toMatch(/^\S{8,}$/)
    expect((await named.stop()).code).toBe(0)
  })

  it('has an agent of this machine behind a proxy that its name leads to', async () => {
    const proxied = await startProduct({ env: { BOWLINE_DOMAIN: 'console.invalid' } })
    product = proxied
    const user = proxied.ssh_command.split(' ')[3]?.split('@')[0] ?? ''
    const login = `${user}@${proxied.sshid}`
    const target = { host: '127.0.0.1', port: proxied.ssh.port, login, password: proxied.device_password }
    expect((await ssh(target, ['echo here'])).stdout.toString()).toBe('here\n')
    expect((await proxied.stop()).code).toBe(0)
  })
})
