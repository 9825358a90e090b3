// Scheduling of sends, and the lifecycle of a link.
import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HANDING_OVER, type LinkCause, type LinkStream } from '../api.ts'
import { RecordedStream, linkPair, settle } from '../testing/pair.ts'

const STOPPING: LinkCause = { by: 'gateway', reason: 'draining', message: 'the server is stopping' }

function recordedPair(options: Parameters<typeof linkPair>[0] = {}, accept: { consume?: boolean } = {}) {
  const accepted: RecordedStream[] = []
  const pair = linkPair({ ...options, agent: { open: RecordedStream.accept(accepted, accept), ...options.agent } })
  return { ...pair, accepted }
}

describe('the order of sending', () => {
  const options = { windowBytes: 1 << 24, windowMaxBytes: 1 << 24, socketHighBytes: 100_000, queueMaxBytes: 1 << 26 }

  /** Thirty streams of queued bulk and an interactive one; how much of the bulk has arrived when the typed key does. */
  async function bulkBeforeKey(type: (stream: LinkStream) => void): Promise<{ held: number; before: number }> {
    const { gateway, gatewayTransport, accepted } = recordedPair({ options })
    const bulk = Array.from({ length: 30 }, () => RecordedStream.open(gateway, 'dial'))
    const typing = RecordedStream.open(gateway, 'session')
    await settle()
    gatewayTransport.hold()
    const sentBefore = gatewayTransport.sentBytes
    for (const { stream } of bulk) stream.write(new Uint8Array(300_000))
    await settle()
    const held = gatewayTransport.sentBytes - sentBefore
    type(typing.stream)
    await settle()
    let before = -1
    const keys = accepted.at(-1)
    if (!keys) throw new Error('no stream was accepted')
    const receive = keys.data.bind(keys)
    keys.data = (bytes, lane) => {
      if (before < 0) before = accepted.slice(0, -1).reduce((sum, stream) => sum + stream.bytes().length, 0)
      receive(bytes, lane)
    }
    gatewayTransport.release()
    await settle()
    expect(keys.bytes().length).toBeGreaterThan(0)
    return { held, before }
  }

  test('a small write overtakes the queued bulk of other streams', async () => {
    const { held, before } = await bulkBeforeKey((stream) => stream.write(Buffer.from('k')))
    // Only what the socket already held goes first; no other bulk does.
    expect(before).toBeLessThanOrEqual(held)
  })

  test('a small write that is followed by bulk overtakes nothing', async () => {
    const { held, before } = await bulkBeforeKey((stream) => {
      stream.write(Buffer.from('k'))
      stream.write(new Uint8Array(1_024))
    })
    expect(before).toBeGreaterThan(held)
  })

  test('streams of bulk are served round robin', async () => {
    const { gateway, gatewayTransport, accepted } = recordedPair({ options })
    const streams = [1, 2, 3].map(() => RecordedStream.open(gateway, 'dial'))
    await settle()
    gatewayTransport.hold()
    for (const { stream } of streams) stream.write(new Uint8Array(2_000_000))
    await settle()
    const received = accepted.map(() => 0)
    let spread = 0
    for (const [index, stream] of accepted.entries()) {
      const data = stream.data.bind(stream)
      stream.data = (bytes, lane) => {
        data(bytes, lane)
        received[index] = (received[index] ?? 0) + bytes.length
        if (Math.max(...received) < 1_900_000) spread = Math.max(spread, Math.max(...received) - Math.min(...received))
      }
    }
    gatewayTransport.release()
    await settle()
    expect(received).toEqual([2_000_000, 2_000_000, 2_000_000])
    expect(spread).toBeLessThanOrEqual(2 * 32_768)
  })

  test('a flood of small writes does not starve bulk', async () => {
    const { gateway, gatewayTransport, accepted } = recordedPair({ options })
    const flood = RecordedStream.open(gateway, 'dial')
    const bulk = RecordedStream.open(gateway, 'dial')
    await settle()
    gatewayTransport.hold()
    bulk.stream.write(new Uint8Array(500_000))
    for (let count = 0; count < 5_000; count += 1) flood.stream.write(new Uint8Array(1_000))
    let floodBytes = 0
    let bulkWhenFloodEnded = 0
    const stream = accepted[0]
    const data = stream?.data.bind(stream)
    if (!stream || !data) throw new Error('no stream was accepted')
    stream.data = (bytes, lane) => {
      data(bytes, lane)
      floodBytes += bytes.length
      if (floodBytes === 5_000_000) bulkWhenFloodEnded = accepted[1]?.bytes().length ?? 0
    }
    gatewayTransport.release()
    await settle()
    expect(bulkWhenFloodEnded).toBe(500_000)
  })

  test('a stream that nobody reads does not block another', async () => {
    const small = { windowBytes: 10_000, windowMaxBytes: 10_000 }
    const { gateway, accepted } = recordedPair({ options: small })
    const stuck = RecordedStream.open(gateway, 'dial')
    const free = RecordedStream.open(gateway, 'dial')
    await settle()
    for (const stream of accepted.slice(0, 1)) stream.consumes = false
    stuck.stream.write(new Uint8Array(1_000_000))
    free.stream.write(new Uint8Array(1_000_000))
    await settle()
    expect(accepted.map((stream) => stream.bytes().length)).toEqual([10_000, 1_000_000])
  })

  test('keeps each stream in order under any mix of writes, lanes, controls and socket stalls', async () => {
    const step = record({
      stream: nat(3),
      what: constantFrom('write', 'write', 'write', 'error', 'control', 'hold', 'release', 'settle'),
      size: constantFrom(1, 10, 100, 1_000, 1_024, 1_025, 5_000, 70_000),
      down: boolean(),
    })
    await assert(
      asyncProperty(array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const { gateway, gatewayTransport, agentTransport, accepted, errors, ends } = recordedPair({
          options: { windowBytes: 3_000, windowMaxBytes: 20_000, frameBytes: 1_500, socketHighBytes: 5_000 },
        })
        const own = [0, 1, 2, 3].map(() => RecordedStream.open(gateway, 'session'))
        await settle()
        const sent = { down: own.map(() => ['', '']), up: own.map(() => ['', '']) }
        const controls = { down: own.map(() => 0), up: own.map(() => 0) }
        let number = 0
        for (const { stream, what, size, down } of steps) {
          const direction = down ? 'down' : 'up'
          const from: LinkStream | undefined = down ? accepted[stream]?.stream : own[stream]?.stream
          number += 1
          if (what === 'write' || what === 'error') {
            const lane = what === 'write' ? 0 : 1
            const text = String.fromCharCode(97 + (number % 26)).repeat(size)
            from?.write(Buffer.from(text), lane)
            const lanes = sent[direction][stream]
            if (lanes) lanes[lane] += text
          } else if (what === 'control') {
            const count = controls[direction][stream] ?? 0
            from?.control({ count })
            controls[direction][stream] = count + 1
          } else if (what === 'settle') await settle()
          else (down ? agentTransport : gatewayTransport)[what]()
        }
        gatewayTransport.release()
        agentTransport.release()
        await settle()
        for (const [index, stream] of own.entries()) {
          const peer = accepted[index]
          expect([stream.text(0), stream.text(1)]).toEqual(sent.down[index])
          expect([peer?.text(0), peer?.text(1)]).toEqual(sent.up[index])
          expect(stream.messages).toEqual(Array.from({ length: controls.down[index] ?? 0 }, (_, count) => ({ count })))
          expect(peer?.messages).toEqual(Array.from({ length: controls.up[index] ?? 0 }, (_, count) => ({ count })))
        }
        expect([errors, ends]).toEqual([[], {}])
      }),
      { numRuns: 150 },
    )
  })
})

describe('a link', () => {
  test('pings at its interval and reports the round trip', async () => {
    const trips: number[] = []
    const { clock } = linkPair({ gateway: { alive: (roundTripMs) => trips.push(roundTripMs) } })
    await clock.advanceAsync(61_000)
    expect(trips).toEqual([0, 0, 0])
  })

  test('closes with all its streams after 45 seconds of silence', async () => {
    const { clock, gateway, gatewayTransport, agentTransport, ends } = recordedPair()
    const own = RecordedStream.open(gateway, 'session')
    await clock.advanceAsync(21_000)
    gatewayTransport.hold()
    agentTransport.hold()
    await clock.advanceAsync(43_000)
    expect(ends).toEqual({})
    await clock.advanceAsync(2_000)
    const cause: LinkCause = { by: 'network', reason: 'keepalive', message: 'nothing was heard for 45 s' }
    expect(ends.gateway).toEqual(cause)
    expect(ends.agent?.by).toBe('network')
    expect(own.cause).toEqual(cause)
    expect(clock.pending).toBe(0)
  })

  test('ends with one cause on both sides, streams first', async () => {
    const order: string[] = []
    const { gateway, ends } = linkPair({
      gateway: { closed: () => order.push('link') },
      agent: { open: RecordedStream.accept([]) },
    })
    gateway.open('dial', {}, { data: () => undefined, closed: () => order.push('stream') })
    await settle()
    const cause: LinkCause = { by: 'admin', reason: 'removed', message: 'the device has been removed' }
    gateway.close(cause)
    gateway.close({ ...cause, reason: 'again' })
    expect(order).toEqual([])
    await settle()
    expect(order).toEqual(['stream', 'link'])
    expect(ends).toMatchObject({ gateway: cause, agent: cause })
  })

  test('refuses new streams without throwing after it has ended', async () => {
    const { gateway } = linkPair()
    gateway.close(STOPPING)
    const own = RecordedStream.open(gateway, 'dial')
    expect(own.stream.write(Buffer.from('x'))).toBe(true)
    expect(await own.whenClosed()).toEqual(STOPPING)
    expect(gateway.streamCount).toBe(0)
  })

  test('opens no new streams on either side after goaway while running ones continue', async () => {
    const asked: LinkCause[] = []
    const accepted: RecordedStream[] = []
    const { gateway, agent } = linkPair({
      gateway: { open: RecordedStream.accept([]) },
      agent: { open: RecordedStream.accept(accepted), goaway: (cause) => asked.push(cause) },
    })
    const running = RecordedStream.open(gateway, 'session')
    await settle()
    const crossing = RecordedStream.open(agent, 'listen')
    gateway.goaway(STOPPING)
    gateway.goaway(STOPPING)
    await settle()
    expect(asked).toMatchObject([STOPPING])
    expect((await RecordedStream.open(agent, 'listen').whenClosed()).reason).toBe('draining')
    await settle()
    running.stream.write(Buffer.from('still here'))
    await settle()
    expect(accepted[0]?.text()).toBe('still here')
    expect(crossing.cause).toMatchObject(STOPPING)
  })

  test('still opens streams when the agent hands over, and none after its goaway', async () => {
    const asked: LinkCause[] = []
    const { gateway, agent } = linkPair({
      gateway: { open: RecordedStream.accept([]), goaway: (cause) => asked.push(cause) },
      agent: { open: RecordedStream.accept([]) },
    })
    agent.goaway({ by: 'agent', reason: HANDING_OVER, message: 'a newer process takes over' })
    await settle()
    const [login, listener] = [RecordedStream.open(gateway, 'auth'), RecordedStream.open(agent, 'listen')]
    await settle()
    expect([login.cause, listener.cause, gateway.streamCount]).toEqual([undefined, undefined, 2])
    agent.goaway(STOPPING)
    await settle()
    expect((await RecordedStream.open(gateway, 'auth').whenClosed()).reason).toBe('draining')
    expect(asked.map(({ reason }) => reason)).toEqual([HANDING_OVER, 'draining'])
  })

  test('refuses one more of its own streams at the stream limit', async () => {
    const { gateway, accepted } = recordedPair({ options: { maxStreams: 2 } })
    const first = RecordedStream.open(gateway, 'dial')
    RecordedStream.open(gateway, 'dial')
    expect((await RecordedStream.open(gateway, 'dial').whenClosed()).reason).toBe('too-many-streams')
    first.stream.close()
    await settle()
    RecordedStream.open(gateway, 'dial')
    await settle()
    expect(accepted).toHaveLength(3)
  })

  test('refuses to open a stream whose header is too large or not JSON', async () => {
    const { gateway, accepted } = recordedPair()
    expect((await RecordedStream.open(gateway, 'dial', { text: 'x'.repeat(262_144) }).whenClosed()).reason).toBe(
      'too-large',
    )
    expect((await RecordedStream.open(gateway, 'dial', { number: 1n }).whenClosed()).reason).toBe('too-large')
    expect(accepted).toEqual([])
  })

  test('survives owners that throw in every callback', async () => {
    const broken = (): never => {
      throw new Error('a bug')
    }
    const { gateway, agent, clock, errors, ends } = linkPair({
      gateway: { open: broken, alive: broken, goaway: broken },
      agent: { open: RecordedStream.accept([]) },
    })
    RecordedStream.open(agent, 'listen')
    agent.goaway(STOPPING)
    await clock.advanceAsync(21_000)
    expect(errors).toHaveLength(3)
    expect(ends).toEqual({})
    expect(gateway.streamCount).toBe(0)
  })
})
