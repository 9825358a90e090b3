// A single stream whose client does not read.
import { type Server, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { afterEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { createEventBus } from './bus.ts'
import { createQueueLedger } from './queued.ts'
import { streamEvents } from './stream.ts'

const tenant = TenantId.parse('11111111-1111-4111-8111-111111111111')
const removed = { type: 'device.removed' as const, uid: DeviceUid.parse('a'.repeat(64)) }
const LIFE_MS = 600_000

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Opens a stream to a client that reads nothing. */
async function stalledStream(queues = createQueueLedger()) {
  const clock = new ManualClock()
  const bus = createEventBus(clock, 'life')
  const stopping = new AbortController()
  let admitted = true
  const response = await new Promise<ServerResponse>((resolve) => {
    const server = createServer((_, raw) => resolve(raw))
    servers.push(server)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined).pause()
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    })
  })
  const listener = {
    tenant,
    lastId: undefined,
    expiresAt: clock.now() + LIFE_MS,
    isStillAdmitted: () => Promise.resolve(admitted),
    onAccessChange: () => () => undefined,
  }
  streamEvents({ bus, clock, stopping: stopping.signal, queues }, listener, response)
  /** Sends events until the buffers of client and kernel are full. */
  const fill = () => {
    while (response.writableLength < 200_000) bus.emit(tenant, removed)
  }
  return { clock, bus, stopping, response, fill, revoke: () => (admitted = false) }
}

describe('stream whose client does not read', () => {
  it.each<[string, (stream: Awaited<ReturnType<typeof stalledStream>>) => void]>([
    ['its credential has ended', ({ clock }) => clock.advance(LIFE_MS)],
    ['the server stops', ({ stopping }) => stopping.abort()],
  ])('stops writing to a stalled stream when %s', async (_, finish) => {
    const stream = await stalledStream()
    const failures: unknown[] = []
    stream.response.on('error', (error) => failures.push(error))
    stream.fill()
    finish(stream)
    expect(stream.response.writableEnded).toBe(true)
    expect(stream.response.writableFinished).toBe(false)
    const { listenerCount } = stream.bus
    stream.bus.emit(tenant, removed)
    stream.clock.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect([listenerCount, failures]).toEqual([0, []])
  })

  it('stops writing to a stalled stream when its credential is no longer admitted', async () => {
    const stream = await stalledStream()
    stream.fill()
    stream.clock.advance(15_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(stream.response.writableEnded).toBe(false)
    stream.revoke()
    stream.clock.advance(15_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(stream.response.writableEnded).toBe(true)
    expect(stream.bus.listenerCount).toBe(0)
  })

  it('destroys a stream whose client is 256 KiB behind', async () => {
    const { bus, response } = await stalledStream()
    const closed = new Promise((resolve) => response.once('close', resolve))
    let peak = 0
    for (let i = 0; i < 60_000 && !response.destroyed; i += 1) {
      bus.emit(tenant, removed)
      peak = Math.max(peak, response.writableLength)
    }
    expect(response.destroyed).toBe(true)
    expect(peak).toBeLessThanOrEqual(262_144)
    await closed
    expect(bus.listenerCount).toBe(0)
  })

  it('destroys streams when all together hold more than the limit', async () => {
    const { bus, response } = await stalledStream(createQueueLedger(100_000))
    let peak = 0
    for (let i = 0; i < 60_000 && !response.destroyed; i += 1) {
      bus.emit(tenant, removed)
      peak = Math.max(peak, response.writableLength)
    }
    expect(response.destroyed).toBe(true)
    expect(peak).toBeLessThan(110_000)
  })
})
