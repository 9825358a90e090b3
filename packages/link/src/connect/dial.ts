// The agent's end of a link: connects, verifies the server, upgrades, proves its key. One attempt; reconnect.ts loops.
import type { KeyObject } from 'node:crypto'
import { LINK_DEFAULTS, type Link, type LinkCause } from '../api.ts'
import { type LinkOwner, clientHandshake } from './handshake.ts'
import { ConnectError, type ServerAddress, connectServer } from './server-address.ts'
import { SocketTransport } from '../websocket/socket-transport.ts'
import { requestUpgrade } from './upgrade.ts'

export interface DialTarget {
  readonly address: ServerAddress
  /** Digests from {@link parsePin}; with a pin the certificate's authority, name and dates are not checked. */
  readonly pins?: readonly Uint8Array[]
  /** Device token from `devices/auth`. Never sent before the server is trusted. */
  readonly token: string
  readonly device: { readonly uid: string; readonly privateKey: KeyObject }
}

/** Result of an attempt; `retryAfterSeconds` when the server asked for a delay. */
export type DialOutcome = { readonly link: Link } | { readonly cause: LinkCause; readonly retryAfterSeconds?: number }

/** Deadline for connecting, TLS, the upgrade and the handshake together. */
const CONNECT_TIMEOUT_MS = 20_000
const TIMED_OUT: LinkCause = { by: 'network', reason: 'connect-timeout', message: 'there was no link within 20 s' }
const GIVEN_UP: LinkCause = { by: 'agent', reason: 'stopped', message: 'the attempt was given up' }

/**
 * Dials the server once. Never rejects.
 * @param signal aborts the attempt (an established link is not affected)
 * @returns the link, or why there is none. Reasons: `connect-failed`, `connect-timeout`, `stopped`, `certificate`,
 *   `pin-mismatch`, `unauthorized` (401 or 403: the token is invalid or revoked), `not-found`, `unavailable` (429, 502,
 *   503, 504), `version`, `http-<status>`, `upgrade-failed`, and the handshake's: `wrong-proof`, `protocol`,
 *   `handshake-timeout`
 */
export async function dialLink(target: DialTarget, owner: LinkOwner, signal?: AbortSignal): Promise<DialOutcome> {
  const ended = new AbortController()
  let endCause: LinkCause | undefined
  const end = (cause: LinkCause): void => {
    endCause ??= cause
    ended.abort()
  }
  const cancelTimer = owner.clock.after(CONNECT_TIMEOUT_MS, () => end(TIMED_OUT))
  const giveUp = (): void => end(GIVEN_UP)
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  const outcome = await attempt(target, owner, ended.signal).catch((error: unknown) => ({ cause: failure(error) }))
  cancelTimer()
  signal?.removeEventListener('abort', giveUp)
  return 'cause' in outcome && endCause ? { cause: endCause } : outcome
}

async function attempt(target: DialTarget, owner: LinkOwner, signal: AbortSignal): Promise<DialOutcome> {
  const { address, pins, token, device } = target
  const socket = await connectServer(address, pins, signal)
  const abort = (): void => void socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    const upgraded = await requestUpgrade(socket, address, token)
    if ('otherVersion' in upgraded) {
      return { cause: { by: 'gateway', reason: 'version', message: upgraded.otherVersion } }
    }
    if ('status' in upgraded) return refused(upgraded.status, upgraded.retryAfterSeconds)
    const highBytes = owner.options?.socketHighBytes ?? LINK_DEFAULTS.socketHighBytes
    const masking = address.secure ? 'zero' : 'random'
    const transport = new SocketTransport({ ...upgraded, masking, highBytes, clock: owner.clock })
    return await clientHandshake(transport, device, owner)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const REFUSALS = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not-found'],
  [429, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
])

function refused(status: number, retryAfterSeconds: number | undefined): DialOutcome {
  const reason = REFUSALS.get(status) ?? `http-${status}`
  const cause: LinkCause = { by: 'gateway', reason, message: `the server answered ${status} to the request for a link` }
  return retryAfterSeconds === undefined ? { cause } : { cause, retryAfterSeconds }
}

function failure(error: unknown): LinkCause {
  const message = error instanceof Error ? error.message : String(error)
  return { by: 'network', reason: error instanceof ConnectError ? error.reason : 'upgrade-failed', message }
}
