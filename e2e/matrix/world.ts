// The device of the board: this machine with one account more, in a view of /etc of its own, so that nothing of the
// machine changes. sshd and the agent both run in such a view, as root.
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, run } from '../support/running.ts'
import { tool } from './tool.ts'

export const ACCOUNT = {
  name: 'matrix',
  uid: 1_600,
  group: 'matrix-plus',
  gid: 1_601,
  password: 'right horse',
} as const

export const canMakeWorlds = process.getuid?.() === 0

export interface World extends AsyncDisposable {
  /** Others can pass through it. */
  readonly folder: string
  readonly home: string
  /** Private keys by type; the public line is in `<file>.pub`. */
  readonly keyFile: string
  readonly echo: { readonly port: number; readonly socket: string }
  /** Starts a program as root where the account exists. */
  run(command: readonly string[], env: NodeJS.ProcessEnv): Running
  /** Empties the home of the account. */
  newHome(): Promise<void>
}

const VIEW = 'mount --bind "$0" /etc && mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/sshd && exec "$@"'

export async function makeWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-board-'))
  const inside = (name: string): string => join(folder, name)
  await tool(['chmod', '755', folder])
  const home = inside('home')
  await tool(['cp', '-a', '/etc', inside('etc')])
  await showAccount(inside('etc'), home)
  await tool(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', inside('key')])
  const [tcp, unix] = [echoServer(), echoServer()]
  await listen(tcp, { host: '127.0.0.1', port: 0 })
  await listen(unix, { path: inside('echo.sock'), readableAll: true, writableAll: true })
  const address = tcp.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    folder,
    home,
    keyFile: inside('key'),
    echo: { port, socket: inside('echo.sock') },
    run: (command, env) => run(['unshare', '--mount', 'sh', '-c', VIEW, inside('etc'), ...command], { cwd: '/', env }),
    async newHome() {
      await rm(home, { recursive: true, force: true })
      await mkdir(home)
      await tool(['chown', `${ACCOUNT.uid}:${ACCOUNT.uid}`, home])
      await tool(['chmod', '700', home])
    },
    async [Symbol.asyncDispose]() {
      tcp.close()
      unix.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function showAccount(etc: string, home: string): Promise<void> {
  const { name, uid, group, gid, password } = ACCOUNT
  const append = async (file: string, line: string): Promise<void> => {
    const path = join(etc, file)
    await writeFile(path, `${(await readFile(path, 'utf8')).trimEnd()}\n${line}\n`)
  }
  const hash = (await tool(['openssl', 'passwd', '-6', '-stdin'], { input: password })).stdout.trim()
  await append('passwd', `${name}:x:${uid}:${uid}::${home}:/bin/bash`)
  await append('group', `${name}:x:${uid}:\n${group}:x:${gid}:${name}`)
  await append('shadow', `${name}:${hash}:20000:0:99999:7:::`)
}

function echoServer(): Server {
  return createServer({ allowHalfOpen: true }, (socket: Socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => resolve())
  })
}
