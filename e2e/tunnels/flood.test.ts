// Floods of connections at the port of TCP tunnels, by raw sockets of many loopback addresses: those that say nothing,
// those that say it too slowly, and those that name a tunnel and then say nothing. Meanwhile real clients are served.
import { once } from 'node:events'
import { type Socket, connect, createServer as createTcpServer } from 'node:net'
import { connect as connectTls, createServer } from 'node:tls'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { LIMITS } from '@bowline/contract/limits'
import { freePort } from '@bowline/testkit/free-port'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { residentBytes } from '../support/proc.ts'
import { until } from '../support/wait.ts'
import { type World, startWorld } from './world.ts'

const MIB = 1024 * 1024
let world: World
let port: number
let host: string
const flood: Socket[] = []
let service: ReturnType<typeof createServer>

beforeAll(async () => {
  port = await freePort()
  world = await startWorld({ BOWLINE_TUNNELS_TLS_PORT: String(port), BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1/32' })
  service = createServer({ cert: world.certificate, key: world.key, handshakeTimeout: 600_000 }, (socket) => {
    socket.on('error', () => undefined).pipe(socket)
  }).listen(0, '127.0.0.1')
  service.on('tlsClientError', () => undefined)
  await once(service, 'listening')
  host = (await world.openTunnel(listeningPort(service), { protocol: 'tcp' })).full_address
})
afterEach(() => {
  for (const socket of flood.splice(0)) socket.destroy()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  service?.close()
})

/** Opens raw connections, each source with its own loopback address. */
async function open(sources: number, each: number, first: (socket: Socket) => void = () => undefined): Promise<void> {
  for (let source = 0; source < sources; source += 1) {
    const localAddress = `127.7.${Math.floor(source / 250)}.${(source % 250) + 1}`
    const opened = Array.from({ length: each }, () => {
      const socket = connect({ host: '127.0.0.1', port, localAddress })
      socket.on('error', () => undefined).once('connect', () => first(socket))
      flood.push(socket)
      return new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    })
    await Promise.all(opened)
  }
}

/** Asks the service through the tunnel. @returns what it echoes */
async function echo(): Promise<string> {
  const from = { localAddress: '127.8.0.1' }
  const socket = connectTls({ host: '127.0.0.1', port, servername: host, ca: world.certificate, ...from })
  socket.end('hello')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

const isConsoleThere = async (): Promise<boolean> => (await fetch(`${world.server.origin}/info`)).ok
const left = (): number => flood.filter((socket) => !socket.destroyed).length

it('serves clients beside thousands of connections that say nothing', async () => {
  const before = await residentBytes(world.server.process.pid)
  await open(120, 32)
  expect(await echo()).toBe('hello')
  expect(await isConsoleThere()).toBe(true)
  expect((await residentBytes(world.server.process.pid)) - before).toBeLessThan(64 * MIB)
  // The bound of connections that have not said yet what they want.
  expect(left()).toBeLessThanOrEqual(LIMITS.tunnels.unidentified.total)
  await until('the silent connections are dropped', () => left() === 0)
})

it('serves clients beside connections that send their first message byte by byte', async () => {
  const drip = (socket: Socket): void => {
    // The begin of a message of 4,096 bytes.
    const bytes = [...Buffer.from([22, 3, 1, 16, 0, 1, 0, 15, 252])]
    const timer = setInterval(() => socket.write(Buffer.of(bytes.shift() ?? 3)), 300)
    socket.once('close', () => clearInterval(timer))
  }
  await open(60, 32, drip)
  expect(await echo()).toBe('hello')
  await until('the slow connections are dropped', () => left() === 0)
})

it('serves clients beside connections that name their tunnel and then say nothing', async () => {
  const hello = await firstMessage()
  await open(4, 256, (socket) => void socket.write(hello))
  expect(left()).toBeGreaterThan(500)
  expect(await echo()).toBe('hello')
  expect(await isConsoleThere()).toBe(true)
})

/** The first message of a TLS client that names the tunnel. */
async function firstMessage(): Promise<Buffer> {
  const catcher = createTcpServer().listen(0, '127.0.0.1')
  await once(catcher, 'listening')
  const client = connectTls({ host: '127.0.0.1', port: listeningPort(catcher), servername: host })
  client.on('error', () => undefined)
  const [socket] = (await once(catcher, 'connection')) as [Socket]
  const [hello] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  catcher.close()
  return hello
}
