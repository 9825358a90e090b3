// Load on the HTTP tunnels, and their ends: many bytes, many WebSockets, readers that stop, a device that dies, an expiry.
import { createServer } from 'node:http'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { residentBytes } from '../support/proc.ts'
import { until } from '../support/wait.ts'
import { untilOnline } from '../support/agent.ts'
import { ask } from './client.ts'
import { holdWebSockets } from './many-websockets.ts'
import type { Protocol, Site } from './row.ts'
import { arrived, sentEndlessly } from './services/node.ts'
import { type Service, serve } from './services/service.ts'
import { download, hashOf, serveBytes, streamOf, upload } from './transfers.ts'
import { type Sites, startSites, tunnelSite } from './world.ts'

const MIB = 1024 * 1024
const PROTOCOLS = ['HTTP/1.1', 'HTTP/2'] satisfies Protocol[]

let sites: Sites
let bytes: Service
beforeAll(async () => {
  bytes = await serve(createServer({ requestTimeout: 0 }, serveBytes), 'HTTP/1.1')
  sites = await startSites(['Node HTTP/1.1', 'WebSocket'])
})
afterAll(async () => {
  await sites[Symbol.asyncDispose]()
  await bytes[Symbol.asyncDispose]()
})

/** Begins a request. @returns its first bytes have come, and how it ended */
function begin(site: Site, path: string): { readonly begun: Promise<void>; readonly ended: Promise<string> } {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  if (site.protocol === 'HTTP/2') {
    const stream = site
      .session()
      .on('error', () => undefined)
      .request({ ':path': path, ':authority': site.authority })
    stream.on('data', () => begin()).on('error', () => undefined)
    stream.on('close', () => end(stream.rstCode === 0 ? 'complete' : 'broken off'))
  } else {
    const socket = site.dial()
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.subarray(-8).toString('latin1')).slice(-8)
      begin()
    })
    // The last chunk of a body is empty (RFC 9112 section 7.1).
    socket.on('error', () => undefined).on('close', () => end(tail.endsWith('0\r\n\r\n') ? 'complete' : 'broken off'))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${site.authority}\r\n\r\n`)
  }
  return { begun, ended }
}

const wayTo = (service: 'Node HTTP/1.1' | 'WebSocket', client: Protocol): Site => sites.ways(service, client).tunnel

it.each(PROTOCOLS)('moves 64 MiB each way unchanged, with a client of %s', async (client) => {
  const site = tunnelSite(sites, await sites.openTunnel(bytes.port), client)
  const expected = await hashOf(streamOf(64 * MIB))
  expect(await download(site, 64 * MIB)).toBe(expected)
  expect(await upload(site, 64 * MIB)).toBe(expected)
})

it('holds 100 WebSockets', async () => {
  const held = await holdWebSockets(wayTo('WebSocket', 'HTTP/1.1'), 100)
  for (let round = 0; round < 5; round += 1) expect(await held.speak(round)).toBe(100)
  held.close()
})

it.each(PROTOCOLS)('holds little for 16 readers that have stopped, with clients of %s', async (client) => {
  const { pid } = sites.server.process
  const before = await residentBytes(pid)
  const paths = Array.from({ length: 16 }, (_, at) => `/endless?stalled-${client}-${at}`)
  const leave = paths.map((path) => stalled(wayTo('Node HTTP/1.1', client), path))
  let last = -1
  await until('the service has stopped sending to all of them', async () => {
    const sent = paths.map((path) => sentEndlessly.get(path) ?? 0)
    const total = sent.reduce((sum, count) => sum + count, 0)
    const isSettled = total === last && sent.every((count) => count > 0)
    last = total
    for (let count = 0; count < 5; count += 1) await ask(wayTo('Node HTTP/1.1', 'HTTP/1.1'), { path: '/mirror' })
    return isSettled
  })
  expect((await residentBytes(pid)) - before).toBeLessThan(64 * MIB)
  for (const one of leave) one()
})

/** A request whose answer nobody reads. @returns ends it */
function stalled(site: Site, path: string): () => void {
  if (site.protocol === 'HTTP/2') {
    const session = site.session().on('error', () => undefined)
    session.request({ ':path': path, ':authority': site.authority }).on('error', () => undefined)
    return () => session.destroy()
  }
  const socket = site
    .dial()
    .pause()
    .on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${site.authority}\r\n\r\n`)
  return () => socket.destroy()
}

it('ends open requests and WebSockets at the expiry of their tunnel', async () => {
  const { body: known } = await sites.client.call(operations.tunnels.list, { params: { uid: sites.agent.device.uid } })
  const portOf = (service: 'Node HTTP/1.1' | 'WebSocket') => sites.ways(service, 'HTTP/1.1').direct.port
  expect(known.map(({ port }) => port)).toContain(portOf('WebSocket'))
  const tunnels = await Promise.all(
    (['Node HTTP/1.1', 'WebSocket'] as const).map((service) => sites.openTunnel(portOf(service), { ttl: 3 })),
  )
  const [http, sockets] = tunnels
  if (!http || !sockets) throw new Error('there are no tunnels')
  const requests = PROTOCOLS.map((client) => begin(tunnelSite(sites, http, client), '/endless?expiring'))
  const site = tunnelSite(sites, sockets, 'HTTP/1.1')
  const socket = new WebSocket(`ws://${site.authority}/`, { createConnection: () => site.dial() as never })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await Promise.all([new Promise((resolve) => socket.on('open', resolve)), ...requests.map(({ begun }) => begun)])
  expect(await Promise.all(requests.map(({ ended }) => ended))).toEqual(['broken off', 'broken off'])
  expect(await closed).toBe(1006)
  expect((await ask(site)).status).toBe(404)
  for (const service of ['Node HTTP/1.1', 'WebSocket'] as const) await sites.openTunnel(portOf(service))
})

it('breaks answers off when the device dies, says so where there was none, and recovers with it', async () => {
  const half = PROTOCOLS.map((client) => begin(wayTo('Node HTTP/1.1', client), '/endless?dying'))
  const json = { accept: 'application/json' }
  const waiting = PROTOCOLS.map((client) => {
    const path = `/hang?dying-${client}`
    return { path, answer: ask(wayTo('Node HTTP/1.1', client), { path, headers: json }) }
  })
  await Promise.all(half.map(({ begun }) => begun))
  await until('the requests reach the service', () => waiting.every(({ path }) => arrived.has(path)))
  await sites.agent.process.end('SIGKILL')
  expect(await Promise.all(half.map(({ ended }) => ended))).toEqual(['broken off', 'broken off'])
  const told = await Promise.all(waiting.map(({ answer }) => answer))
  expect(told.map(({ status, body }) => [status, JSON.parse(String(body))])).toEqual(
    PROTOCOLS.map(() => [
      502,
      { code: 'TUNNEL_GONE', message: 'The device disconnected before the service had answered.' },
    ]),
  )
  const offline = await ask(wayTo('Node HTTP/1.1', 'HTTP/2'), { headers: json })
  expect([offline.status, JSON.parse(String(offline.body))]).toMatchObject([503, { code: 'TUNNEL_OFFLINE' }])
  sites.agent.start()
  await untilOnline(sites.client, sites.agent.device.uid)
  expect((await ask(wayTo('Node HTTP/1.1', 'HTTP/2'), { path: '/length' })).status).toBe(200)
})
