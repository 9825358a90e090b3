// Real ssh servers for clients of ours: each with its own host keys and port, for the user that runs the tests.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { type Place, printedBy, thisMachine, trixie, trixieMissing } from './place.ts'
import { type ScratchFolder, run } from './real-client.ts'
import { until } from './until.ts'

export interface RealServer extends AsyncDisposable {
  readonly port: number
  /** Name of the account that signs in. */
  readonly user: string
  /** What the server has printed. */
  output(): string
}

export interface RealServerOptions {
  readonly scratch: ScratchFolder
  /** Host key types, as `ssh-keygen -t` names them; default: ed25519. */
  readonly hostKeys?: readonly string[]
  /** File of a public key that may sign in. */
  readonly authorizedKey: string
  /** Further lines of `sshd_config`, before the others. */
  readonly configuration?: readonly string[]
}

export interface ServerKind {
  readonly name: string
  /** Why it cannot run here; undefined when it can. */
  missing(): string | undefined
  start(options: RealServerOptions): Promise<RealServer>
}

const SSHD = '/usr/sbin/sshd'
const ASYNCSSH_SERVER = fileURLToPath(new URL('./asyncssh_server.py', import.meta.url))

function openSsh(name: string, place: Place, unavailable: () => string | undefined): ServerKind {
  return {
    name,
    missing: () => unavailable() ?? (printedBy(place, SSHD, ['-V']) ? undefined : `${SSHD} is not on ${place.name}`),
    async start({ scratch, hostKeys = ['ed25519'], authorizedKey, configuration = [] }) {
      const port = await freePort()
      const authorized = scratch.file(`authorized-${port}`)
      await copyFile(authorizedKey, authorized)
      const config = scratch.file(`sshd-${port}`)
      const lines = [
        ...configuration,
        'ListenAddress 127.0.0.1',
        `Port ${port}`,
        ...hostKeys.map((type) => `HostKey ${scratch.key(type, type === 'rsa' ? 2_048 : undefined)}`),
        'PidFile none',
        `AuthorizedKeysFile ${authorized}`,
        'StrictModes no',
        'UsePAM no',
        'PermitRootLogin yes',
        'UseDNS no',
        'PrintMotd no',
        'PrintLastLog no',
        'LogLevel ERROR',
        'Subsystem sftp internal-sftp',
      ]
      await writeFile(config, `${lines.join('\n')}\n`)
      // Debian's service unit would have created it.
      if (process.getuid?.() === 0 && place === thisMachine) await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
      const [file, args] = place.command(SSHD, ['-D', '-e', '-f', config])
      return started(spawn(file, args), port)
    },
  }
}

/** Dropbear takes keys of its own format, and the keys of an account's home only. */
const dropbear: ServerKind = {
  name: 'Dropbear',
  missing: () => (printedBy(thisMachine, 'dropbear', ['-V']) ? undefined : 'dropbear is not installed'),
  async start({ scratch, hostKeys = ['ed25519'], authorizedKey }) {
    const port = await freePort()
    const home = scratch.file(`home-${port}`)
    await mkdir(`${home}/.ssh`, { recursive: true, mode: 0o700 })
    await copyFile(authorizedKey, `${home}/.ssh/authorized_keys`)
    const keys: string[] = []
    for (const type of hostKeys) {
      const file = scratch.file(`dropbear-${type}-${port}`)
      const made = await run('dropbearkey', ['-t', type, '-f', file])
      if (made.code !== 0) throw new Error(`dropbearkey: ${made.stderr}`)
      keys.push('-r', file)
    }
    // The account database says where its home is: a copy of it, seen by this process only.
    const { username, uid, gid } = userInfo()
    const passwd = scratch.file(`passwd-${port}`)
    const others = (await readFile('/etc/passwd', 'utf8'))
      .split('\n')
      .filter((line) => !line.startsWith(`${username}:`))
    await writeFile(passwd, [`${username}:x:${uid}:${gid}::${home}:/bin/sh`, ...others].join('\n'))
    const program = `mount --bind "$0" /etc/passwd && exec dropbear -F -E -p 127.0.0.1:${port} "$@"`
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', program, passwd, ...keys]
    return started(spawn('unshare', args), port)
  },
}

const asyncssh: ServerKind = {
  name: 'asyncssh',
  missing: () =>
    printedBy(thisMachine, '/usr/bin/python3', ['-c', 'import asyncssh; print(asyncssh.__version__)']).match(/^\d/)
      ? undefined
      : 'python3-asyncssh is not installed',
  async start({ scratch, hostKeys = ['ed25519'], authorizedKey }) {
    const port = await freePort()
    const keys = hostKeys.map((type) => scratch.key(type, type === 'rsa' ? 2_048 : undefined))
    return started(spawn('/usr/bin/python3', [ASYNCSSH_SERVER, String(port), authorizedKey, ...keys]), port)
  },
}

/** The servers that clients are tried with. */
export const serverKinds: readonly ServerKind[] = [
  openSsh('OpenSSH', thisMachine, () => undefined),
  openSsh('OpenSSH of Debian 13', trixie, trixieMissing),
  dropbear,
  asyncssh,
]

async function started(child: ChildProcess, port: number): Promise<RealServer> {
  const said: Buffer[] = []
  const output = (): string => Buffer.concat(said).toString()
  child.stdout?.on('data', (bytes: Buffer) => said.push(bytes))
  child.stderr?.on('data', (bytes: Buffer) => said.push(bytes))
  const ended = once(child, 'close')
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server has ended: ${output()}`)
    return listens(port)
  })
  return {
    port,
    user: userInfo().username,
    output,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
