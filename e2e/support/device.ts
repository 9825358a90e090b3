// This machine as a device with its own accounts: the agent, and a plain sshd to compare with, run as root in a mount
// namespace whose /etc has extra accounts. The machine itself is not changed.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acceptDevice } from './agent.ts'
import { freePort } from '@bowline/testkit/free-port'
import { root, withoutSettings } from './product.ts'
import { type Running, run } from './running.ts'
import type { Server } from './server.ts'
import type { SshTarget } from './ssh.ts'
import { until } from './wait.ts'

export const canMakeDevices = process.getuid?.() === 0

export interface Account {
  readonly name: string
  readonly uid: number
  readonly home: string
  readonly password: string
}

export interface Device {
  /** Accessible to everybody. */
  readonly folder: string
  /** Its account files; the device's programs see them in /etc. */
  readonly etc: string
  readonly account: Account
  /** All accounts; {@link account} is the first. */
  readonly accounts: readonly Account[]
  /** Runs a program as root on the device. */
  run(command: readonly string[], env?: NodeJS.ProcessEnv): Running
  /** Starts an agent for the device's accounts, accepts it and waits until it is online. */
  startAgent(
    server: Pick<Server, 'origin' | 'tenant' | 'ssh' | 'client'>,
    name: string,
    env?: NodeJS.ProcessEnv,
  ): Promise<SshTarget>
  /**
   * @param first lines of sshd_config(5) to insert before the usual ones
   * @param name of the program; another one for a second server
   */
  startSshd(first?: readonly string[], name?: string): Promise<SshTarget>
  /** Starts Dropbear, which takes the keys in the homes of the accounts. @param name of the program */
  startDropbear(name: string): Promise<SshTarget>
  /** Every started program, by name. */
  readonly programs: Readonly<Record<string, Running>>
  remove(): Promise<void>
}

const VIEW = 'mount --bind "$0" /etc && mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/sshd && exec "$@"'
const PASSWORD = 'right horse'
const MAX_ACCOUNTS = 64

/** Account names have the same length, so that listings have the same columns. */
function accountAt(folder: string, index: number): Account {
  // Each process has its own uid range; otherwise the limits of one test would count the processes of another.
  const uid = index === 0 ? 20_000 + (process.pid % 20_000) : 100_000 + (process.pid % 20_000) * MAX_ACCOUNTS + index
  const [name, home] =
    index === 0 ? ['walter', 'home'] : [`rose${String(index).padStart(2, '0')}`, `home-${100 + index}`]
  return { name, uid, home: join(folder, home), password: PASSWORD }
}

/**
 * @param options `shell` of the accounts, default /bin/sh; `group`: an additional group of theirs; `accounts`: how
 * many,
 *   default 1, at most 64: the first is called walter
 */
export function makeDevice(
  options: { readonly shell?: string; readonly group?: string; readonly accounts?: number } = {},
): Device {
  const { shell = '/bin/sh', group, accounts: count = 1 } = options
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-device-'))
  const inside = (name: string): string => join(folder, name)
  chmodSync(folder, 0o755)
  cpSync('/etc', inside('etc'), { recursive: true, verbatimSymlinks: true, filter: (path) => !path.includes('/ssl/') })
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: PASSWORD, encoding: 'utf8' }).trim()
  const account = accountAt(folder, 0)
  const accounts = [account, ...Array.from({ length: count - 1 }, (_, index) => accountAt(folder, index + 1))]
  for (const { name, uid, home } of accounts) {
    mkdirSync(home)
    chownSync(home, uid, uid)
    appendFileSync(inside('etc/passwd'), `${name}:x:${uid}:${uid}::${home}:${shell}\n`)
    appendFileSync(inside('etc/group'), `${name}:x:${uid}:\n`)
    appendFileSync(inside('etc/shadow'), `${name}:${hash}:20000:0:99999:7:::\n`)
  }
  const members = accounts.map(({ name }) => name).join(',')
  if (group) appendFileSync(inside('etc/group'), `${group}:x:${account.uid + 1}:${members}\n`)
  const programs: Record<string, Running> = {}
  const start: Device['run'] = (command, env = {}) =>
    run(['unshare', '--mount', 'sh', '-c', VIEW, inside('etc'), ...command], {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })
  return {
    folder,
    etc: inside('etc'),
    account,
    accounts,
    run: start,
    programs,
    async startAgent(server, name, env = {}) {
      const agent = start([process.execPath, join(root, 'apps/agent/src/main.ts')], {
        ...withoutSettings(process.env),
        BOWLINE_SERVER_ADDRESS: server.origin,
        BOWLINE_TENANT_ID: server.tenant,
        BOWLINE_PRIVATE_KEY: inside(`${name}.key`),
        BOWLINE_PREFERRED_HOSTNAME: name,
        BOWLINE_PREFERRED_IDENTITY: name,
        ...env,
      })
      programs[name] = agent
      const device = await acceptDevice(await server.client(), name)
      const login = `${account.name}@${device.namespace}.${device.name}`
      return { ...server.ssh, login, password: PASSWORD }
    },
    async startSshd(first = [], name = 'sshd') {
      const port = await freePort()
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', inside(`${name}_host_key`)])
      const lines = [
        // For a repeated option sshd uses the first value.
        ...first,
        `ListenAddress 127.0.0.1:${port}`,
        // A port that sshd picks for forwarding must be free in both address families; sshd accepts one that is free in
        // only one, and the other might lead to a program of another test.
        'AddressFamily inet',
        `HostKey ${inside(`${name}_host_key`)}`,
        'PidFile none',
        'UsePAM no',
        'UseDNS no',
        'PrintMotd no',
        'PrintLastLog no',
        'X11Forwarding yes',
      ]
      writeFileSync(inside(`${name}_config`), `${lines.join('\n')}\n`)
      const sshd = start(['/usr/sbin/sshd', '-D', '-e', '-f', inside(`${name}_config`)])
      programs[name] = sshd
      await until('sshd listens', () => {
        if (sshd.child.exitCode !== null) throw new Error(`sshd ended: ${sshd.output()}`)
        return answers(port)
      })
      return { host: '127.0.0.1', port, login: account.name, password: PASSWORD }
    },
    async startDropbear(name) {
      const port = await freePort()
      const key = inside(`${name}_host_key`)
      execFileSync('dropbearkey', ['-t', 'ed25519', '-f', key], { stdio: 'ignore' })
      const dropbear = start(['dropbear', '-F', '-E', '-m', '-p', `127.0.0.1:${port}`, '-r', key])
      programs[name] = dropbear
      await until('Dropbear listens', () => {
        if (dropbear.child.exitCode !== null) throw new Error(`Dropbear ended: ${dropbear.output()}`)
        return answers(port)
      })
      return { host: '127.0.0.1', port, login: account.name, password: PASSWORD }
    },
    async remove() {
      for (const program of Object.values(programs)) await program.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** True when a port of this machine accepts connections. */
export function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })
}

/** Text of a file in the device's /etc. */
export function readEtc(device: Device, file: string): string {
  return readFileSync(join(device.etc, file), 'utf8')
}
