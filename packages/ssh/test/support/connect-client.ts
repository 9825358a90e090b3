// Connects our client to our server in memory: no sockets, no waiting.
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { CloseCause, ConnectionHandler, SshChannel, SshConnection, SshServerOptions } from '../../src/api.ts'
import { OPEN_PROHIBITED } from '../../src/api.ts'
import { connectClient } from '../../src/client.ts'
import type {
  ClientChannel,
  ClientHandler,
  ProgramExit,
  SshClientConnection,
  SshClientOptions,
} from '../../src/client-api.ts'
import { acceptConnection } from '../../src/server.ts'
import { TEST_HOST_KEY } from './connect.ts'
import { RecordedChannel } from './recorded-channel.ts'

export interface JoinOptions {
  readonly server?: Partial<SshServerOptions>
  readonly handler?: Partial<ConnectionHandler>
  readonly client?: Partial<SshClientOptions>
  readonly clientHandler?: Partial<ClientHandler>
}

export interface Joined {
  readonly client: SshClientConnection
  readonly server: SshConnection
  readonly clientSocket: Duplex
  readonly clock: ManualClock
  /** Sessions that the server has accepted, in order. */
  readonly sessions: readonly RecordedChannel[]
  /** Cause with which the client's connection ended. */
  readonly closed: Promise<CloseCause>
  /** Cause with which the server's connection ended. */
  readonly serverClosed: Promise<CloseCause>
}

const PEER = { address: '192.0.2.9', port: 22 }

/** By default the server accepts the password `right`, proven keys and every session. */
export function join({ server = {}, handler = {}, client = {}, clientHandler = {} }: JoinOptions = {}): Joined {
  const [near, far] = duplexPair()
  const clock = new ManualClock()
  const sessions: RecordedChannel[] = []
  const serverClosed = Promise.withResolvers<CloseCause>()
  const closed = Promise.withResolvers<CloseCause>()
  const options: SshServerOptions = {
    hostKeys: [TEST_HOST_KEY],
    software: 'OpenSSH_9.9 Test',
    methods: ['publickey', 'password', 'keyboard-interactive'],
    clock,
    ...server,
  }
  const accepted = acceptConnection(near, PEER, options, {
    authenticate: async (_connection, attempt) => {
      const isProven = attempt.method === 'publickey' && attempt.proven
      const isRight = attempt.method === 'password' && attempt.password === 'right'
      return { result: isProven || isRight ? 'accept' : 'reject' }
    },
    open: (_connection, request) =>
      request.type === 'session'
        ? { accept: true, attach: (channel) => record(channel, sessions) }
        : { accept: false, code: OPEN_PROHIBITED, message: 'not here' },
    ...handler,
    closed: (_connection, cause) => serverClosed.resolve(cause),
  })
  const connection = connectClient(
    far,
    PEER,
    { software: 'Test', acceptsHostKey: () => true, clock, ...client },
    { ...clientHandler, closed: closed.resolve },
  )
  return {
    client: connection,
    server: accepted,
    clientSocket: far,
    clock,
    sessions,
    closed: closed.promise,
    serverClosed: serverClosed.promise,
  }
}

function record(channel: SshChannel, sessions: RecordedChannel[]): RecordedChannel {
  const recorded = new RecordedChannel(channel)
  sessions.push(recorded)
  return recorded
}

/** The client's end of a program: what it has written, and how it ended. */
export class ClientProgram {
  readonly channel: ClientChannel
  readonly exits: ProgramExit[] = []
  readonly #output: Buffer[][] = [[], []]
  readonly #closed = Promise.withResolvers<CloseCause>()

  private constructor(channel: ClientChannel) {
    this.channel = channel
  }

  /** Opens a session. */
  static async open(connection: SshClientConnection): Promise<ClientProgram> {
    let program: ClientProgram | undefined
    await connection.openChannel({ type: 'session' }, (channel) => (program = new ClientProgram(channel)))
    if (!program) throw new Error('the channel was not attached')
    return program
  }

  /** Opens a session and runs a command. @throws {Error} when it is refused */
  static async exec(connection: SshClientConnection, command: string): Promise<ClientProgram> {
    const program = await ClientProgram.open(connection)
    const isGranted = await program.channel.request({ type: 'exec', command: Buffer.from(command) })
    if (!isGranted) throw new Error('the command was refused')
    return program
  }

  data(bytes: Uint8Array, extended: number): void {
    this.#output[extended]?.push(Buffer.from(bytes))
    this.channel.consumed(bytes.length)
  }

  exited(exit: ProgramExit): void {
    this.exits.push(exit)
  }

  closed(cause: CloseCause): void {
    this.#closed.resolve(cause)
  }

  /** Resolves when the channel has closed. */
  get ended(): Promise<CloseCause> {
    return this.#closed.promise
  }

  get stdout(): Buffer {
    return Buffer.concat(this.#output[0] ?? [])
  }

  get stderr(): Buffer {
    return Buffer.concat(this.#output[1] ?? [])
  }
}
