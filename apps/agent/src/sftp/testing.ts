// Test support for file transfer: a client of a server on a process's pipes or on a link's stream.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Link } from '@bowline/link/api'
import { PacketBuffer } from '@bowline/sftp/packets'
import { STATUS } from '@bowline/sftp/protocol'
import { decodeReply, type Reply } from '@bowline/sftp/replies'
import { encodeRequest, type Request } from '@bowline/sftp/requests'
import { ownAccount } from '../login/account.ts'
import { exitOfSession, logIn, openSession } from '../testing.ts'
import { sftpProgram } from './start.ts'

type WithoutId<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never
export type Ask = WithoutId<Request>

export const NO_ATTRIBUTES = { attributes: {} }
export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

/** A client: requests are sent at once, responses are matched by order. */
export class Client {
  readonly #send: (bytes: Buffer) => void
  readonly #packets = new PacketBuffer()
  readonly #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void }[] = []
  #id = 0

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send
  }

  received(chunk: Uint8Array): void {
    for (const packet of this.#packets.push(chunk)) this.#waiting.shift()?.resolve(decodeReply(Buffer.from(packet)))
  }

  /** No more responses follow. */
  ended(why: string): void {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the server has ended: ${why}`))
  }

  start(): Promise<Reply> {
    return this.#ask({ type: 'init', version: 3, extensions: [] })
  }

  ask(request: Ask): Promise<Reply> {
    this.#id += 1
    return this.#ask({ ...request, id: this.#id })
  }

  raw(packet: Uint8Array): void {
    this.#send(Buffer.from(packet))
  }

  /** The status code of the response. */
  async status(request: Ask): Promise<number | string> {
    const reply = await this.ask(request)
    return reply.type === 'status' ? reply.code : reply.type
  }

  async handle(request: Ask): Promise<Buffer> {
    const reply = await this.ask(request)
    if (reply.type !== 'handle') throw new Error(`no handle: ${JSON.stringify(reply)}`)
    return reply.handle
  }

  /** All names of a directory, in batches as received. */
  async list(path: Buffer): Promise<Buffer[][]> {
    const handle = await this.handle({ type: 'opendir', path })
    const batches: Buffer[][] = []
    for (;;) {
      const reply = await this.ask({ type: 'readdir', handle })
      if (reply.type !== 'name') break
      batches.push(reply.names.map(({ name }) => name))
    }
    if ((await this.status({ type: 'close', handle })) !== STATUS.ok) throw new Error('the directory was not closed')
    return batches
  }

  #ask(request: Request): Promise<Reply> {
    this.#send(encodeRequest(request))
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }
}

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
