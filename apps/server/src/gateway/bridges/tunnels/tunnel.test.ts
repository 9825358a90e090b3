// The two kinds of tunnels by themselves, with a clock of the test's: signs of life, limits, and what agents may not send.
import { duplexPair } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { LinkCause } from '@bowline/link/api'
import { MemoryTransport, settle } from '@bowline/link/testing/pair'
import { YamuxSession } from '@bowline/yamux/session'
import { describe, expect, it } from 'vitest'
import { DialledTunnel } from './dialled-tunnel.ts'
import { MultiplexedTunnel } from './multiplexed-tunnel.ts'
import { type PickUps, createPickUps } from './pick-ups.ts'

interface Far {
  readonly clock: ManualClock
  /** Bytes that the agent has received. */
  readonly received: Buffer[]
  send(bytes: string | Uint8Array): void
  readonly ends: LinkCause[]
}

/** The agent's end of a tunnel. */
function far<T>(
  make: (transport: MemoryTransport, clock: ManualClock, closed: (cause: LinkCause) => void) => T,
): Far & {
  tunnel: T
} {
  const clock = new ManualClock()
  const [near, agent] = MemoryTransport.pair(256 * 1024)
  const received: Buffer[] = []
  const ends: LinkCause[] = []
  agent.listen({
    bytes: (chunk) => received.push(Buffer.from(chunk)),
    drain: () => undefined,
    closed: () => undefined,
  })
  const tunnel = make(near, clock, (cause) => ends.push(cause))
  return { clock, received, ends, tunnel, send: (bytes) => void agent.send([Buffer.from(bytes)]) }
}

/** What a promise rejects with. */
const said = (promise: Promise<unknown>): Promise<string> => promise.then(String, String)

const KEEP_ALIVE = '{"command":"keep-alive"}\n'

describe('a tunnel of transport 1', () => {
  const dialled = (pickUps?: PickUps) =>
    far((transport, clock, closed) => new DialledTunnel(transport, clock, pickUps ?? createPickUps(clock), closed))
  const lines = ({ received }: Far) => Buffer.concat(received).toString().split('\n').slice(0, -1)

  it('gives a sign of life at once and every thirty seconds', async () => {
    const end = dialled()
    await settle()
    expect(lines(end)).toEqual([KEEP_ALIVE.trim()])
    end.send(KEEP_ALIVE)
    await end.clock.advanceAsync(30_000)
    expect(lines(end)).toHaveLength(2)
  })

  it('ends after thirty-five seconds of silence, and not before', async () => {
    const end = dialled()
    await end.clock.advanceAsync(20_000)
    end.send(KEEP_ALIVE)
    await settle()
    await end.clock.advanceAsync(34_999)
    expect(end.ends).toEqual([])
    await end.clock.advanceAsync(1)
    expect(end.ends).toMatchObject([{ reason: 'keepalive' }])
  })

  it.each([
    ['a line that is no JSON', 'nonsense\n'],
    ['a line that is no command', '[]\n'],
    ['a line that does not end', 'x'.repeat(4_096)],
  ])('ends with an agent that sends %s', async (_, bytes) => {
    const end = dialled()
    end.send(bytes)
    await settle()
    expect(end.ends).toMatchObject([{ reason: 'protocol' }])
  })

  it('ignores commands that it does not know, and lines in pieces', async () => {
    const end = dialled()
    end.send('{"command":"new","more":1}\n{"comm')
    end.send('and":"keep-alive"}\n')
    await settle()
    expect(end.ends).toEqual([])
  })

  it('asks again for a stream that could not be fetched, at other addresses, and gives up', async () => {
    const end = dialled()
    const opening = end.tunnel.openSsh()
    const outcome = said(opening)
    const paths = new Set<string>()
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await settle()
      const { connPath } = JSON.parse(lines(end).at(-1) ?? '{}') as { connPath: string }
      paths.add(connPath)
      end.send(`${JSON.stringify({ command: 'pickup-failed', connPath, err: 'x' })}\n`)
    }
    expect(await outcome).toContain('could not fetch')
    expect(paths.size).toBe(6)
    expect([...paths][0]).toMatch(/^\/ssh\/revdial\?revdial\.dialer=[0-9a-f]{32}&uuid=[0-9a-f]{32}$/)
  })

  it('waits twenty seconds for a stream to be fetched', async () => {
    const end = dialled()
    const outcome = said(end.tunnel.openTcp('127.0.0.1', 1))
    await settle()
    await end.clock.advanceAsync(20_000)
    expect(await outcome).toContain('in time')
  })

  it('opens a stream with a request that nothing follows', async () => {
    let take: ((stream: ReturnType<typeof duplexPair>[0]) => void) | undefined
    const end = dialled({
      expect(taken) {
        take = taken
        return { path: '/x', cancel: () => undefined }
      },
      upgrade: () => undefined,
    })
    const opening = end.tunnel.openSsh()
    const [near, agent] = duplexPair()
    take?.(near)
    await opening
    await settle()
    expect(String(agent.read())).toMatch(/^GET \/ssh\/[0-9a-f-]{36} HTTP\/1\.1\r\nHost: \r\n\r\n$/)
  })
})

describe('a tunnel of transport 2', () => {
  const multiplexed = () => far((transport, clock, closed) => new MultiplexedTunnel(transport, clock, closed))

  it('pings at once and every thirty seconds', async () => {
    const end = multiplexed()
    await settle()
    expect(end.received.map((bytes) => bytes.toString('hex'))).toEqual(['000200010000000000000001'])
    end.send(Buffer.from('000200020000000000000001', 'hex'))
    await end.clock.advanceAsync(30_000)
    expect(end.received[1]?.toString('hex')).toBe('000200010000000000000002')
  })

  it('ends after thirty-five seconds of silence', async () => {
    const end = multiplexed()
    await end.clock.advanceAsync(34_999)
    expect(end.ends).toEqual([])
    await end.clock.advanceAsync(1)
    expect(end.ends).toMatchObject([{ reason: 'keepalive' }])
  })

  it('ends with an agent that breaks the protocol', async () => {
    const end = multiplexed()
    end.send('GET / HTTP/1.1\r\n\r\n')
    await settle()
    expect(end.ends).toMatchObject([{ by: 'agent', reason: 'protocol' }])
  })

  it('gives up a stream that the agent does not answer', async () => {
    const end = multiplexed()
    const outcome = said(end.tunnel.openSsh())
    await end.clock.advanceAsync(20_000)
    expect(await outcome).toContain('the stream has ended')
    expect(Buffer.concat(end.received).subarray(-12).toString('hex')).toBe('000100080000000100000000')
  })

  it('closes a stream whose target the device could not reach, which agents leave open', async () => {
    const end = multiplexed()
    const agent = new YamuxSession({
      role: 'server',
      maxStreams: 4,
      send(parts) {
        end.send(Buffer.concat(parts))
        return true
      },
      accept: (stream) =>
        void stream.write('\u0013/multistream/1.0.0\n\u0012/http/proxy/1.0.0\n{"error":"failed to dial"}\n'),
      fault: () => undefined,
    })
    const outcome = said(end.tunnel.openTcp('127.0.0.1', 1))
    await settle()
    for (const bytes of end.received.splice(0)) agent.receive(bytes)
    expect(await outcome).toContain('failed to dial')
    await settle()
    for (const bytes of end.received) agent.receive(bytes)
    expect(agent.streamCount).toBe(0)
  })
})
