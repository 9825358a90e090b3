// Why a connection reaches no tunnel, and the alert that tells a TLS client so (RFC 8446 section 6).
import type { Socket } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { TunnelError } from '../proxy/link-socket.ts'
import type { GreetingFault } from './hello-socket.ts'

export type Refusal =
  | GreetingFault
  /** Proxy whose header is not valid. */
  | 'proxy-header'
  | 'too-many'
  | 'no-name'
  | 'address-as-name'
  /** A name outside of the domain of tunnels, or no address of a TCP tunnel. */
  | 'unknown-name'
  /** Proof of a name to a certificate authority: the names are this server's, not the device's. */
  | 'acme'
  | 'offline'
  /** The namespace has more devices than it may without a subscription. */
  | 'lapsed'
  | 'service-refused'
  | 'service-timeout'
  | 'lost'
  | 'error'

const INTERNAL_ERROR = 80
const UNRECOGNIZED_NAME = 112
const NO_APPLICATION_PROTOCOL = 120

/** Only those get an alert who have sent a valid first message. */
const ALERTS: Partial<Record<Refusal, number>> = {
  'no-name': UNRECOGNIZED_NAME,
  'address-as-name': UNRECOGNIZED_NAME,
  'unknown-name': UNRECOGNIZED_NAME,
  acme: NO_APPLICATION_PROTOCOL,
  'too-many': INTERNAL_ERROR,
  offline: INTERNAL_ERROR,
  lapsed: INTERNAL_ERROR,
  'service-refused': INTERNAL_ERROR,
  'service-timeout': INTERNAL_ERROR,
  error: INTERNAL_ERROR,
}
/** Time for the client to read the alert and to close its side, in milliseconds. */
const ALERT_MS = 1_000

/** Ends a connection with the alert of the refusal, or without one. */
export function refuse(socket: Socket, refusal: Refusal, clock: Clock): void {
  const alert = ALERTS[refusal]
  if (alert === undefined || socket.destroyed) return void socket.destroy()
  const cancel = clock.after(ALERT_MS, () => socket.destroy())
  socket.once('close', cancel)
  // Input is read and dropped: closing a socket with unread input resets it, and the alert is lost.
  socket.resume().end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))
}

/** Status of a refused connection in the log of its tunnel, as HTTP requests have it. */
export function statusOf(refusal: Refusal): number {
  if (refusal === 'offline' || refusal === 'too-many' || refusal === 'error') return 503
  return refusal === 'service-timeout' ? 504 : 502
}

/** Failure of the connection through the device. */
export function refusalOf(error: Error): Refusal {
  if (!(error instanceof TunnelError)) return 'error'
  if (error.failure === 'lost' || error.failure === 'gone') return 'lost'
  return error.failure === 'refused' ? 'service-refused' : 'service-timeout'
}
