// Server address and trust: https with a certificate from a known authority or a pinned key; plain http only to this
// machine. The agent's HTTP calls and its link follow the same rule.
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Socket, connect as connectTcp, isIP } from 'node:net'
import { type TLSSocket, connect as connectTls } from 'node:tls'

export interface ServerAddress {
  readonly secure: boolean
  /** Host name, or IP literal without brackets. */
  readonly host: string
  readonly port: number
  /** Path prefix of all of the server's paths: empty, or starting with a slash and not ending with one. */
  readonly prefix: string
  /** Value of the Host header. */
  readonly authority: string
}

/** A value, or the rule that the text broke, worded to follow the name of the setting. */
export type Parsed<T> = { readonly value: T } | { readonly fault: string }

/** Parses `BOWLINE_SERVER_ADDRESS`, such as `https://bowline.example.com` or `http://localhost:8080`. */
export function parseServerAddress(text: string): Parsed<ServerAddress> {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) return { fault: 'must be an http:// or https:// URL' }
  if (url.username !== '' || url.password !== '') return { fault: 'must not hold a user name or password' }
  if (url.search !== '' || url.hash !== '') return { fault: 'must not hold a query or fragment' }
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (!secure && !isLoopback(host)) {
    return { fault: 'must be https:// – plain http:// is allowed to this machine (localhost, 127.0.0.0/8, ::1) only' }
  }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  return { value: { secure, host, port, prefix: url.pathname.replace(/\/+$/, ''), authority: url.host } }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Parses `BOWLINE_SERVER_PIN`: `sha256//` and the base64 SHA-256 of the server's public key (DER of its
 * SubjectPublicKeyInfo), as for curl's `--pinnedpubkey`; several are separated by `;`.
 * @returns the digests, 32 bytes each
 */
export function parsePin(text: string): Parsed<readonly Uint8Array[]> {
  const digests = text.split(';').map((pin) => (/^sha256\/\/[A-Za-z0-9+/]{43}=$/.test(pin) ? pin.slice(8) : undefined))
  const value: Uint8Array[] = []
  for (const digest of digests) {
    if (digest === undefined) return { fault: 'must be sha256// and 44 characters of base64; several separated by ;' }
    value.push(Buffer.from(digest, 'base64'))
  }
  return { value }
}

/** Thrown by {@link connectServer}. `reason` is a kebab-case word for causes. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Connects to the server and establishes trust before anything is sent: a pinned key replaces the check of the
 * certificate's authority, name and dates, and without one those are checked.
 * @param pins from {@link parsePin}
 * @param signal aborts the attempt
 * @returns a connected socket, with TLS done if the address is https
 * @throws {ConnectError} `connect-failed`, `certificate`, `pin-mismatch`
 */
export function connectServer(
  address: ServerAddress,
  pins: readonly Uint8Array[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { host, port } = address
    const socket = address.secure
      ? connectTls({
          host,
          port,
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: pins === undefined,
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : connectTcp({ host, port })
    const finish = (error?: ConnectError): void => {
      signal.removeEventListener('abort', abort)
      // Until the next owner takes over there is no listener, and an unhandled error would end the process.
      socket.on('error', () => undefined).off('error', fail)
      if (error) {
        socket.destroy()
        reject(error)
      } else resolve(socket)
    }
    const fail = (error: Error): void => finish(connectFailure(error))
    const abort = (): void => finish(new ConnectError('connect-failed', 'no connection within the time allowed'))
    socket.on('error', fail)
    socket.once(address.secure ? 'secureConnect' : 'connect', () => {
      if (address.secure && pins && !hasPinnedKey(socket as TLSSocket, pins)) {
        return finish(new ConnectError('pin-mismatch', "the server's key is not the pinned one"))
      }
      finish()
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

function hasPinnedKey(socket: TLSSocket, pins: readonly Uint8Array[]): boolean {
  const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
  if (!key) return false
  const digest = createHash('sha256').update(key).digest()
  return pins.some((pin) => pin.length === digest.length && timingSafeEqual(pin, digest))
}

const CERTIFICATE_ERRORS = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/

function connectFailure(error: Error): ConnectError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return new ConnectError(CERTIFICATE_ERRORS.test(code) ? 'certificate' : 'connect-failed', error.message)
}
