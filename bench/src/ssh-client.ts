// This machine's `ssh` for every candidate: one configuration file, one host name per route to the same user.
import { type ChildProcess, spawn } from 'node:child_process'
import { access, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Finished, type Server, orItsEnd, run, startServer } from './site/child.ts'
import type { Sshd } from './site/sshd.ts'

/** `sshd`: direct, with a key. `sshd-password`: direct, with the password. `jump`: `ssh -J` through the same sshd. */
export type Way = 'bowline' | 'sshd' | 'sshd-password' | 'jump'

export interface Destination {
  readonly port: number
  /** `user@namespace.device`. */
  readonly login: string
  readonly password: string
}

export interface SshClient {
  /** ssh_config(5) with a host name for every route, for programs that start ssh themselves. */
  readonly configFile: string
  /** Variables that sshpass needs to answer a password prompt of `bowline` and `sshd-password`. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command over a new connection. `options` go before the name. */
  run(way: Way, command: string, options?: readonly string[]): Promise<Finished>
  /** Starts ssh with pipes for its three streams. */
  start(way: Way, command: string, options?: readonly string[]): ChildProcess
  /** Opens a persistent connection, for measuring commands without connection set-up. */
  connect(way: Way, options?: readonly string[]): Promise<Connection>
}

/** A persistent connection. Commands over it transfer their bytes through its process: there is no third one. */
export interface Connection extends AsyncDisposable {
  /** Runs a shell line in which `"$@"` is ssh with the command. Milliseconds from its start to its end. */
  run(command: string, line?: string): Promise<Finished>
}

export async function createSshClient(folder: string, bowline: Destination, sshd: Sshd): Promise<SshClient> {
  const config = join(folder, 'ssh_config')
  await writeFile(config, configuration(bowline, sshd))
  const env = { PATH: process.env['PATH'] ?? '', SSHPASS: bowline.password, LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  const argsOf = (way: Way, options: readonly string[]): string[] => [
    ...(way === 'bowline' || way === 'sshd-password' ? ['sshpass', '-e'] : []),
    'ssh',
    '-F',
    config,
    ...options,
    way,
  ]
  const split = (args: readonly string[]): [string, readonly string[]] => [args[0] ?? '', args.slice(1)]
  let connections = 0
  return {
    configFile: config,
    env,
    run: (way, command, options = []) => run(...split([...argsOf(way, options), command]), { env }),
    start: (way, command, options = []) => spawn(...split([...argsOf(way, options), command]), { env }),
    async connect(way, options = []) {
      connections += 1
      const socket = join(folder, `connection-${connections}`)
      const master = await startServer(...split(argsOf(way, [...options, '-N', '-M', '-S', socket])), { env })
      await orItsEnd(master, `the connection to ${way}`, appearance(master, socket))
      const ssh = ['ssh', '-F', config, '-o', 'BatchMode=yes', '-S', socket, way]
      return {
        run: (command, line = '"$@"') => run('sh', ['-c', line, 'sh', ...ssh, command], { env }),
        [Symbol.asyncDispose]: () => master.stop(),
      }
    },
  }
}

function configuration(bowline: Destination, sshd: Sshd): string {
  const sshdLines = ['HostName 127.0.0.1', `Port ${sshd.port}`, `User ${userInfo().username}`]
  const password = ['PubkeyAuthentication no', 'PreferredAuthentications password', 'NumberOfPasswordPrompts 1']
  const sections: Record<string, readonly string[]> = {
    bowline: ['HostName 127.0.0.1', `Port ${bowline.port}`, `User ${bowline.login}`, ...password],
    sshd: sshdLines,
    hop: sshdLines,
    jump: [...sshdLines, 'ProxyJump hop'],
    'sshd-password': [...sshdLines, ...password],
    '*': [
      'StrictHostKeyChecking no',
      'UserKnownHostsFile /dev/null',
      'GlobalKnownHostsFile /dev/null',
      'LogLevel ERROR',
      'ConnectTimeout 20',
      'IdentitiesOnly yes',
      `IdentityFile ${sshd.userKeyFile}`,
      // The same for all: defaults differ in cost, not in how well they are implemented.
      'KexAlgorithms curve25519-sha256',
      // Clients from 9.5 on obscure keystroke timing by sending every 20 ms, to every server.
      'IgnoreUnknown ObscureKeystrokeTiming',
      'ObscureKeystrokeTiming no',
    ],
  }
  return Object.entries(sections)
    .map(([name, lines]) => [`Host ${name}`, ...lines, ''].join('\n'))
    .join('\n')
}

/** Waits for the control socket that a persistent connection creates once it is authenticated. */
async function appearance(master: Server, socket: string): Promise<void> {
  while (master.process.exitCode === null) {
    const there = await access(socket).then(
      () => true,
      () => false,
    )
    if (there) return
    await pause(10)
  }
}
