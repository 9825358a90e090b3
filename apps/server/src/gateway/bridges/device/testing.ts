// For tests: the bridge of a device, spoken to as the gateway does.
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Clock, systemClock } from '@bowline/base/clock'
import type { Link, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import { localLink } from '@bowline/link/local'
import { connectClient } from '@bowline/ssh/client'
import type { SessionOpen } from '@bowline/link/stream-messages'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { expect, onTestFinished } from 'vitest'
import { bridgeHandler } from './bridge.ts'
import type { DeviceDoor } from './door.ts'

/** Connects to a server on loopback. */
export async function dialPort(port: number) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** The host key of a server on loopback. */
export async function hostKeyOf(port: number): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const acceptsHostKey = (blob: Uint8Array): boolean => {
    resolve(Uint8Array.from(blob))
    return false
  }
  const options = { software: 'Test', acceptsHostKey, hostKeyTypes: ['ssh-ed25519'] }
  connectClient(await dialPort(port), { address: '127.0.0.1', port }, options, { closed: () => undefined })
  return promise
}

export interface BridgeOptions {
  readonly clock?: Clock
  /** Takes the streams that the device opens. */
  readonly accept?: (kind: StreamKind, header: LinkMessage, stream: LinkStream) => StreamHandler
}

/** A link to a bridged device until the end of the test. */
export function bridgeTo(door: Partial<DeviceDoor> & Pick<DeviceDoor, 'openSsh'>, options: BridgeOptions = {}): Link {
  const { clock = systemClock, accept } = options
  const bridge = bridgeHandler({
    door: {
      openTcp: () => Promise.reject(new Error('no tunnels here')),
      hostKey: () => Promise.resolve(new Uint8Array(0)),
      keyLogin: () => Promise.resolve(undefined),
      servedBy: 'a program of the test',
      ...door,
    },
    clock,
  })
  const { gateway, device } = localLink({
    gateway: {
      open: (kind, header, stream) =>
        accept?.(kind, header, stream) ?? { by: 'gateway', reason: 'refused', message: '' },
      closed: () => undefined,
    },
    device: bridge,
    clock: systemClock,
    report: (error) => expect.fail(String(error)),
  })
  bridge.attach(device)
  onTestFinished(() => gateway.close({ by: 'gateway', reason: 'done', message: '' }))
  return gateway
}

/** A stream that the test has opened. */
export type OpenedStream = RecordedStream & { stream: LinkStream }

/** An auth stream, with the answer to one credential. */
export async function signIn(
  link: Link,
  user: string,
  credential: LinkMessage = { method: 'statement', statement: 'x' },
): Promise<OpenedStream> {
  const auth = RecordedStream.open(link, 'auth', { session: 'e'.repeat(64), user, remote: '192.0.2.7' })
  await answer(auth, credential)
  return auth
}

/** Sends a credential or answers, and waits for what the device says. */
export async function answer(auth: OpenedStream, message: LinkMessage): Promise<void> {
  const before = auth.messages.length
  auth.stream.control(message)
  await until(() => auth.messages.length > before || auth.cause !== undefined)
}

export function startSession(
  link: Link,
  login: OpenedStream,
  run: SessionOpen['run'] | string,
  more: Partial<SessionOpen> = {},
  options: { consume?: boolean } = {},
): OpenedStream {
  const what = typeof run === 'string' ? exec(run) : run
  const client = { address: '192.0.2.7', port: 50_000 }
  return RecordedStream.open(link, 'session', { login: login.stream.id, run: what, env: [], client, ...more }, options)
}

const exec = (command: string): SessionOpen['run'] => ({
  type: 'exec',
  command: Buffer.from(command).toString('base64'),
})
