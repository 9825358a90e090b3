// A small complete server for tests with real clients: runs commands with /bin/sh. An example of how to use the
// package.
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { listeningPort } from '@bowline/base/testing/listening-port'
import type {
  AuthAttempt,
  AuthDecision,
  ChannelHandler,
  CloseCause,
  ConnectionHandler,
  SessionRequest,
  SshChannel,
  SshServerOptions,
} from '../../src/api.ts'
import { OPEN_PROHIBITED } from '../../src/api.ts'
import { acceptConnection } from '../../src/server.ts'

/** A fresh Ed25519 host key as PKCS#8 PEM. */
export function newHostKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
}

/** Accepts the password `right`, and every key that has been proven. */
export async function rightPasswordOrAnyKey(attempt: AuthAttempt): Promise<AuthDecision> {
  const good = attempt.method === 'publickey' || (attempt.method === 'password' && attempt.password === 'right')
  return { result: good ? 'accept' : 'reject' }
}

/** A program to run for a request: file and arguments. */
export type ProgramFor = (request: SessionRequest) => readonly [file: string, ...args: string[]] | undefined

/** `/bin/sh -c` for exec requests. */
export const shellCommand: ProgramFor = (request) =>
  request.type === 'exec' ? ['/bin/sh', '-c', Buffer.from(request.command).toString()] : undefined

/** Runs a program for exec and shell requests, with flow control in both directions. */
export class ShellChannel implements ChannelHandler {
  readonly #channel: SshChannel
  readonly #programFor: ProgramFor
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcessWithoutNullStreams | undefined
  readonly requests: SessionRequest[] = []

  /** @param env read when the program starts */
  constructor(channel: SshChannel, programFor: ProgramFor = shellCommand, env: NodeJS.ProcessEnv = process.env) {
    this.#channel = channel
    this.#programFor = programFor
    this.#env = env
  }

  data(bytes: Uint8Array): void {
    const stdin = this.#child?.stdin
    if (!stdin || stdin.write(bytes)) this.#channel.consumed(bytes.length)
    else stdin.once('drain', () => this.#channel.consumed(bytes.length))
  }

  drain(): void {
    this.#child?.stdout.resume()
    this.#child?.stderr.resume()
  }

  eof(): void {
    this.#child?.stdin.end()
  }

  request(request: SessionRequest): boolean {
    this.requests.push(request)
    const program = this.#programFor(request)
    if (program) this.#start(...program)
    if (request.type === 'signal') this.#child?.kill('SIGTERM')
    if (request.type === 'eow@openssh.com') this.#child?.stdout.destroy()
    return true
  }

  closed(): void {
    this.#child?.kill('SIGKILL')
  }

  #start(file: string, ...args: string[]): void {
    const channel = this.#channel
    const child = spawn(file, args, { env: this.#env })
    this.#child = child
    child.stdin.on('error', () => undefined)
    child.stdin.setMaxListeners(0)
    child.stdout.on('data', (bytes: Buffer) => {
      if (!channel.write(bytes)) child.stdout.pause()
    })
    child.stderr.on('data', (bytes: Buffer) => {
      if (!channel.write(bytes, 1)) child.stderr.pause()
    })
    child.on('close', (code, signal) => {
      if (signal) channel.exitSignal(signal.slice(3), false, '')
      else channel.exitStatus(code ?? 255)
      channel.eof()
      channel.close()
    })
  }
}

export interface ShellServer extends AsyncDisposable {
  readonly port: number
  /** Number of open connections. */
  readonly open: number
  /** Causes of the connections that have ended, in order. */
  readonly closed: readonly CloseCause[]
  /** Resolves when `count` connections have ended. */
  whenClosed(count: number): Promise<void>
}

/** Starts a server on a free loopback port. */
export async function startShellServer(
  options: Partial<SshServerOptions> = {},
  handler: Partial<ConnectionHandler> = {},
): Promise<ShellServer> {
  const full: SshServerOptions = {
    hostKeys: [newHostKey()],
    software: 'OpenSSH_9.9 Test',
    methods: ['publickey', 'password'],
    ...options,
  }
  const closed: CloseCause[] = []
  let accepted = 0
  const waiting = new Set<() => void>()
  const listener = createServer({ noDelay: true }, (socket) => {
    accepted += 1
    const peer = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
    acceptConnection(socket, peer, full, {
      authenticate: (_connection, attempt) => rightPasswordOrAnyKey(attempt),
      open: (_connection, request) =>
        request.type === 'session'
          ? { accept: true, attach: (channel) => new ShellChannel(channel) }
          : { accept: false, code: OPEN_PROHIBITED, message: 'not here' },
      ...handler,
      closed: (connection, cause) => {
        closed.push(cause)
        handler.closed?.(connection, cause)
        for (const look of waiting) look()
      },
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const port = listeningPort(listener)
  return {
    port,
    get open() {
      return accepted - closed.length
    },
    closed,
    whenClosed: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (closed.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
