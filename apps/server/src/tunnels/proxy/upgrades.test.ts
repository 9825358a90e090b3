// WebSockets through tunnels, and their ends.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, readUntil } from '../../testing/boot.ts'
import type { FakeDevice } from '../../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, httpService, listening, openTunnel, tunnelDevice } from '../testing/device.ts'

let clock: ManualClock
let server: BootedServer
let person: Person
let device: FakeDevice
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ settings: TUNNEL_SETTINGS, clock })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

async function echoTunnel(options = {}): Promise<{ host: string; address: string }> {
  const service = createServer()
  const sockets = new WebSocketServer({ server: service })
  sockets.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  device = await tunnelDevice(server, person)
  const tunnel = await openTunnel(person, device, await listening(service), options)
  return { host: tunnel.full_address, address: tunnel.address }
}

async function dial(host: string): Promise<WebSocket> {
  const socket = new WebSocket(server.origin.replace('http', 'ws'), { headers: { host } })
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}

const closed = (socket: WebSocket) => new Promise<number>((resolve) => socket.once('close', resolve))

it('carries a hundred WebSockets at once, each with its own bytes', async () => {
  const { host } = await echoTunnel()
  const sockets = await Promise.all(Array.from({ length: 100 }, () => dial(host)))
  const echoed = await Promise.all(
    sockets.map(async (socket) => {
      const bytes = randomBytes(10_000)
      const answer = new Promise<Buffer>((resolve) => socket.once('message', (data) => resolve(data as Buffer)))
      socket.send(bytes)
      return bytes.equals(await answer)
    }),
  )
  expect(echoed).toEqual(Array.from({ length: 100 }, () => true))
})

it('passes on a service’s refusal of an upgrade', async () => {
  const port = await httpService((_, answer) => {
    answer.writeHead(426, { 'x-why': 'no' })
    answer.end('plain only')
  })
  device = await tunnelDevice(server, person)
  const { full_address: host } = await openTunnel(person, device, port)
  const socket = new WebSocket(server.origin.replace('http', 'ws'), { headers: { host } })
  const refusal = await new Promise((resolve) => {
    socket.once('unexpected-response', (_, answer) => resolve([answer.statusCode, answer.headers['x-why']]))
    socket.on('error', () => undefined)
  })
  expect(refusal).toEqual([426, 'no'])
})

it('ends WebSockets with their tunnel, at its expiry and with the device', async () => {
  const { host, address } = await echoTunnel()
  const removed = await dial(host)
  const end = closed(removed)
  await person.client.call(operations.tunnels.remove, { params: { uid: device.device.uid, address } })
  await end

  const expiring = await echoTunnel({ ttl: 60 })
  const old = await dial(expiring.host)
  const expired = closed(old)
  clock.advance(59_000)
  await dial(expiring.host)
  clock.advance(2_000)
  const params = { uid: device.device.uid, address: expiring.address }
  // The second one has moved the expiry.
  expect((await person.client.call(operations.tunnels.requests, { params })).body).toEqual([])
  expect(old.readyState).toBe(WebSocket.OPEN)
  clock.advance(59_000)
  await expired

  const { host: lost } = await echoTunnel()
  const last = await dial(lost)
  const gone = closed(last)
  device.link.close({ by: 'agent', reason: 'done', message: '' })
  await gone
})

it('logs requests without their query, newest first', async () => {
  const port = await httpService((incoming, answer) => answer.end(incoming.url))
  device = await tunnelDevice(server, person)
  const { full_address: host, address } = await openTunnel(person, device, port)
  await ask(server, host, { path: '/one?token=secret' })
  await ask(server, host, { path: '/two', method: 'POST', body: 'abc' })
  const list = async () =>
    (await person.client.call(operations.tunnels.requests, { params: { uid: device.device.uid, address } })).body
  await until(async () => (await list()).length === 2)
  expect(
    (await list()).map(({ method, path, status, bytes_in, bytes_out, source }) => [
      method,
      path,
      status,
      bytes_in,
      bytes_out,
      source,
    ]),
  ).toEqual([
    ['POST', '/two', 200, 3, 4, '127.0.0.1'],
    ['GET', '/one', 200, 0, 17, '127.0.0.1'],
  ])
})

it('tells the namespace of new requests, once a second at most, and other namespaces never', async () => {
  const port = await httpService((_, answer) => answer.end())
  device = await tunnelDevice(server, person)
  const { full_address: host, address } = await openTunnel(person, device, port)
  const stranger = await server.addPerson('stranger')
  const listen = ({ auth }: Person) =>
    server.fetch('/api/events', { headers: { authorization: `Bearer ${auth.token}` } })
  const [own, foreign] = await Promise.all([listen(person), listen(stranger)])
  await Promise.all(Array.from({ length: 20 }, () => ask(server, host)))
  const params = { uid: device.device.uid, address }
  const logged = async () => (await person.client.call(operations.tunnels.requests, { params })).body.length
  await until(async () => (await logged()) === 20)
  clock.advance(1_000)
  const tag = `mark-${Date.now()}`
  const mark = (one: Person, uid: typeof params.uid) =>
    one.client.call(operations.devices.addTag, { params: { uid }, body: { tag } })
  const theirs = await server.acceptedDevice(stranger)
  await Promise.all([mark(person, params.uid), mark(stranger, theirs.uid)])
  const heard = await Promise.all([readUntil(own, tag), readUntil(foreign, tag)])
  expect(heard.map((text) => text.split('event: tunnels.used').length - 1)).toEqual([1, 0])
})
