// The long form of `npm start`: a fresh clone with nothing but git's files installs, builds and runs. By command only:
// `npm test -- --project long`.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cleanups } from './support/cleanup.ts'
import { root, startProduct } from './support/product.ts'
import { ssh } from './support/ssh.ts'
import { until } from './support/wait.ts'

const MINUTE_MS = 60_000
const undo = cleanups()

it(
  'installs, builds and prints a working ssh line from a fresh clone, with its documentation a while later',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-clone-'))
    undo(() => rm(folder, { recursive: true, force: true }))
    const checkout = join(folder, 'bowline')
    execFileSync('git', ['clone', '--quiet', root, checkout], { stdio: 'ignore' })
    const PATH = (process.env['PATH'] ?? '').split(':').filter((one) => !one.includes('node_modules'))
    const product = await startProduct({
      checkout,
      command: ['npm', 'start', '--', '--json'],
      env: { PATH: PATH.join(':') },
      timeoutMs: 10 * MINUTE_MS,
    })
    undo(() => product.stop())
    const user = product.ssh_command.split(' ')[3]?.split('@')[0] ?? ''
    const target = { ...product.ssh, login: `${user}@${product.sshid}`, password: product.device_password }
    expect((await ssh(target, ['echo works'])).stdout.toString()).toBe('works\n')
    expect((await fetch(product.console, { headers: { accept: 'text/html' } })).status).toBe(200)
    await until('the documentation is built', async () => (await fetch(product.docs)).ok, 10 * MINUTE_MS)
    expect(existsSync(join(checkout, 'node_modules/.bowline-installed'))).toBe(true)
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: checkout, encoding: 'utf8' })).toBe('')
  },
  30 * MINUTE_MS,
)
