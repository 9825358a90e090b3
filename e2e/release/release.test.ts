// Builds, installs and upgrades a release as the documentation describes, with its commands and files, on a machine
// booted with systemd that has neither npm nor a checkout.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { expect, it } from 'vitest'
import { installCommand } from '../../apps/console/src/features/devices/add/commands.ts'
import { OWN_AGENT, buildStale } from '../../scripts/build.ts'
import { makeReleases, versionOfCheckout } from '../../scripts/release/release.ts'
import { type BootedMachine, USER, bootMachine, bootProblem, systemd } from '../support/machines/booted-machine.ts'
import { cleanups } from '../support/cleanup.ts'
import { freePort } from '@bowline/testkit/free-port'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Step, stepsOf } from './page.ts'

const MINUTE_MS = 60_000
const undo = cleanups()
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const problem = bootProblem(systemd)

/** Builds the releases and serves them to machines. @returns the URL of their folder */
async function offered(versions: readonly string[]): Promise<string> {
  await buildStale(['console', 'docs', OWN_AGENT])
  const target = await mkdtemp(join(tmpdir(), 'bowline-e2e-release-'))
  undo(() => rm(target, { recursive: true, force: true }))
  makeReleases({ arch, versions, agents: [arch], target, compression: 1 })
  const port = await freePort()
  // In a separate process: this one is blocked while it waits for the machine's commands.
  const web = spawn('python3', ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', target], {
    stdio: 'ignore',
  })
  undo(() => void web.kill())
  const address = `http://127.0.0.1:${port}`
  await until('the archives are offered', () =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return address
}

it.skipIf(problem !== undefined)(
  'installs and upgrades a release as the pages say: console, documentation, set-up link, agent and ssh work',
  async () => {
    const [first, second] = [versionOfCheckout(), '99.0.0']
    const store = await offered([first, second])
    const machine = await bootMachine(systemd, 'released')
    undo(() => machine.remove())
    const ports = { http: await freePort(), ssh: await freePort() }
    const origin = `http://localhost:${ports.http}`

    /** Only this machine is reached, so nothing needs encryption; root needs no sudo. */
    const ours = (text: string, version: string): string =>
      text
        .replace('BOWLINE_HOST=0.0.0.0', 'BOWLINE_HOST=127.0.0.1')
        .replace(
          'BOWLINE_DOMAIN=bowline.example.com',
          'BOWLINE_DOMAIN=localhost\nBOWLINE_UNCOUNTED_SOURCES=127.0.0.0/8',
        )
        .replace('BOWLINE_HTTP_PORT=8443', `BOWLINE_HTTP_PORT=${ports.http}`)
        .replace('BOWLINE_SSH_PORT=2222', `BOWLINE_SSH_PORT=${ports.ssh}`)
        .replaceAll(/^BOWLINE_TLS_.*\n/gm, '')
        .replaceAll(/^version=.*$/gm, `version=${version}`)
        .replaceAll(/bowline-[\d.]+-linux/g, `bowline-${version}-linux`)
        .replaceAll('linux-x64', `linux-${arch}`)
    let variables = ''
    const lineOf = (step: Step, version: string): string =>
      'file' in step
        ? `cat >'${step.file}' <<'END'\n${ours(step.text, version)}END`
        : `set -e; sudo() { "$@"; }; cd /root\n${variables}\n${ours(step.script, version)}`
    const take = (step: Step, version: string): string => command(machine, lineOf(step, version))
    const fetchRelease = (version: string) =>
      command(machine, `cd /root && curl -fsSO ${store}/bowline-${version}-linux-${arch}.tar.gz`)

    fetchRelease(first)
    const output = (await stepsOf('self-hosted/deploying.md', 'release')).map((step) => take(step, first)).join('')
    const link = /http:\S+\/setup\?sign=\S+/.exec(output)?.[0] ?? ''
    expect(link.startsWith(origin)).toBe(true)
    const page = async (url: string) => {
      const response = await fetch(url, { headers: { accept: 'text/html' } })
      return [response.status, response.headers.get('content-type')]
    }
    const html = [200, expect.stringContaining('text/html')]
    for (const url of [`${origin}/`, `${origin}/docs/`, link])
      expect([url, ...(await page(url))]).toEqual([url, ...html])

    const account = { username: 'operator', password: 'correct horse' }
    const anonymous = createClient({ origin })
    const sign = new URL(link).searchParams.get('sign') ?? ''
    const person = { ...account, name: 'Olga Operator', email: 'operator@example.com' }
    await anonymous.call(operations.instance.setup, { query: { sign }, body: person })
    const { token, tenant } = (await anonymous.call(operations.auth.login, { body: account })).body
    const client = createClient({ origin, token: () => token })
    command(machine, installCommand(origin, tenant, ''))
    const device = await until('the device has registered', async () => {
      const { body } = await client.call(operations.devices.list, { query: { status: 'pending' } })
      return body[0]
    })
    await client.call(operations.devices.setStatus, { params: { uid: device.uid, status: 'accept' } })
    const login = async () => {
      await until('the agent is linked', () => machine.run('bowline agent status').status === 0)
      const target = { host: '127.0.0.1', port: ports.ssh, login: `${USER.name}@${device.namespace}.${device.name}` }
      return (await ssh({ ...target, password: USER.password }, ['id -un'])).stdout.toString()
    }
    expect(await login()).toBe(`${USER.name}\n`)

    for (const step of await stepsOf('self-hosted/checking.md', 'release')) {
      const { status, stdout } = machine.run(lineOf(step, first))
      expect(stdout).toMatch(/^ok +database: /m)
      // Nothing is wrong, or there are warnings.
      expect([{ status: 0 }, { status: 3 }].map((one) => ({ ...one, stdout }))).toContainEqual({ status, stdout })
    }

    const answers = (version: string) =>
      until(`version ${version} answers`, async () => {
        const { body } = await anonymous.call(operations.instance.info, {}).catch(() => ({ body: { version: '' } }))
        return body.version === `v${version}`
      })
    variables = `SERVER='${origin}' TENANT='${tenant}'`
    const [backup, unpack, restart, agent, back, ...others] = await stepsOf('self-hosted/upgrading.md', 'release')
    if (!backup || !unpack || !restart || !agent || !back) throw new Error('the page has other steps')
    expect(others).toEqual([])
    fetchRelease(second)
    for (const step of [backup, unpack]) take(step, second)
    expect(take(restart, second)).toContain(second)
    await answers(second)
    expect([await page(`${origin}/`), await page(`${origin}/docs/`)]).toEqual([html, html])
    expect(await login()).toBe(`${USER.name}\n`)
    take(agent, second)
    expect(await login()).toBe(`${USER.name}\n`)

    await client.call(operations.devices.update, { params: { uid: device.uid }, body: { name: 'renamed' } })
    take(back, first)
    await answers(first)
    expect((await client.call(operations.devices.get, { params: { uid: device.uid } })).body.name).toBe(device.name)
    expect(await login()).toBe(`${USER.name}\n`)
  },
  20 * MINUTE_MS,
)

/** @returns its output @throws {Error} with its output when it fails */
function command(machine: BootedMachine, line: string): string {
  const { status, stdout, stderr } = machine.run(line)
  if (status !== 0) throw new Error(`'${line}' ended with ${status}: ${stdout}${stderr}`)
  return stdout
}
