// A device whose tunnels reach services of the test, and requests to tunnels by their host names.
import {
  type Agent,
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { Tunnel, TunnelBody } from '@bowline/contract/schemas/tunnel'
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import { HttpOpen } from '@bowline/link/stream-messages'
import { onTestFinished } from 'vitest'
import type { BootedServer, Person, RegisteredDevice } from '../../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../../testing/gateway.ts'

export const DOMAIN = 'tunnels.example'
export const TUNNEL_SETTINGS = { BOWLINE_TUNNELS_DOMAIN: DOMAIN, BOWLINE_DOMAIN: 'console.example' }

/** A device that connects tunnels to services of this machine, as the agent does. */
export function tunnelDevice(
  server: BootedServer,
  person: Person,
  known?: RegisteredDevice,
  pins?: readonly Uint8Array[],
): Promise<FakeDevice> {
  return fakeDevice(
    server,
    person,
    (kind, header, stream) =>
      kind === 'http' ? connecting(stream, header) : { by: 'agent', reason: 'unsupported', message: 'only tunnels' },
    known,
    pins,
  )
}

function connecting(stream: LinkStream, header: unknown): StreamHandler {
  const socket = connect({ ...HttpOpen.parse(header), allowHalfOpen: true })
  let connected = false
  let failure = ''
  socket.on('connect', () => {
    connected = true
    stream.control({ type: 'connected' })
  })
  socket.on('data', (bytes: Buffer) => {
    if (!stream.write(bytes)) socket.pause()
  })
  socket.on('end', () => stream.eof())
  socket.on('error', ({ message }) => (failure = message))
  socket.on('close', () => {
    if (failure === '') stream.close()
    else stream.close({ by: 'agent', reason: connected ? 'reset' : 'connect-failed', message: failure })
  })
  return {
    data(bytes) {
      const { length } = bytes
      if (socket.destroyed) stream.consumed(length)
      else socket.write(bytes, () => stream.consumed(length))
    },
    drain: () => socket.resume(),
    eof: () => socket.end(),
    control: () => undefined,
    closed() {
      socket.resume()
      socket.destroySoon()
    },
  }
}

/** An HTTP service until the end of the test. @returns its port */
export function httpService(listener: RequestListener): Promise<number> {
  return listening(createHttpServer({ requestTimeout: 0 }, listener))
}

/** A TCP service until the end of the test. @returns its port */
export function tcpService(accept: (socket: Socket) => void): Promise<number> {
  return listening(createServer({ allowHalfOpen: true }, accept))
}

/** Has a server listen on loopback until the end of the test. @returns its port */
export async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Creates a tunnel to a port of the device. */
export async function openTunnel(
  person: Person,
  { device }: { readonly device: Pick<RegisteredDevice, 'uid'> },
  port: number,
  options: Partial<TunnelBody> = {},
): Promise<Tunnel> {
  const body = { host: '127.0.0.1', port, ttl: -1, ...options }
  return (await person.client.call(operations.tunnels.create, { params: { uid: device.uid }, body })).body
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly trailers: NodeJS.Dict<string>
  readonly body: Buffer
  readonly text: string
}

export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
  /** Keeps the connection for further requests; default: a new one, closed with the answer. */
  readonly agent?: Agent
}

/** Asks a tunnel. @throws when the answer breaks off */
export function ask(server: BootedServer, host: string, asked: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.origin)
    const { method = 'GET', path = '/', headers = {}, body, agent = false } = asked
    const outgoing = request({ hostname, port, method, path, agent, headers: { host, ...headers } })
    outgoing.on('error', reject)
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const { statusCode: status = 0, headers: fields, rawHeaders, trailers } = answer
        resolve({ status, headers: fields, rawHeaders, trailers, body: bytes, text: bytes.toString() })
      })
    })
    outgoing.end(body)
  })
}

/** Asks a tunnel and waits for the first bytes of the body. @returns resolves to the error code of the answer's end */
export function askEndless(
  server: BootedServer,
  host: string,
  headers: Record<string, string>,
): Promise<{ readonly ended: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.origin)
    const outgoing = request({ hostname, port, agent: false, headers: { host, ...headers } })
    outgoing.on('error', reject)
    outgoing.on('response', (answer) => {
      const ended = new Promise<string>((end) => {
        answer.on('error', (error: NodeJS.ErrnoException) => end(String(error.code)))
        answer.on('end', () => end('complete'))
      })
      answer.once('data', () => resolve({ ended }))
    })
    outgoing.end()
  })
}
