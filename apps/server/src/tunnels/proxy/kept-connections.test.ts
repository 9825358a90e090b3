import { Agent, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { systemClock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import type { LiveTunnel } from '../live.ts'
import { TUNNEL_SETTINGS, ask, openTunnel, tcpService, tunnelDevice } from '../testing/device.ts'
import { KeptConnections } from './kept-connections.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: TUNNEL_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** The connection of a visitor, which stays open. */
function visitor(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Answers each head with the number of its connection. */
function numbered(answer = (text: string, socket: Socket, _request: string): unknown => socket.write(text)) {
  const connections: Socket[] = []
  const requests: string[] = []
  const port = tcpService((socket) => {
    connections.push(socket)
    const number = String(connections.length)
    let head = ''
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('data', (bytes) => {
      head += String(bytes)
      if (!head.includes('\r\n\r\n')) return
      const request = head
      head = ''
      requests.push(request)
      answer(`HTTP/1.1 200 OK\r\nContent-Length: ${number.length}\r\n\r\n${number}`, socket, request)
    })
  })
  return { port, connections, requests }
}

async function tunnelTo(port: Promise<number>): Promise<string> {
  const device = await tunnelDevice(server, person)
  return (await openTunnel(person, device, await port)).full_address
}

it('keeps a connection for the next request of the same visitor, and for nobody else', async () => {
  const service = numbered()
  const host = await tunnelTo(service.port)
  const [one, other] = [visitor(), visitor()]
  const texts: string[] = []
  for (const agent of [one, one, other, one, other]) texts.push((await ask(server, host, { agent })).text)
  expect(texts).toEqual(['1', '1', '2', '1', '2'])
})

it('opens a connection for each request that must not be repeated', async () => {
  const service = numbered()
  const host = await tunnelTo(service.port)
  const agent = visitor()
  await ask(server, host, { agent })
  expect((await ask(server, host, { agent, method: 'POST' })).text).toBe('2')
  expect((await ask(server, host, { agent, body: 'x', headers: { 'content-length': '1' } })).text).toBe('3')
  expect((await ask(server, host, { agent })).text).toBe('1')
})

it('asks again when the service has closed a kept connection, once', async () => {
  const service = numbered((text, socket) => {
    const isSecond = service.requests.length === 2
    return isSecond ? socket.destroy() : socket.write(text)
  })
  const host = await tunnelTo(service.port)
  const agent = visitor()
  await ask(server, host, { agent })
  expect(await ask(server, host, { agent, path: '/again' })).toMatchObject({ status: 200, text: '2' })
  expect(service.requests.map((request) => request.split(' ')[1])).toEqual(['/', '/again', '/again'])
})

it('does not ask again for an answer that has begun', async () => {
  const service = numbered((text, socket) => {
    if (service.requests.length < 2) return socket.write(text)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
    return socket.destroySoon()
  })
  const host = await tunnelTo(service.port)
  const agent = visitor()
  await ask(server, host, { agent })
  await expect(ask(server, host, { agent })).rejects.toThrow(/aborted|socket hang up/)
  expect(service.requests).toHaveLength(2)
})

it.each(['with an answer', 'after it'])('takes no bytes %s for the next answer', async (when) => {
  const planted = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted'
  const service = numbered((text, socket) => {
    const isFirst = service.requests.length === 1
    if (!isFirst) return socket.write(text)
    socket.write(when === 'after it' ? text : text + planted)
    return when === 'after it' && setImmediate(() => socket.write(planted))
  })
  const host = await tunnelTo(service.port)
  const agent = visitor()
  expect((await ask(server, host, { agent })).text).toBe('1')
  await until(() => service.connections[0]?.readableEnded === true)
  expect((await ask(server, host, { agent })).text).toBe('2')
})

it('closes the connection with that of its visitor, and after a while', async () => {
  const service = numbered()
  const host = await tunnelTo(service.port)
  const leaving = visitor()
  await ask(server, host, { agent: leaving })
  leaving.destroy()
  await until(() => service.connections[0]?.readableEnded === true)
  await ask(server, host, { agent: visitor() })
  await until(() => service.connections[1]?.readableEnded === true)
  expect(service.connections).toHaveLength(2)
})

/** Has a connection of a new visitor kept after its answer. */
function offerTo(kept: KeptConnections, address: string, connection: Duplex = new PassThrough()) {
  const visitor = { socket: new PassThrough() } as unknown as IncomingMessage
  const options = kept.optionsFor(visitor, '192.0.2.1', { address } as LiveTunnel, () => connection)
  if (!options) throw new Error('the visitor has left')
  const created = options.agent.createConnection(options) as Duplex
  return { isKept: options.agent.keepSocketAlive(created) as unknown, connection }
}

it.each(['before it is kept', 'while it is idle'])(
  'closes a connection that the service has ended %s',
  async (when) => {
    const connection = new Duplex({ allowHalfOpen: true, read: () => undefined, write: (_, __, done) => done() })
    const ended = new Promise((resolve) => connection.once('end', resolve))
    connection.resume()
    const end = async (): Promise<void> => {
      connection.push(null)
      await ended
    }
    if (when === 'before it is kept') await end()
    const { isKept } = offerTo(new KeptConnections(systemClock), 'one', connection)
    expect(isKept).toBe(when === 'while it is idle')
    if (isKept !== true) return
    await end()
    expect(connection.destroyed).toBe(true)
  },
)

it('keeps a bounded number for one tunnel, whoever its visitors are', async () => {
  const kept = new KeptConnections(systemClock)
  const offer = (address: string) => offerTo(kept, address)
  const { idleConnections: most } = LIMITS.tunnels
  const offered = Array.from({ length: most + 2 }, () => offer('one'))
  expect(offered.map(({ isKept }) => isKept)).toEqual([...Array.from({ length: most }, () => true), false, false])
  expect(offer('other').isKept).toBe(true)
  const [first] = offered
  first?.connection.destroy()
  await new Promise((resolve) => first?.connection.once('close', resolve))
  expect([offer('one').isKept, offer('one').isKept]).toEqual([true, false])
  for (const { connection } of offered) connection.destroy()
})
