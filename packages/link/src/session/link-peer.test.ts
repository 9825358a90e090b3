// Broken and hostile peers: they can end the link with a cause, and nothing else.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { array, assert, asyncProperty, constantFrom, nat, oneof, record, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Link, LinkCause, LinkHandler, LinkOptions } from '../api.ts'
import { FRAME, FrameBatch, FrameDecoder, type FrameType } from '../wire/frame.ts'
import { startLink } from './link.ts'
import { MemoryTransport, RecordedStream, settle } from '../testing/pair.ts'

interface Seen {
  type: number
  stream: number
  payload: Buffer
}

/** A gateway's link whose peer is driven by the test, frame by frame. */
function gatewayWithRawPeer(handler: Partial<LinkHandler> = {}, options: Partial<LinkOptions> = {}) {
  const [transport, raw] = MemoryTransport.pair(options.socketHighBytes ?? 256 * 1024)
  const errors: unknown[] = []
  const ends: LinkCause[] = []
  const link: Link = startLink({
    transport,
    side: 'gateway',
    clock: new ManualClock(),
    options,
    handler: {
      open: () => ({ by: 'gateway', reason: 'refused', message: '' }),
      closed: (cause) => ends.push(cause),
      ...handler,
    },
    report: (error) => errors.push(error),
  })
  const seen: Seen[] = []
  const decoder = new FrameDecoder({
    data: (stream, lane, bytes) =>
      seen.push({ type: lane === 0 ? FRAME.data : FRAME.dataErr, stream, payload: Buffer.from(bytes) }),
    frame: (type, stream, payload) => seen.push({ type, stream, payload: Buffer.from(payload) }),
  })
  raw.listen({ bytes: (chunk) => void decoder.push(chunk), drain: () => undefined, closed: () => undefined })
  const send = async (...frames: [FrameType, number, Uint8Array | string | number][]): Promise<void> => {
    const batch = new FrameBatch()
    for (const [type, stream, payload] of frames) {
      if (typeof payload === 'number') batch.addUint32(type, stream, payload)
      else batch.add(type, stream, typeof payload === 'string' ? Buffer.from(payload) : payload)
    }
    raw.send(batch.take())
    await settle()
  }
  return { link, transport, raw, send, seen, errors, ends }
}

const OPEN = JSON.stringify({ kind: 'listen', header: {} })
const NOTHING = new Uint8Array(0)

describe('a peer that breaks the protocol', () => {
  test.each<[string, [FrameType, number, Uint8Array | string | number][], string]>([
    ['uses a stream that never existed', [[FRAME.data, 7, 'x']], 'stream 7 was never opened'],
    ['uses a stream that this side has not opened', [[FRAME.credit, 4, 1]], 'stream 4 was never opened'],
    ['opens a stream of this side', [[FRAME.open, 4, OPEN]], 'stream 4 cannot be opened by the peer'],
    [
      'opens a stream twice',
      [
        [FRAME.open, 3, OPEN],
        [FRAME.open, 3, OPEN],
      ],
      'stream 3 cannot be opened by the peer',
    ],
    [
      'opens backwards',
      [
        [FRAME.open, 5, OPEN],
        [FRAME.open, 3, OPEN],
      ],
      'stream 3 cannot be opened by the peer',
    ],
    ['opens with a payload that is not JSON', [[FRAME.open, 1, '{{']], 'open of stream 1 is not {kind, header}'],
    ['opens with a list', [[FRAME.open, 1, '[]']], 'open of stream 1 is not {kind, header}'],
    ['opens without a header', [[FRAME.open, 1, '{"kind":"dial"}']], 'open of stream 1 is not {kind, header}'],
    ['says hello again', [[FRAME.hello, 0, '{}']], 'hello after the handshake'],
  ])('ends the link when the peer %s', async (_name, frames, message) => {
    const { send, seen, ends, errors } = gatewayWithRawPeer()
    await send(...frames)
    expect(ends).toEqual([{ by: 'agent', reason: 'protocol', message }])
    const last = seen.at(-1)
    expect([last?.type, last?.stream]).toEqual([FRAME.close, 0])
    expect(errors).toEqual([])
  })

  test.each<[string, [FrameType, number, Uint8Array | string | number][], string]>([
    [
      'sends more than its credit',
      [
        [FRAME.data, 2, Buffer.alloc(600)],
        [FRAME.dataErr, 2, Buffer.alloc(401)],
      ],
      'stream 2 exceeds its credit',
    ],
    [
      'sends after its eof',
      [
        [FRAME.eof, 2, NOTHING],
        [FRAME.data, 2, 'x'],
      ],
      'data after eof on stream 2',
    ],
    [
      'sends two eofs',
      [
        [FRAME.eof, 2, NOTHING],
        [FRAME.eof, 2, NOTHING],
      ],
      'eof twice on stream 2',
    ],
    [
      'grants more than 32 bits',
      [
        [FRAME.credit, 2, 0xffff_ffff],
        [FRAME.credit, 2, 0xffff_ffff],
      ],
      'credit of stream 2 exceeds 32 bits',
    ],
    [
      'sends a control message that is not an object',
      [[FRAME.control, 2, '"x"']],
      'control on stream 2 is not a JSON object',
    ],
  ])('ends the link and the stream when the peer %s', async (_name, frames, message) => {
    const { link, send, ends } = gatewayWithRawPeer({}, { windowBytes: 1_000, windowMaxBytes: 1_000 })
    const own = RecordedStream.open(link, 'session', {}, { consume: false })
    await settle()
    await send(...frames)
    expect(ends).toEqual([{ by: 'agent', reason: 'protocol', message }])
    expect(own.cause).toEqual(ends[0])
    expect(own.events.filter((event) => event === 'closed')).toHaveLength(1)
  })

  test('ignores late frames on a stream that has ended on this side', async () => {
    const { link, send, ends } = gatewayWithRawPeer()
    const own = RecordedStream.open(link, 'session')
    own.stream.close()
    await settle()
    await send([FRAME.data, 2, 'late'], [FRAME.credit, 2, 5], [FRAME.control, 2, 'no JSON'], [FRAME.close, 2, '{}'])
    expect(own.events).toEqual(['closed'])
    expect(ends).toEqual([])
  })

  test('refuses only the stream when the peer opens an unknown kind', async () => {
    const { send, seen, ends } = gatewayWithRawPeer()
    await send([FRAME.open, 1, JSON.stringify({ kind: 'teleport', header: {} })])
    expect(seen.map(({ type, stream }) => [type, stream])).toEqual([[FRAME.close, 1]])
    expect(String(seen[0]?.payload)).toContain('unsupported')
    expect(ends).toEqual([])
  })

  test('refuses streams the peer opens above the limit', async () => {
    const accepted: RecordedStream[] = []
    const { link, send, seen } = gatewayWithRawPeer({ open: RecordedStream.accept(accepted) }, { maxStreams: 3 })
    await send(...[1, 3, 5, 7, 9].map((id): [FrameType, number, string] => [FRAME.open, id, OPEN]))
    expect(accepted).toHaveLength(3)
    expect(seen.map(({ type, stream }) => [type, stream])).toEqual([
      [FRAME.close, 7],
      [FRAME.close, 9],
    ])
    await send([FRAME.close, 1, NOTHING])
    await send([FRAME.open, 11, OPEN])
    expect(accepted).toHaveLength(4)
    expect(link.streamCount).toBe(3)
  })

  test('ends the link when the peer floods it with opens and reads no answers', async () => {
    const { transport, send, ends } = gatewayWithRawPeer({}, { socketHighBytes: 1 })
    transport.hold()
    for (let id = 1; id < 30_000 && ends.length === 0; id += 2) await send([FRAME.open, id, OPEN])
    expect(ends[0]?.message).toBe('streams are opened faster than the answers are read')
  })

  test('keeps one pong pending for a peer that reads nothing and ends the link on a ping flood', async () => {
    const { transport, send, seen, ends } = gatewayWithRawPeer({}, { socketHighBytes: 1 })
    transport.hold()
    for (let number = 0; number < 60; number += 1) await send([FRAME.ping, 0, number])
    const before = transport.sentBytes
    transport.release()
    await settle()
    expect(transport.sentBytes - before).toBeLessThan(50)
    expect(
      seen
        .filter(({ type }) => type === FRAME.pong)
        .at(-1)
        ?.payload.readUInt32BE(),
    ).toBe(59)
    expect(ends).toEqual([])
    await send([FRAME.ping, 0, 60])
    expect(ends[0]).toMatchObject({ by: 'agent', reason: 'protocol' })
  })

  test.each(['user', 'admin', 'policy', 'gateway'])(
    'attributes an end to the device when it blames the %s',
    async (by) => {
      const { link, send } = gatewayWithRawPeer({})
      const stream = RecordedStream.open(link, 'dial', {})
      const cause = { by, reason: 'removed', message: 'An administrator has \u001b[31mclosed\u001b[0m it.\u0007\u202e' }
      await send([FRAME.close, 2, Buffer.from(JSON.stringify(cause))])
      expect(await stream.whenClosed()).toEqual({
        by: 'agent',
        reason: 'removed',
        message: 'An administrator has [31mclosed[0m it.',
        fromPeer: true,
      })
    },
  )

  test('keeps the window within its limit when the peer keeps claiming to be blocked', async () => {
    const { link, send, seen } = gatewayWithRawPeer({}, { windowBytes: 1_000, windowMaxBytes: 4_000 })
    RecordedStream.open(link, 'dial', {}, { consume: false })
    await settle()
    for (let count = 0; count < 50; count += 1) await send([FRAME.blocked, 2, NOTHING])
    const granted = seen.filter(({ type }) => type === FRAME.credit).map(({ payload }) => payload.readUInt32BE())
    expect(granted.reduce((sum, bytes) => sum + bytes, 0)).toBe(3_000)
  })

  test('reads a malformed cause as unspecified', async () => {
    const { link, send, ends } = gatewayWithRawPeer()
    const causes: Promise<LinkCause>[] = []
    for (const _ of [1, 2, 3]) causes.push(RecordedStream.open(link, 'dial').whenClosed())
    await settle()
    await send(
      [FRAME.close, 2, 'no JSON'],
      [FRAME.close, 4, JSON.stringify({ by: 'root', reason: 'x', message: 'x' })],
      [FRAME.close, 6, JSON.stringify({ by: 'user', reason: 'Not Kebab', message: '' })],
    )
    for (const cause of await Promise.all(causes)) expect(cause).toMatchObject({ by: 'agent', reason: 'unspecified' })
    await send([FRAME.close, 0, NOTHING])
    expect(ends).toMatchObject([{ by: 'agent', reason: 'unspecified' }])
  })
})

describe('a peer that sends anything at all', () => {
  const id = constantFrom(0, 1, 2, 3, 4, 5, 6, 9)
  const json = constantFrom(
    '{}',
    OPEN,
    '[]',
    '{"kind":"dial","header":{"__proto__":1}}',
    '{"by":"user"}',
    '\u0000\u0001',
  )
  const frame = record({
    type: constantFrom(...Object.values(FRAME)),
    stream: id,
    payload: oneof(
      uint8Array({ maxLength: 40 }),
      uint8Array({ minLength: 4, maxLength: 4 }),
      json.map((text) => Buffer.from(text)),
    ),
  })

  test('causes no throw, no second end and at most one `closed` per stream', async () => {
    await assert(
      asyncProperty(array(frame, { maxLength: 40 }), array(nat(200), { maxLength: 5 }), async (frames, cuts) => {
        const accepted: RecordedStream[] = []
        const { link, raw, errors, ends } = gatewayWithRawPeer(
          { open: RecordedStream.accept(accepted) },
          { windowBytes: 64, windowMaxBytes: 256 },
        )
        const own = [RecordedStream.open(link, 'session'), RecordedStream.open(link, 'dial')]
        for (const { stream } of own) stream.write(Buffer.alloc(100))
        const batch = new FrameBatch()
        for (const { type, stream, payload } of frames) batch.add(type, stream, payload)
        const wire = Buffer.concat(batch.take())
        let from = 0
        for (const step of [...cuts, wire.length]) {
          raw.send([Uint8Array.from(wire.subarray(from, from + step))])
          from += step
          await settle()
        }
        raw.close({ by: 'network', reason: 'over', message: '' })
        await settle()
        expect(errors).toEqual([])
        expect(ends).toHaveLength(1)
        expect(link.streamCount).toBe(0)
        for (const stream of [...own, ...accepted]) {
          expect(stream.events.filter((event) => event === 'closed')).toHaveLength(1)
          expect(stream.events.at(-1)).toBe('closed')
        }
      }),
      { numRuns: 300 },
    )
  })
})
