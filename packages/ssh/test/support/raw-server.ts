// A server that does the key exchange and then sends what a test tells it to: for clients that face hostile servers.
import { duplexPair } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type CloseCause, DEFAULT_LIMITS } from '../../src/api.ts'
import { connectClient } from '../../src/client.ts'
import type { ClientHandler, SshClientConnection, SshClientOptions } from '../../src/client-api.ts'
import { loadHostKey } from '../../src/keys/host-key.ts'
import { Transport } from '../../src/transport/transport.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { TEST_HOST_KEY, settle } from './connect.ts'

export interface Facing {
  readonly client: SshClientConnection
  readonly transport: Transport
  readonly clock: ManualClock
  readonly closed: Promise<CloseCause>
  /** Types of the messages that the client has sent. */
  readonly heard: readonly number[]
  /** Accepts the service and any credential. */
  signIn(): Promise<void>
}

/** Connects a client to it. */
export function faceRawServer(options: Partial<SshClientOptions> = {}, handler: Partial<ClientHandler> = {}): Facing {
  const [near, far] = duplexPair()
  const clock = new ManualClock()
  const heard: number[] = []
  const { promise: closed, resolve } = Promise.withResolvers<CloseCause>()
  const role = {
    side: 'server' as const,
    hostKeys: [loadHostKey(TEST_HOST_KEY)],
    olderHostKeys: [],
    compatibility: 'modern' as const,
    signatureAlgorithms: ['ssh-ed25519'],
  }
  const transport = new Transport(
    near,
    { software: 'Raw', role, limits: DEFAULT_LIMITS, clock },
    {
      message(type) {
        heard.push(type)
        if (type === n.MSG_SERVICE_REQUEST) {
          transport.send(new WireWriter().byte(n.MSG_SERVICE_ACCEPT).string('ssh-userauth').done())
        }
      },
      drain: () => undefined,
      fail: () => undefined,
    },
  )
  near.on('data', (chunk: Buffer) => {
    try {
      transport.receive(chunk)
    } catch {
      // The client has disconnected.
    }
  })
  near.on('error', () => undefined)
  near.on('end', () => near.end())
  transport.start()
  const peer = { address: '192.0.2.9', port: 22 }
  const settings = { software: 'Test', acceptsHostKey: () => true, clock, ...options }
  const client = connectClient(far, peer, settings, { ...handler, closed: resolve })
  return {
    client,
    transport,
    clock,
    closed,
    heard,
    async signIn() {
      const outcome = client.authenticate('ada', { method: 'password', password: 'x' })
      await client.ready
      await settle()
      transport.send(Uint8Array.of(n.MSG_USERAUTH_SUCCESS))
      await outcome
    },
  }
}
