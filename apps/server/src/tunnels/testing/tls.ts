// TLS services behind TCP tunnels, and clients of them.
import { X509Certificate, createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, type TLSSocket, connect, createServer } from 'node:tls'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { afterAll, onTestFinished } from 'vitest'
import { type TlsMaterial, selfSignedCertificate } from '../../platform/network/certificate.ts'
import { DOMAIN, listening } from './device.ts'

export const TLS_SETTINGS = {
  BOWLINE_TUNNELS_DOMAIN: DOMAIN,
  BOWLINE_DOMAIN: 'console.example',
  BOWLINE_TUNNELS_TLS_PORT: '0',
}

let material: Promise<TlsMaterial> | undefined

/** Certificate of the test's services, for every name below the domain. */
export function certificate(): Promise<TlsMaterial> {
  material ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-tls-'))
    const made = await selfSignedCertificate(folder, [`*.${DOMAIN}`])
    await rm(folder, { recursive: true })
    return made
  })()
  return material
}

/** A TLS service until the end of the test. @returns its port */
export async function tlsService(accept: (socket: TLSSocket) => void): Promise<number> {
  const { cert, key } = await certificate()
  const server = createServer({ cert, key, ALPNProtocols: ['echo'], allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    accept(socket)
  })
  server.on('tlsClientError', () => undefined)
  return listening(server)
}

/** Port at which the server takes connections for a tunnel. */
export function portOf({ url }: Pick<Tunnel, 'url'>): number {
  return Number(url.split(':').at(-1))
}

/** Connects to a tunnel, verifies the service's certificate. @throws when the connection fails */
export async function dialTls(tunnel: Tunnel, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { cert } = await certificate()
  const all: ConnectionOptions & { readonly allowHalfOpen: boolean } = {
    host: '127.0.0.1',
    port: portOf(tunnel),
    servername: tunnel.full_address,
    ca: cert,
    allowHalfOpen: true,
    ...options,
  }
  const socket = connect(all)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  return socket
}

/** Resolves to what ended a connection: the code of its error, `end` or `close`. Reads and drops what comes. */
export function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once('end', () => resolve('end')).once('close', () => resolve('close'))
    socket.resume()
  })
}

/** Files with that certificate for a server, and its pin for agents; removed at the end of the tests. */
export async function certificateFiles(): Promise<{ cert: string; key: string; pin: Uint8Array }> {
  const { cert, key } = await certificate()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-tls-'))
  afterAll(() => rm(folder, { recursive: true }))
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.cert, cert)
  await writeFile(files.key, key, { mode: 0o600 })
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return { ...files, pin: createHash('sha256').update(spki).digest() }
}
