// Connects a server connection and a test client in memory: no sockets, no waiting.
import { generateKeyPairSync } from 'node:crypto'
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { CloseCause, ConnectionHandler, SshConnection, SshLimits, SshServerOptions } from '../../src/api.ts'
import { OPEN_PROHIBITED } from '../../src/api.ts'
import { acceptConnection } from '../../src/server.ts'
import { RecordedChannel } from './recorded-channel.ts'
import { TestClient } from './test-client.ts'
import type { TestClientOptions } from './test-client.ts'

export const TEST_HOST_KEY: string = generateKeyPairSync('ed25519').privateKey.export({
  format: 'pem',
  type: 'pkcs8',
})

export interface Connected {
  readonly client: TestClient
  readonly connection: SshConnection
  readonly serverSocket: Duplex
  readonly clock: ManualClock
  /** Channels the server has accepted, in order. */
  readonly channels: readonly RecordedChannel[]
  /** Resolves when the connection has ended. */
  readonly closed: Promise<CloseCause>
}

export interface ConnectOptions {
  readonly options?: Partial<Omit<SshServerOptions, 'limits'>>
  readonly limits?: Partial<SshLimits>
  readonly handler?: Partial<ConnectionHandler>
  readonly client?: TestClientOptions
}

/** Connects both; by default the handler accepts the password `right`, proven keys and every session. */
export function connect({ options, limits, handler, client }: ConnectOptions = {}): Connected {
  const [near, far] = duplexPair()
  const clock = new ManualClock()
  const channels: RecordedChannel[] = []
  const { promise: closed, resolve } = Promise.withResolvers<CloseCause>()
  const full: SshServerOptions = {
    hostKeys: [TEST_HOST_KEY],
    software: 'OpenSSH_9.9 Test',
    methods: ['publickey', 'password', 'keyboard-interactive'],
    clock,
    ...options,
    limits: limits ?? {},
  }
  const testClient = new TestClient(far, client)
  const connection = acceptConnection(near, { address: '192.0.2.7', port: 2_200 }, full, {
    authenticate: async (_connection, attempt) => {
      const good = attempt.method === 'publickey' || (attempt.method === 'password' && attempt.password === 'right')
      return { result: good ? 'accept' : 'reject' }
    },
    open: (_connection, request) =>
      request.type === 'session'
        ? {
            accept: true,
            attach: (channel) => {
              const recorded = new RecordedChannel(channel)
              channels.push(recorded)
              return recorded
            },
          }
        : { accept: false, code: OPEN_PROHIBITED, message: 'not here' },
    ...handler,
    closed: (ended, cause) => {
      handler?.closed?.(ended, cause)
      resolve(cause)
    },
  })
  return { client: testClient, connection, serverSocket: near, clock, channels, closed }
}

/** Lets everything in flight finish: streams, promises and timers of zero. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
