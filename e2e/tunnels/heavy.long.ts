// By command only: 1 GiB each way through a tunnel, and 500 WebSockets for a minute.
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { residentBytes } from '../support/proc.ts'
import { holdWebSockets } from './many-websockets.ts'
import { type Service, serve } from './services/service.ts'
import { startWebSocket } from './services/websocket.ts'
import { download, hashOf, serveBytes, streamOf, upload } from './transfers.ts'
import { type World, startWorld, tunnelSite } from './world.ts'

const GIB = 1024 ** 3
const MINUTE_ROUNDS = 60

let world: World
let bytes: Service
let sockets: Service
let expected: string
beforeAll(async () => {
  world = await startWorld()
  bytes = await serve(createServer({ requestTimeout: 0 }, serveBytes), 'HTTP/1.1')
  sockets = await startWebSocket()
  expected = await hashOf(streamOf(GIB))
}, 180_000)
afterAll(async () => {
  await bytes[Symbol.asyncDispose]()
  await sockets[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
}, 60_000)

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('a client of %s', (protocol) => {
  it.each([
    ['down', download],
    ['up', upload],
  ] as const)(
    'moves 1 GiB %s unchanged, and the memory of server and agent stays',
    async (_, move) => {
      const site = tunnelSite(world, await world.openTunnel(bytes.port), protocol)
      const pids = [world.server.process.pid, world.agent.process.pid]
      await move(site, 64 * 1024 * 1024)
      const before = await Promise.all(pids.map(residentBytes))
      expect(await move(site, GIB)).toBe(expected)
      const after = await Promise.all(pids.map(residentBytes))
      for (const [at, size] of after.entries()) expect(size - (before[at] ?? 0)).toBeLessThan(64 * 1024 * 1024)
    },
    600_000,
  )
})

it('holds 500 WebSockets for a minute', async () => {
  const held = await holdWebSockets(tunnelSite(world, await world.openTunnel(sockets.port), 'HTTP/1.1'), 500)
  for (let round = 0; round < MINUTE_ROUNDS; round += 1) {
    expect(await held.speak(round)).toBe(500)
    await pause(1_000)
  }
  expect(await held.speak(MINUTE_ROUNDS)).toBe(500)
  held.close()
}, 300_000)
