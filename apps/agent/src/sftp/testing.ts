// Test support for file transfer: a client of a server on a process's pipes or on a link's stream.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Link } from '@bowline/link/api'
import { Client } from '@bowline/sftp/testing/client'
import { ownAccount } from '../login/account.ts'
import { exitOfSession, logIn, openSession } from '../testing.ts'
import { sftpProgram } from './start.ts'

/** A server as a child process of this test, in a folder. */
export interface ServerProcess extends AsyncDisposable {
  readonly client: Client
  readonly child: ChildProcessWithoutNullStreams
  readonly stderr: () => string
  /** Exit code. */
  readonly ended: Promise<number | null>
}

/** @param program default: the agent's, for the user who runs the tests */
export async function startServer(folder: string, program?: readonly string[]): Promise<ServerProcess> {
  const own = sftpProgram(ownAccount(process.env))
  const [path = '', ...args] = program ?? [own.path, ...own.argv.slice(1).map(String)]
  const child = spawn(path, args, { cwd: folder })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const client = new Client((packet) => void child.stdin.write(packet))
  child.stdout.on('data', (chunk: Buffer) => client.received(chunk))
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(([code]) => {
    client.ended(stderr)
    return typeof code === 'number' ? code : null
  })
  await client.start()
  return {
    client,
    child,
    stderr: () => stderr,
    ended,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

/** An sftp session of a login through the agent. */
export async function openFiles(gateway: Link, options: { consume?: boolean; name?: string } = {}) {
  const login = await logIn(gateway)
  const env: [string, string][] = [
    ['LANG', 'de_DE.UTF-8'],
    ['LC_ALL', 'x'],
    ['NODE_OPTIONS', '--version'],
  ]
  const run = { type: 'subsystem', name: options.name ?? 'sftp' } as const
  const session = openSession(gateway, login, { run, env }, options)
  const client = new Client((packet) => void session.stream.write(packet))
  const record = session.data.bind(session)
  session.data = (chunk, lane) => {
    record(chunk, lane)
    if (lane === 0) client.received(chunk)
  }
  return { login, session, client, exit: () => exitOfSession(session) }
}
