// Test devices and clients for the gateway in a whole server: they can misbehave in any way, over real sockets.
import { once } from 'node:events'
import { connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type {
  Link,
  LinkCause,
  LinkHandler,
  LinkMessage,
  LinkStream,
  StreamHandler,
  StreamKind,
} from '@bowline/link/api'
import { LINK_DEFAULTS } from '@bowline/link/api'
import { systemClock } from '@bowline/base/clock'
import { clientHandshake } from '@bowline/link/testing/handshake'
import { connectServer, parseServerAddress } from '@bowline/link/server-address'
import { SocketTransport } from '@bowline/link/testing/socket-transport'
import { AuthCredential } from '@bowline/link/stream-messages'
import type { Transport } from '@bowline/link/testing/transport'
import { requestUpgrade } from '@bowline/link/upgrade'
import { TestClient, type TestClientOptions } from '@bowline/ssh/testing/test-client'
import { onTestFinished } from 'vitest'
import type { BootedServer, Person, RegisteredDevice } from './boot.ts'
import { until } from '@bowline/testkit/until'

/** Handles a stream that the gateway opens on a device. */
export type Behaviour = (kind: StreamKind, header: LinkMessage, stream: LinkStream) => StreamHandler | LinkCause

export interface FakeDevice {
  readonly device: RegisteredDevice
  /** SSH user name of an account on it. */
  login(user: string): string
  readonly link: Link
  /** Transport below the link, for bytes that no link would send. */
  readonly transport: Transport
  /** Resets the connection below the link, as a network does. */
  reset(): void
  /** Resolves when the link has ended. */
  readonly ended: Promise<LinkCause>
  /** Kinds and headers of the streams opened on it. */
  readonly asked: { kind: StreamKind; header: LinkMessage }[]
  readonly credentials: AuthCredential[]
}

/** The password that devices accept by default. */
export const DEVICE_PASSWORD = 'right'

/**
 * An accepted device with a link, until the test is over.
 * @param behave default: accepts the password `right` and every statement, echoes sessions and connections
 * @param known an already registered device
 * @param pins pinned keys of a server with TLS
 */
export async function fakeDevice(
  server: BootedServer,
  person: Person,
  behave?: Behaviour,
  known?: RegisteredDevice,
  pins?: readonly Uint8Array[],
): Promise<FakeDevice> {
  const device = known ?? (await server.acceptedDevice(person))
  const asked: FakeDevice['asked'] = []
  const credentials: AuthCredential[] = []
  const { promise: ended, resolve } = Promise.withResolvers<LinkCause>()
  const honest: Behaviour = (kind, _, stream) => (kind === 'auth' ? judging(stream, credentials) : echoing(stream))
  const handler: LinkHandler = {
    open(kind, header, stream) {
      asked.push({ kind, header })
      return (behave ?? honest)(kind, header, stream)
    },
    closed: resolve,
  }
  const parsed = parseServerAddress(server.origin)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const socket = await connectServer(parsed.value, pins, new AbortController().signal)
  const upgraded = await requestUpgrade(socket, parsed.value, device.token)
  if (!('socket' in upgraded)) throw new Error(`the server answered ${JSON.stringify(upgraded)}`)
  const highBytes = LINK_DEFAULTS.socketHighBytes
  const transport = new SocketTransport({ ...upgraded, masking: 'zero', highBytes, clock: systemClock })
  const owner = { handler, clock: systemClock, report: () => undefined }
  const outcome = await clientHandshake(transport, { uid: device.uid, privateKey: device.privateKey }, owner)
  if ('cause' in outcome) throw new Error(outcome.cause.message)
  const { link } = outcome
  onTestFinished(async () => {
    link.close({ by: 'agent', reason: 'done', message: 'the test is over' })
    await ended
  })
  const look = () => person.client.call(operations.devices.get, { params: { uid: device.uid } })
  await until(async () => (await look()).body.online)
  const { body } = await look()
  return {
    device,
    login: (user) => `${user}@${body.namespace}.${body.name}`,
    link,
    transport,
    reset: () => void socket.resetAndDestroy(),
    ended,
    asked,
    credentials,
  }
}

/** An `auth` stream that records credentials. */
export function judging(stream: LinkStream, credentials: AuthCredential[] = []): StreamHandler {
  return {
    data: () => undefined,
    control(message) {
      const credential = AuthCredential.parse(message)
      credentials.push(credential)
      const right =
        credential.method === 'statement' ||
        (credential.method === 'password' && credential.password === DEVICE_PASSWORD)
      stream.control(right ? { type: 'accepted' } : { type: 'denied', reason: 'credential' })
    },
    closed: () => undefined,
  }
}

/** A process or connection that echoes its input. */
function echoing(stream: LinkStream): StreamHandler {
  stream.control({ type: stream.kind === 'dial' ? 'connected' : 'started' })
  return {
    data(bytes) {
      const { length } = bytes
      stream.write(bytes)
      stream.consumed(length)
    },
    eof() {
      if (stream.kind === 'session') stream.control({ type: 'exit', status: 0 })
      stream.close()
    },
    control: () => undefined,
    closed: () => undefined,
  }
}

/** A connected client; the caller closes it. */
/** @param options.from address of the client, of the loopback network */
export async function connectClient(
  server: BootedServer,
  { from = '127.0.0.1', ...options }: TestClientOptions & { readonly from?: string } = {},
): Promise<TestClient> {
  const socket = connect({ port: server.sshPort, host: '127.0.0.1', localAddress: from })
  socket.setNoDelay(true)
  const client = new TestClient(socket, options)
  await once(socket, 'connect')
  return client
}

/** A connected client, closed at the end of the test. */
export async function rawClient(
  server: BootedServer,
  options: TestClientOptions & { readonly from?: string } = {},
): Promise<TestClient> {
  const client = await connectClient(server, options)
  onTestFinished(() => void client.socket.destroy())
  return client
}

/** A client that has signed in with the correct password. */
export async function signedIn(server: BootedServer, login: string): Promise<TestClient> {
  const client = await rawClient(server)
  await client.signIn(login)
  return client
}
