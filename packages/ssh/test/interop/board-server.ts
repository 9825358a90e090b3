// The server of the interop board. Every cell signs in under the name of its column, which determines the allowed
// login method: a cell cannot pass through another one. Observations of the server are kept by user name.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import type { AuthAttempt, AuthDecision, ChannelHandler, SshChannel, SshConnection, SshLimits } from '../../src/api.ts'
import { sha256Fingerprint } from '../../src/keys/fingerprint.ts'
import { loadHostKeys } from '../../src/keys/host-key.ts'
import { Listeners, joinSocket, openForward } from '../support/forwarding.ts'
import { ShellChannel, newHostKey, shellCommand, startShellServer } from '../support/shell-server.ts'
import { WireWriter } from '../../src/wire/writer.ts'

/** The allowed login method of a user. */
export type WayIn =
  | { readonly method: 'password'; readonly password: string }
  /** One array of prompts per round, with the answer to each. */
  | { readonly method: 'keyboard-interactive'; readonly rounds: readonly Readonly<Record<string, string>>[] }
  /** Public key file; with `certified`, only with a certificate. */
  | { readonly method: 'publickey'; readonly key: string; readonly certified: boolean }

export interface Seen {
  /** The method, and for keys the key type and signature algorithm. */
  readonly login: string
  readonly kex: string
  readonly ciphers: readonly [toServer: string, toClient: string]
  /** Types of channels and channel requests, in order. */
  readonly asked: string[]
}

export interface BoardServer extends AsyncDisposable {
  readonly port: number
  readonly fingerprint: string
  readonly seen: ReadonlyMap<string, Seen>
}

export interface BoardServerOptions {
  readonly wayIn: (user: string) => WayIn | undefined
  /** Public key file of the certificate authority. */
  readonly authority: string
  /** A folder for the sockets of forwarded agents. */
  readonly folder: string
  readonly limits?: Partial<SshLimits>
}

const blobOf = (file: string) => Buffer.from(readFileSync(file, 'utf8').split(' ')[1] ?? '', 'base64')

export async function startBoardServer(options: BoardServerOptions): Promise<BoardServer> {
  const seen = new Map<string, Seen>()
  const logins = new WeakMap<SshConnection, string>()
  const listeners = new Listeners()
  const agents = new Set<Server>()
  const hostKey = newHostKey()
  const server = await startShellServer(
    {
      hostKeys: [hostKey],
      methods: ['publickey', 'password', 'keyboard-interactive'],
      userCertificateAuthorities: [blobOf(options.authority)],
      limits: { channelOpensPerSecond: 1_000, ...options.limits },
    },
    {
      async authenticate(connection, attempt) {
        const wayIn = options.wayIn(attempt.user)
        if (!wayIn) return { result: 'reject' }
        const decision: AuthDecision = (await matches(attempt, wayIn))
          ? { result: 'accept' }
          : { result: 'reject', methods: [wayIn.method] }
        logins.set(connection, describeLogin(attempt))
        return decision
      },
      authenticated(connection) {
        const { kex = '', cipherIn = '', cipherOut = '' } = connection.algorithms ?? {}
        const login = logins.get(connection) ?? ''
        seen.set(connection.user ?? '', { login, kex, ciphers: [cipherIn, cipherOut], asked: [] })
      },
      open(connection, request) {
        const asked = seen.get(connection.user ?? '')?.asked ?? []
        asked.push(request.type)
        if (request.type !== 'session') return openForward(request)
        return { accept: true, attach: (channel) => session(connection, channel, asked, options.folder, agents) }
      },
      async listen(connection, request) {
        seen.get(connection.user ?? '')?.asked.push(request.type)
        return listeners.listen(connection, request)
      },
      unlisten: (_connection, request) => listeners.unlisten(request),
    },
  )
  const [loaded] = loadHostKeys([hostKey])
  return {
    port: server.port,
    fingerprint: await sha256Fingerprint(loaded?.blob ?? new Uint8Array()),
    seen,
    async [Symbol.asyncDispose]() {
      listeners.close()
      for (const agent of agents) agent.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function matches(attempt: AuthAttempt, wayIn: WayIn): Promise<boolean> {
  if (attempt.method === 'password') return wayIn.method === 'password' && attempt.password === wayIn.password
  if (attempt.method === 'publickey') {
    if (wayIn.method !== 'publickey' || !blobOf(wayIn.key).equals(attempt.key.blob)) return false
    return (attempt.key.certificate?.principals.includes(attempt.user) ?? false) === wayIn.certified
  }
  if (attempt.method !== 'keyboard-interactive' || wayIn.method !== 'keyboard-interactive') return false
  for (const [index, round] of wayIn.rounds.entries()) {
    const prompts = Object.keys(round).map((text) => ({ text: `${text} `, echo: index === 0 }))
    const answers = await attempt.prompt(`Round ${index + 1}`, '', prompts)
    if (answers.join() !== Object.values(round).join()) return false
  }
  return true
}

function describeLogin(attempt: AuthAttempt): string {
  if (attempt.method !== 'publickey') return attempt.method
  return `${attempt.key.type} ${attempt.key.algorithm}${attempt.key.certificate ? ' certificate' : ''}`
}

/** A session that can run commands, a shell on a terminal and the file server, with agent and X11 forwarding. */
function session(
  connection: SshConnection,
  channel: SshChannel,
  asked: string[],
  folder: string,
  agents: Set<Server>,
): ChannelHandler {
  const env: NodeJS.ProcessEnv = { ...process.env }
  let cookie = Buffer.alloc(0)
  const shell = new ShellChannel(
    channel,
    (request) => {
      if (request.type === 'shell') return ['script', '-qec', '/bin/sh', '/dev/null']
      if (request.type === 'subsystem') return ['/usr/lib/openssh/sftp-server']
      return request.type === 'exec' && Buffer.from(request.command).toString() === 'x11'
        ? undefined
        : shellCommand(request)
    },
    env,
  )
  return {
    data: (bytes) => shell.data(bytes),
    drain: () => shell.drain(),
    eof: () => shell.eof(),
    closed: () => shell.closed(),
    request(request) {
      asked.push(request.type)
      if (request.type === 'x11-req') cookie = Buffer.from(request.cookie, 'hex')
      if (request.type === 'auth-agent-req@openssh.com') {
        const path = `${folder}/lent-${connection.sessionId.slice(0, 8)}`
        agents.add(lendAgent(connection, path))
        env['SSH_AUTH_SOCK'] = path
      }
      if (request.type === 'exec' && Buffer.from(request.command).toString() === 'x11') {
        showOnX11(connection, channel, cookie)
      }
      return shell.request(request)
    },
  }
}

/** Listens on a socket that leads to the client's agent. */
function lendAgent(connection: SshConnection, path: string): Server {
  return createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    connection
      .openChannel('auth-agent@openssh.com', new Uint8Array(), (channel) => {
        const handler = joinSocket(channel, socket)
        socket.resume()
        return handler
      })
      .catch(() => socket.destroy())
  }).listen(path)
}

/** Sends an X client's first message with the cookie it was given, and prints what the display answers. */
function showOnX11(connection: SshConnection, session: SshChannel, cookie: Buffer): void {
  const name = Buffer.from('MIT-MAGIC-COOKIE-1')
  const head = Buffer.from([0x6c, 0, 11, 0, 0, 0, name.length, 0, cookie.length, 0, 0, 0])
  const padded = Buffer.concat([name, Buffer.alloc((4 - (name.length % 4)) % 4)])
  const origin = new WireWriter().string('127.0.0.1').uint32(1).done()
  connection
    .openChannel('x11', origin, (channel) => {
      channel.write(Buffer.concat([head, padded, cookie]))
      return {
        data: (bytes) => {
          session.write(bytes)
          session.exitStatus(0)
          session.close()
          channel.close()
        },
        closed: () => undefined,
      }
    })
    .catch(() => session.close())
}
