// The agent's Debian package on a machine with systemd: installed, upgraded, removed and purged by apt.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makePackage } from '../../scripts/debian/package.ts'
import { makeRepository, REPOSITORY, repositoryProblem } from '../../scripts/debian/repository.ts'
import { createKeyring } from '../../scripts/debian/testing.ts'
import { scriptOf } from '../release/page.ts'
import { acceptDevice, untilOnline } from '../support/agent.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { bootProblem, systemd, systemdWithPackages, USER } from '../support/machines/booted-machine.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { type SignedAgents, signedAgents } from '../support/machines/signed-agents.ts'
import { root } from '../support/product.ts'
import type { Client } from '../support/server.ts'
import { type EchoSession, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

const MINUTE_MS = 60_000
const problem = repositoryProblem() ?? bootProblem(systemd)
const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-package-'))
let agents: SignedAgents
let scene: ServicedMachine
let client: Client
let device: Device
showOnFailure(() => ({ server: scene?.server.process }))

/** Makes a package of what is packed. @returns its path on the machine */
function packaged(version: string, release: number): string {
  const file = makePackage({
    root,
    arch: process.arch === 'arm64' ? 'arm64' : 'x64',
    bundle: join(agents.folder, `bundle-linux-${process.arch}.tar.gz`),
    version,
    release,
    maintainer: 'Bowline <packages@bowline.example>',
    homepage: undefined,
    epoch: 1_700_000_000,
    target: folder,
    compression: 0,
  })
  return `/packages/${basename(file)}`
}

const files = { first: '', second: '', third: '' }
const programs = { second: '', third: '' }

beforeAll(async () => {
  if (problem !== undefined) return
  agents = await signedAgents()
  files.first = packaged('0.1.0', 10)
  programs.third = agents.pack('33333333')
  files.third = packaged('0.3.0', 13)
  programs.second = agents.pack('22222222')
  files.second = packaged('0.2.0', 12)
  agents.sign(12)
  scene = await bootServicedMachine(systemdWithPackages(folder), 'packaged', { BOWLINE_AGENTS_DIR: agents.folder })
  client = await scene.server.client()
}, 20 * MINUTE_MS)
afterAll(async () => {
  await scene?.remove()
  agents?.remove()
  rmSync(folder, { recursive: true })
})

const run = (line: string) => scene.run(line)
/** @returns its output */
function apt(...words: readonly string[]): string {
  const options = ['-o', 'APT::Sandbox::User=root', '-o', 'Dpkg::Options::=--force-unsafe-io']
  const line = ['DEBIAN_FRONTEND=noninteractive apt-get -q -y', ...options, ...words].join(' ')
  const { status, stdout, stderr } = scene.machine.run(line)
  if (status !== 0) throw new Error(`'${line}' ended with ${status}: ${stdout}${stderr}`)
  return stdout
}
const status = (): { pid?: number; online?: boolean; installed?: string; waiting?: string } =>
  JSON.parse(scene.machine.run('bowline agent status --json').stdout || '{}')
const log = (): string => scene.machine.run('journalctl -o cat -u bowline-agent --no-pager').stdout
const logged = (event: string) => until(`the log has ${event}`, () => log().includes(`"ev":"${event}"`))
const online = (name: string) =>
  until(`${name} is online`, () => {
    const now = status()
    return now.online === true && now.installed === name ? now : undefined
  })
const updates = async () => (await client.call(operations.agentUpdates.get, {})).body
const processes = (): string => scene.machine.run("pgrep -f '^/usr/lib/bowline'").stdout
async function openSession(): Promise<EchoSession> {
  const login = `${USER.name}@${device.namespace}.${device.name}`
  const session = await startEcho({ ...scene.server.ssh, login, password: USER.password })
  onTestFinished(() => session.end())
  return session
}

describe.skipIf(problem !== undefined)(`a machine with apt and systemd (${problem ?? 'booted here'})`, () => {
  it('takes the place of an agent that was installed by the console’s command', async () => {
    scene.install()
    device = await acceptDevice(client, 'packaged')
    await scene.linked()
    expect(apt('install', files.first)).toContain('`/usr/bin/bowline agent install` replaces it')
    expect(run('systemctl show --property=FragmentPath --value bowline-agent')).toMatch('/etc/systemd/system/')
    expect(run('/usr/bin/bowline agent install')).toMatch(/bowline-agent-\S+ is installed as a service of systemd/)
    await scene.linked()
    await untilOnline(client, device.uid)
    expect(run('systemctl show --property=FragmentPath --value bowline-agent')).toMatch('/lib/systemd/system/')
    expect(run('systemd-analyze verify bowline-agent.service')).toBe('')
    expect(run('ls /usr/local/lib /usr/local/bin')).toBe('/usr/local/bin:\n\n/usr/local/lib:')
    expect((await scene.login(device, 'id -un')).stdout.toString()).toBe(`${USER.name}\n`)
  })

  it('refuses a second agent beside it', () => {
    expect(() => scene.install()).toThrow('this machine has the package bowline-agent')
    expect(run('ls /usr/local/lib /usr/local/bin')).toBe('/usr/local/bin:\n\n/usr/local/lib:')
  })

  it('does not update itself, says why, and does not count in a rollout', async () => {
    const { status: exit, stderr } = scene.machine.run('bowline agent update')
    expect([exit, stderr]).toEqual([
      1,
      'This agent does not update itself: it is of the package bowline-agent, which apt upgrades.\n',
    ])
    run(`kill -USR2 ${status().pid}`)
    await logged('update.not-here')
    const body = { mode: 'manual', canary_tag: null, window: null } as const
    await client.call(operations.agentUpdates.setPolicy, { body })
    await client.call(operations.agentUpdates.start, {})
    const { obstacles, fleet, rollout } = await updates()
    expect(obstacles).toEqual([{ reason: 'it is of the package bowline-agent, which apt upgrades', devices: 1 }])
    expect(fleet).toEqual([{ release: 10, devices: 1 }])
    expect(rollout?.devices).toEqual({ total: 0, updated: 0, failed: 0 })
    expect(log()).not.toContain('"ev":"update.found"')
  })

  it('is upgraded while a session goes on', async () => {
    const session = await openSession()
    await session.echo('before')
    const before = status()
    apt('install', files.second)
    const after = await online(programs.second)
    expect(after.pid).not.toBe(before.pid)
    await session.echo('after')
    expect(run(`readlink /proc/${before.pid}/exe`)).toBe(`/usr/lib/bowline/${before.installed}/bowline`)
    expect((await scene.login(device, 'echo new')).stdout.toString()).toBe('new\n')
    session.end()
    expect((await session.result).code).toBe(0)
    await logged('agent.handed-over')
    await until('the release is reported', async () =>
      (await updates()).fleet.some(({ release, devices }) => release === 12 && devices === 1),
    )
  })

  it('waits for the end of sessions when the server does not have the release', async () => {
    const session = await openSession()
    await session.echo('before')
    apt('install', files.third)
    await logged('update.put-off')
    expect(status()).toMatchObject({ online: true, installed: programs.second, waiting: programs.third })
    await session.echo('after')
    session.end()
    expect((await session.result).code).toBe(0)
    await online(programs.third)
    expect(status().waiting).toBe(null)
    await logged('update.confirmed')
  })

  it('keeps identity and settings when it is removed, and comes back as the same device', async () => {
    const before = run('cat /etc/bowline/agent.env /etc/bowline/agent.key')
    // An agent that has handed over ends by itself, after its last session.
    await until('one agent runs', () => Promise.resolve(processes().trim().split('\n').length === 1))
    apt('remove', 'bowline-agent')
    expect([processes(), run('ls /usr/lib | grep -c bowline || true')]).toEqual(['', '0'])
    expect(scene.machine.run('systemctl cat bowline-agent').status).not.toBe(0)
    expect(run('cat /etc/bowline/agent.env /etc/bowline/agent.key')).toBe(before)
    apt('install', files.second)
    await online(programs.second)
    await untilOnline(client, device.uid)
    expect((await scene.login(device, 'echo back')).stdout.toString()).toBe('back\n')
  })

  it('leaves nothing when it is purged; a new installation is another device', async () => {
    apt('purge', 'bowline-agent')
    expect([processes(), run('ls -A /etc | grep -c bowline || true')]).toEqual(['', '0'])
    expect(run('find /usr /lib /var/lib/dpkg /etc -path "*bowline*"')).toBe('')
    expect(apt('install', files.second)).toContain('To add this device: bowline agent install')
    const { origin, tenant } = scene.server
    run(`bowline agent install --server-address ${origin} --tenant-id ${tenant}`)
    await until('a device is pending', async () => {
      const { body } = await client.call(operations.devices.list, { query: { status: 'pending' } })
      return body.some(({ uid }) => uid !== device.uid)
    })
  })

  it('comes from the repository of its server by the commands of the page, and so do its upgrades', async () => {
    const keys = createKeyring('release@example.com')
    onTestFinished(() => keys.remove())
    vi.stubEnv('GNUPGHOME', keys.home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const offer = (file: string): void =>
      makeRepository({
        packages: [join(folder, basename(file))],
        folder: join(agents.folder, REPOSITORY),
        keys: ['release@example.com'],
      })
    apt('purge', 'bowline-agent')
    run(`echo 'APT::Sandbox::User "root"; Dpkg::Options "--force-unsafe-io";' >/etc/apt/apt.conf.d/test`)
    offer(files.second)
    // The machine reaches only this one, without encryption; root needs no sudo.
    const page = (await scriptOf('developers/agent/installing.mdx', 'apt')).replaceAll(" --proto '=https'", '')
    const [add = '', upgrade = ''] = page.split(/^(?=sudo apt update && )/m)
    const take = (script: string): void => {
      const line = `set -e; sudo() { "$@"; }; SERVER='${scene.server.origin}'\n${script}`
      const { status: exit, stdout, stderr } = scene.machine.run(line)
      if (exit !== 0) throw new Error(`'${line}' ended with ${exit}: ${stdout}${stderr}`)
    }
    const version = (): string => run("dpkg-query --show --showformat='${Version}' bowline-agent")
    take(add)
    expect(version()).toBe('0.2.0')
    run('bowline --version')
    offer(files.third)
    take(upgrade)
    expect(version()).toBe('0.3.0')
  })
})
