// The inner SSH connection: the gateway is the client of the device's own SSH server. One for each connection of a person;
// all of its channels go over it. The server proves the key that was enrolled before any credential is sent.
import { timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '@bowline/link/api'
import type { CloseCause } from '@bowline/ssh/api'
import { connectClient } from '@bowline/ssh/client'
import type { ClientHandler, SshClientConnection, SshClientOptions } from '@bowline/ssh/client-api'
import { keyTypeOf } from '../../../devices/enrolled/host-key-facts.ts'
import type { DeviceDoor } from './door.ts'

/** From the first byte to a server that has proved its key. */
const BUDGET_MS = 30_000
const SOFTWARE = 'Bowline'
/** The device's address is unknown here, and nothing depends on it. */
const PEER = { address: '127.0.0.1', port: 22 }

/** Why there is no inner connection. */
export class InnerFailure extends Error {
  override readonly cause: LinkCause

  constructor(cause: LinkCause) {
    super(cause.message)
    this.cause = cause
  }
}

/** A connection to an SSH server that has proved the key that was enrolled. */
export interface InnerConnection {
  readonly client: SshClientConnection
  /** Wire encoding of the key. */
  readonly hostKey: Uint8Array
}

/**
 * Connects to the SSH server of a device, which proves the key that was enrolled.
 * @param handler its `closed` is called only for a connection that was returned
 * @throws {InnerFailure}
 */
export async function dialInner(
  door: Pick<DeviceDoor, 'openSsh' | 'hostKey' | 'otherHostKey'>,
  clock: Clock,
  handler: ClientHandler,
): Promise<InnerConnection> {
  const hostKey = await door.hostKey()
  const key = {
    hostKeyTypes: [keyTypeOf(hostKey)],
    acceptsHostKey(blob: Uint8Array) {
      const isEnrolled = isSameKey(blob, hostKey)
      if (!isEnrolled) door.otherHostKey?.(Uint8Array.from(blob))
      return isEnrolled
    },
  }
  return { client: await dial(door, key, clock, handler), hostKey }
}

/** Compares wire encodings of public keys. */
export function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** An SSH server that has proved its host key. */
export interface SeenServer {
  /** Wire encoding of the key. */
  readonly hostKey: Uint8Array
  /** Its identification string; not to be shown without cleaning. */
  readonly ident: string
}

/**
 * Finds out the host key of a device's SSH server. No credential is sent.
 * @param preferred types of the keys to ask for first
 * @throws {InnerFailure}
 */
export async function scanInner(
  door: Pick<DeviceDoor, 'openSsh'>,
  preferred: readonly string[],
  clock: Clock,
): Promise<SeenServer> {
  const seen: { hostKey?: Uint8Array } = {}
  const key = {
    hostKeyTypes: preferred,
    acceptsHostKey(blob: Uint8Array) {
      seen.hostKey = Uint8Array.from(blob)
      return true
    },
  }
  const client = await dial(door, key, clock, { closed: () => undefined })
  const { hostKey = new Uint8Array() } = seen
  client.disconnect({ by: 'local', reason: 'done', message: 'The key is proved.' })
  return { hostKey, ident: client.serverIdent }
}

type KeyCheck = Pick<SshClientOptions, 'hostKeyTypes' | 'acceptsHostKey'>

async function dial(
  door: Pick<DeviceDoor, 'openSsh'>,
  key: KeyCheck,
  clock: Clock,
  handler: ClientHandler,
): Promise<SshClientConnection> {
  const budget = Promise.withResolvers<never>()
  budget.promise.catch(() => undefined)
  const cancel = clock.after(BUDGET_MS, () => budget.reject(new InnerFailure(TIMEOUT)))
  let client: SshClientConnection | undefined
  let isOver = false
  let isReady = false
  const ended = Promise.withResolvers<CloseCause>()
  try {
    const opening = door.openSsh()
    const stream = await Promise.race([opening, budget.promise]).catch((error: unknown) => {
      // What opens too late is not left open.
      void opening.then((late) => late.destroy()).catch(() => undefined)
      throw error
    })
    client = speak(stream, key, clock, {
      ...handler,
      closed(cause) {
        ended.resolve(cause)
        if (isReady) handler.closed(cause)
      },
    })
    await Promise.race([client.ready, budget.promise])
    isReady = true
    return client
  } catch (error) {
    isOver = true
    throw error instanceof InnerFailure ? error : new InnerFailure(await reasonOf(error, client && ended.promise))
  } finally {
    cancel()
    if (isOver) client?.disconnect({ by: 'local', reason: 'given-up', message: 'The connection was given up.' })
  }
}

function speak(stream: Duplex, key: KeyCheck, clock: Clock, handler: ClientHandler): SshClientConnection {
  return connectClient(
    stream,
    PEER,
    {
      software: SOFTWARE,
      ...key,
      // Existing agents lose what arrives before they have begun to speak.
      speaksFirst: false,
      limits: { identMs: BUDGET_MS, kexMs: BUDGET_MS },
      clock,
    },
    handler,
  )
}

/** @param ended cause with which the connection ends */
async function reasonOf(error: unknown, ended: Promise<CloseCause> | undefined): Promise<LinkCause> {
  const cause = await ended
  if (cause) return lostBy(cause)
  const why = error instanceof Error ? error.message : 'unknown'
  return { by: 'network', reason: 'not-opened', message: `The device opened no connection: ${why}.` }
}

/** Why an inner connection has ended, as the gateway tells people. */
export function lostBy({ by, reason, message }: CloseCause): LinkCause {
  if (reason === 'host-key-refused') return HOST_KEY
  if (by === 'timeout') return { by: 'network', reason, message: 'The SSH server of the device stopped answering.' }
  if (by === 'peer') return { by: 'network', reason: 'device-closed', message: 'The device ended the connection.' }
  return { by: 'agent', reason, message: `The SSH server of the device failed: ${message}` }
}

const TIMEOUT: LinkCause = {
  by: 'network',
  reason: 'handshake-timeout',
  message: 'The SSH server of the device did not answer in time.',
}

export const HOST_KEY: LinkCause = {
  by: 'policy',
  reason: 'host-key',
  message: 'The host key of the device is not the one that was enrolled. No credential was sent to it.',
}

export const HOST_KEY_CHANGED: LinkCause = {
  by: 'policy',
  reason: 'host-key-changed',
  message: 'A new host key was accepted for the device. This session was connected to the SSH server with the old one.',
}
