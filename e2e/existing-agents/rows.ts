// What existing agents are tried with: real ssh clients, the way people use them.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '../support/device.ts'
import { client } from '../support/file-clients.ts'
import { registerKey } from '../support/registered-key.ts'
import type { Running } from '../support/running.ts'
import type { Server } from '../support/server.ts'
import {
  type SshTarget,
  SHOWN,
  finish,
  scp,
  shareConnection,
  ssh,
  startEcho,
  startSsh,
  startSshInTerminal,
} from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { expect } from './row.ts'

export interface World {
  readonly server: Server
  readonly machine: Device
  readonly target: SshTarget
  /** Uid of the device. */
  readonly uid: DeviceUid
  readonly agent: Running
  /** Folder for files of the rows, readable by the account. */
  readonly folder: string
}

/** @returns what was seen, for the board; a throw is a failure */
export type Row = { readonly name: string; run(world: World): Promise<string> }

const online = async ({ server, uid }: World): Promise<boolean> => {
  const device = await (await server.client()).call(operations.devices.get, { params: { uid } })
  return device.body.online
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const rows: readonly Row[] = [
  {
    name: 'password: a command, its output and its status',
    async run({ target }) {
      const { code, stdout, stderr } = await ssh(target, ['echo out; echo err >&2; exit 7'])
      expect('status', code, 7)
      // Old agents merge stderr into stdout.
      expect('output', (stdout.toString() + stderr).split('\n').sort(), ['', 'err', 'out'])
      return stderr.includes('err') ? 'stderr by itself' : 'stderr within stdout'
    },
  },
  {
    name: 'a wrong password is refused',
    async run({ target }) {
      const { code, stderr } = await ssh({ ...target, password: 'wrong' }, ['true'])
      expect('status', code, 255)
      return stderr.trim().split('\n').at(-1) ?? ''
    },
  },
  {
    name: 'a terminal has the size of the client',
    async run({ target }) {
      // Old agents set it a moment after the start.
      const command = 'for i in 1 2 3 4 5; do s=$(stty size); [ "$s" = "0 0" ] || break; sleep 0.2; done; echo $s $TERM'
      const client = startSshInTerminal(target, [command], { rows: 33, columns: 101 })
      const seen = (await finish(client)).stdout.toString().trim()
      expect('size and type', seen, '33 101 xterm-256color')
      return seen
    },
  },
  {
    name: 'a shell in a terminal',
    async run({ target }) {
      const child = startSsh(target, [], ['-tt'])
      let heard = ''
      child.stdout.on('data', (bytes: Buffer) => (heard += bytes.toString()))
      child.stdin.write('echo $((6*7))-shell\n')
      await until('the shell answers', () => heard.includes('42-shell'))
      child.stdin.write('exit 3\n')
      return `status ${(await finish(child)).code}`
    },
  },
  {
    name: 'a registered key, with no question',
    async run({ server, target, folder }) {
      const file = join(folder, `key-${Date.now()}`)
      await registerKey(await server.client(), file, `board ${Date.now()}`)
      const options = ['-i', file, '-o', 'IdentitiesOnly=yes', '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
      const { code, stdout, stderr } = await ssh(target, ['echo by key'], { options })
      expect(stderr, [code, stdout.toString()], [0, 'by key\n'])
      return 'ok'
    },
  },
  {
    name: 'a registered key after the device was renamed',
    async run(world) {
      const { server, target, folder, uid } = world
      const name = `renamed-${Date.now()}`
      const api = await server.client()
      await api.call(operations.devices.rename, { params: { uid }, body: { name } })
      const file = join(folder, `key-renamed-${Date.now()}`)
      await registerKey(api, file, name)
      const login = target.login.replace(/[^.]+$/, name)
      const options = ['-i', file, '-o', 'IdentitiesOnly=yes', '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
      const { code, stderr } = await ssh({ ...target, login }, ['true'], { options })
      const before = target.login.replace(/^.*\./, '')
      await api.call(operations.devices.rename, { params: { uid }, body: { name: before } })
      expect(stderr, code, 0)
      return 'ok'
    },
  },
  {
    name: 'scp both ways, by its status',
    async run({ target, folder }) {
      const [from, to] = [join(folder, 'up'), join(folder, 'down')]
      writeFileSync(from, 'a file\n', { mode: 0o644 })
      const up = await scp(target, [], from, 'host:copied')
      const down = await scp(target, [], 'host:copied', to)
      expect(up.stderr + down.stderr, [up.code, down.code, readFileSync(to, 'utf8')], [0, 0, 'a file\n'])
      return 'ok'
    },
  },
  {
    name: 'sftp lists and removes',
    async run({ target }) {
      const { host, port, login, password } = target
      const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'BatchMode=no']
      const command = ['sftp', '-F', 'none', ...options, '-P', String(port), '-b', '-', `${login}@${host}`]
      const { code, stdout, stderr } = await client({ host, port, login, password }, command, 'ls copied\nrm copied\n')
      expect(stderr, [code, stdout.includes('copied')], [0, true])
      return 'ok'
    },
  },
  {
    name: '20 MB down and up, unchanged',
    async run({ target }) {
      const down = await ssh(target, ['head -c 20000000 /dev/zero | tr "\\0" x'])
      const bytes = Buffer.alloc(20_000_000, 'y')
      const up = await ssh(target, ['sha256sum'], { input: bytes })
      expect('down', sha256(down.stdout), sha256(Buffer.alloc(20_000_000, 'x')))
      expect('up', up.stdout.toString().split(' ')[0], sha256(bytes))
      return 'ok'
    },
  },
  {
    name: 'a stalled channel does not stop another of its connection',
    async run({ target, folder }) {
      const shared = await shareConnection(target, join(folder, `s${Date.now()}`))
      const stalled = shared.start('head -c 100000000 /dev/zero')
      stalled.stdout.pause()
      const other = await finish(shared.start('echo through'))
      expect('other', other.stdout.toString(), 'through\n')
      stalled.kill()
      await shared.close()
      return 'ok'
    },
  },
  {
    name: 'a forwarded connection (-W)',
    async run({ target }) {
      const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket))
      const port = await new Promise<number>((resolve) =>
        echo.listen(0, '127.0.0.1', () => resolve((echo.address() as { port: number }).port)),
      )
      const child = startSsh(target, [], ['-W', `127.0.0.1:${port}`])
      let heard = ''
      child.stdout.on('data', (bytes: Buffer) => (heard += bytes.toString()))
      child.stdin.write('echoed')
      await until('the echo', () => heard === 'echoed')
      child.stdin.end()
      await finish(child)
      // Old agents end the whole connection with its first direction.
      const half = await ssh(target, [], { options: ['-W', `127.0.0.1:${port}`], input: 'half' })
      echo.close()
      return half.stdout.toString() === 'half' ? 'half-closes too' : 'no half-close'
    },
  },
  {
    name: 'a reverse forward (-R) is refused with a reason',
    async run({ target }) {
      const options = ['-v', '-R', '0:127.0.0.1:1', '-o', 'LogLevel=DEBUG1', '-o', 'ExitOnForwardFailure=yes']
      const { code, stderr } = await ssh(target, ['true'], { options })
      expect('status', code, 255)
      const [said] = /a ShellHub agent \([^)]*\), which [^.]*/.exec(stderr) ?? []
      if (said === undefined) throw new Error(stderr)
      return said
    },
  },
  {
    name: 'the session is listed with its end',
    async run({ server, target }) {
      await ssh(target, ['exit 0'], { options: SHOWN })
      const { body } = await (await server.client()).call(operations.sessions.list, { query: {} })
      const [newest] = body
      expect('authenticated', newest?.authenticated, true)
      return newest?.username ?? ''
    },
  },
  {
    name: 'it comes back when the server was restarted, with the same token',
    async run(world) {
      const { server, target } = world
      await server.process.end()
      await server.start()
      await until('the device is online', () => online(world), 60_000)
      expect('status', (await ssh(target, ['exit 5'])).code, 5)
      return 'ok'
    },
  },
  {
    name: 'a session ends when the agent is killed',
    async run(world) {
      const session = await startEcho(world.target)
      world.agent.child.kill('SIGKILL')
      const { code, stderr } = await session.result
      await until('the device is offline', async () => !(await online(world)))
      return `ssh says ${code}: ${stderr.trim().split('\n').at(-1)}`
    },
  },
]
