// The place of an engine, and the connection to it. Every connection is judged anew: a name may lead elsewhere by now.
import { type Socket, connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { CIPHERS_OF_STRANGERS, isSlowKey } from '@bowline/base/tls-clients'
import { EngineError } from './errors.ts'

/** An engine that something else reaches. */
export interface ReachedTarget {
  /** Opens a connection that can be half-closed; it may still be under way. @throws {EngineError} */
  readonly open: () => Duplex
  /** Ends the connections. */
  readonly signal?: AbortSignal
}

/** An engine at an address that is dialled from here. */
export interface DialledTarget {
  /** Host name or IP address. */
  readonly host: string
  readonly port: number
  /** PEM texts; undefined: without TLS. The engine's certificate must be signed by `ca` and be for `host`. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string } | undefined
  /** Ends the connections. */
  readonly signal?: AbortSignal
  /** Resolves a host and decides whether it may be dialled. Only the returned address is dialled. */
  readonly judge: (host: string) => Promise<{ readonly address: string } | { readonly refused: string }>
}

export type EngineTarget = ReachedTarget | DialledTarget

/** Silence after which the system probes a connection, in milliseconds: a dead engine must not look idle. */
const KEEP_ALIVE_MS = 30_000
const ENDED = 'the engine is no longer needed'

/**
 * Opens a connection. The socket reports its failures itself; it can be half-closed.
 * @throws {EngineError} when the address may not be dialled, or the PEM texts are unusable
 */
export async function connectTo(target: EngineTarget): Promise<Duplex> {
  if ('open' in target) {
    if (target.signal?.aborted) throw new EngineError(ENDED)
    return endedBy(target.open(), target.signal)
  }
  const { host, port, tls, judge, signal } = target
  const answer = await judge(host)
  if ('refused' in answer) throw new EngineError(answer.refused)
  if (signal?.aborted) throw new EngineError(ENDED)
  const place = { host: answer.address, port, allowHalfOpen: true }
  if (!tls) return tuned(connect(place), signal)
  const name = host.replace(/^\[|\]$/g, '')
  // Keys that were stored before their size was checked.
  if (isSlowKey(tls.key)) throw new EngineError('the private key of the connector is too large')
  try {
    const bounds = { minVersion: 'TLSv1.2', ciphers: CIPHERS_OF_STRANGERS } as const
    const options: ConnectionOptions = { ...place, ca: tls.ca, cert: tls.cert, key: tls.key, ...bounds }
    return tuned(connectTls(isIP(name) === 0 ? { ...options, servername: name } : options), signal)
  } catch {
    throw new EngineError('the certificates or the key of the connector cannot be used')
  }
}

function tuned(socket: Socket, signal: AbortSignal | undefined): Socket {
  return endedBy(socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS), signal)
}

function endedBy<D extends Duplex>(socket: D, signal: AbortSignal | undefined): D {
  const abort = (): void => void socket.destroy(new EngineError(ENDED))
  signal?.addEventListener('abort', abort)
  socket.once('close', () => signal?.removeEventListener('abort', abort))
  return socket
}
