import { setImmediate as turn } from 'node:timers/promises'
import {
  array,
  asyncProperty,
  assert,
  boolean,
  constantFrom,
  integer,
  nat,
  property,
  record,
  uint8Array,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FLAG, FRAME, FrameDecoder, type FrameHeader, encodeHeader } from './frame.ts'
import { YamuxSession } from './session.ts'
import { WINDOW_BYTES, type YamuxStream } from './stream.ts'

interface Pair {
  readonly client: YamuxSession
  readonly server: YamuxSession
  readonly accepted: YamuxStream[]
  readonly faults: string[]
  readonly sent: { client: Buffer[]; server: Buffer[] }
  readonly answers: number[]
}

/** A session and its peer; bytes arrive cut at `cut`, in microtasks. */
function joined({ cut = Infinity, maxStreams = 16 } = {}): Pair {
  const accepted: YamuxStream[] = []
  const faults: string[] = []
  const answers: number[] = []
  const sent: Pair['sent'] = { client: [], server: [] }
  const to = (side: 'client' | 'server', peer: () => YamuxSession) => (parts: readonly Uint8Array[]) => {
    const bytes = Buffer.concat(parts)
    sent[side].push(bytes)
    queueMicrotask(() => {
      for (let at = 0; at < bytes.length; at += cut)
        peer().receive(bytes.subarray(at, Math.min(bytes.length, at + cut)))
    })
    return true
  }
  const fault = (message: string): void => void faults.push(message)
  const client: YamuxSession = new YamuxSession({
    role: 'client',
    maxStreams,
    send: to('client', () => server),
    answered: (value) => answers.push(value),
    fault,
  })
  const server: YamuxSession = new YamuxSession({
    role: 'server',
    maxStreams,
    send: to('server', () => client),
    accept: (stream) => accepted.push(stream),
    fault,
  })
  return { client, server, accepted, faults, sent, answers }
}

async function readAll(stream: YamuxStream): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const frame = (header: Partial<FrameHeader>, payload = Buffer.alloc(0)): Buffer =>
  Buffer.concat([encodeHeader({ type: 0, flags: 0, stream: 1, length: payload.length, ...header }), payload])

describe('a yamux session', () => {
  it('opens streams as the specification has it on the wire', async () => {
    const { client, accepted, sent } = joined()
    client.open()
    client.open()
    await turn()
    expect(sent.client.map((bytes) => bytes.toString('hex'))).toEqual([
      '000100010000000100000000',
      '000100010000000300000000',
    ])
    expect(sent.server.map((bytes) => bytes.toString('hex'))).toEqual([
      '000100020000000100000000',
      '000100020000000300000000',
    ])
    expect(accepted.map(({ id }) => id)).toEqual([1, 3])
  })

  it.each([1, 7, 12, Infinity])('carries bytes both ways and their ends, cut at %d', async (cut) => {
    const { client, accepted, faults } = joined({ cut })
    const near = client.open()
    near.end(Buffer.alloc(3_000, 'near'))
    await turn()
    const [far] = accepted
    far?.end(Buffer.alloc(2_000, 'far!'))
    const [up, down] = await Promise.all([far ? readAll(far) : undefined, readAll(near)])
    expect([up?.equals(Buffer.alloc(3_000, 'near')), down.equals(Buffer.alloc(2_000, 'far!')), faults]).toEqual([
      true,
      true,
      [],
    ])
    await turn()
    expect(client.streamCount).toBe(0)
  })

  it('stops a sender whose bytes nobody reads at its window, and lets it go on', async () => {
    const { client, accepted, sent } = joined()
    const near = client.open()
    const bytes = Buffer.alloc(3 * WINDOW_BYTES, 'x')
    near.end(bytes)
    await turn()
    const count = (): number => sent.client.reduce((sum, part) => sum + (part[1] === 0 ? part.length - 12 : 0), 0)
    expect(count()).toBe(WINDOW_BYTES)
    const all = accepted[0] ? await readAll(accepted[0]) : undefined
    expect(all?.length).toBe(bytes.length)
  })

  it('carries other streams while one is not read', async () => {
    const { client, accepted } = joined()
    client.open().end(Buffer.alloc(2 * WINDOW_BYTES))
    const busy = client.open()
    await turn()
    busy.end('through')
    expect(accepted[1] && (await readAll(accepted[1])).toString()).toBe('through')
  })

  it('answers pings with their value, and tells of answers to its own', async () => {
    const { client, sent, answers } = joined()
    client.ping(4_711)
    await turn()
    expect([sent.server[0]?.toString('hex'), answers]).toEqual(['000200020000000000001267', [4_711]])
  })

  it('owes one answer to a peer that pings and reads nothing', () => {
    const sent: Buffer[] = []
    const session = new YamuxSession({
      role: 'client',
      maxStreams: 4,
      send: (parts) => {
        sent.push(Buffer.concat(parts))
        return false
      },
      fault: (message) => expect.fail(message),
    })
    for (let value = 0; value < 100; value += 1)
      session.receive(frame({ type: FRAME.ping, flags: FLAG.syn, stream: 0, length: value }))
    session.drained()
    expect(sent.map((bytes) => bytes.readUInt32BE(8))).toEqual([0, 99])
  })

  it('tells its owner of a reset, and resets what it gives up', async () => {
    const { client, accepted, sent } = joined()
    const near = client.open()
    await turn()
    near.destroy()
    await turn()
    expect(sent.client.at(-1)?.toString('hex')).toBe('000100080000000100000000')
    expect([accepted[0]?.destroyed, client.streamCount]).toEqual([true, 0])
  })

  it('ends every stream when it ends, and opens none after', async () => {
    const { client } = joined()
    const near = client.open()
    const closed = new Promise((resolve) => void near.on('close', resolve))
    client.end()
    await closed
    expect(() => client.open()).toThrow('the session has ended')
  })

  it('opens no more streams than it may', () => {
    const { client } = joined({ maxStreams: 2 })
    client.open()
    client.open()
    expect(() => client.open()).toThrow('too many streams are open')
  })

  it('delivers the payload of the frame that ends a stream', async () => {
    const { client } = joined()
    const near = client.open()
    client.receive(frame({ flags: FLAG.fin }, Buffer.from('last words')))
    expect((await readAll(near)).toString()).toBe('last words')
  })

  it.each<[string, Buffer, RegExp]>([
    ['another version', Buffer.concat([Buffer.of(1), Buffer.alloc(11)]), /version 1/],
    ['an unknown type', frame({ type: 4 }), /type 4/],
    ['more than its window', frame({ length: WINDOW_BYTES + 1 }), /more than the window/],
    ['a window that overflows', frame({ type: FRAME.windowUpdate, length: 0xffff_ffff }), /window above/],
    ['frames of a stream that nobody has opened', frame({ stream: 99 }, Buffer.from('x')), /nobody has opened/],
    [
      'a stream of its own',
      frame({ type: FRAME.windowUpdate, flags: FLAG.syn, stream: 2, length: 0 }),
      /stream of its own/,
    ],
    [
      'bytes after the end',
      Buffer.concat([frame({ type: 1, flags: FLAG.fin, length: 0 }), frame({}, Buffer.from('x'))]),
      /after the end/,
    ],
  ])('ends with a peer that sends %s', (_, bytes, fault) => {
    const { client, faults } = joined()
    const near = client.open()
    client.receive(bytes)
    client.receive(bytes)
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(near.destroyed).toBe(true)
  })

  it('drops what was under way to a stream that it has closed', async () => {
    const { client, faults } = joined()
    client.open().destroy()
    client.receive(frame({}, Buffer.from('late')))
    await turn()
    expect(faults).toEqual([])
  })
})

describe('arbitrary input', () => {
  it('decodes the same frames however the bytes are cut', () => {
    const header = record({
      type: integer({ min: 0, max: 3 }),
      flags: nat(15),
      stream: nat(9),
      body: uint8Array({ maxLength: 40 }),
    })
    assert(
      property(array(header, { maxLength: 10 }), array(nat(), { maxLength: 20 }), (frames, cuts) => {
        const wire = Buffer.concat(
          frames.map(({ body, ...rest }) =>
            frame(rest, rest.type === FRAME.data ? Buffer.from(body) : Buffer.alloc(0)),
          ),
        )
        const places = [0, ...new Set(cuts.map((cut) => cut % (wire.length + 1)))].toSorted((a, b) => a - b)
        const decode = (pieces: readonly Uint8Array[]): unknown => {
          const seen: { header: FrameHeader; payload: string }[] = []
          const decoder = new FrameDecoder({
            frame: (found) => void seen.push({ header: found, payload: '' }),
            payload: (_, piece) => {
              const last = seen.at(-1)
              if (last) last.payload += Buffer.from(piece).toString('hex')
            },
          })
          return [pieces.map((piece) => decoder.push(piece)), seen][1]
        }
        expect(decode(places.map((from, index) => wire.subarray(from, places[index + 1] ?? wire.length)))).toEqual(
          decode([wire]),
        )
      }),
    )
  })

  it('never throws, and holds no more than the windows of its streams', () => {
    const piece = record({
      type: integer({ min: 0, max: 4 }),
      flags: nat(15),
      stream: constantFrom(0, 1, 2, 3, 5, 7),
      length: constantFrom(0, 1, 100, 65_536, WINDOW_BYTES, WINDOW_BYTES + 1, 0xffff_ffff),
      bytes: uint8Array({ maxLength: 200 }),
    })
    assert(
      property(array(piece, { maxLength: 40 }), boolean(), (pieces, accepts) => {
        const streams: YamuxStream[] = []
        const session = new YamuxSession({
          role: accepts ? 'server' : 'client',
          maxStreams: 4,
          send: () => true,
          ...(accepts ? { accept: (stream: YamuxStream) => void streams.push(stream) } : {}),
          fault: () => undefined,
        })
        if (!accepts) streams.push(session.open(), session.open())
        for (const { bytes, ...header } of pieces) {
          session.receive(encodeHeader(header))
          session.receive(bytes)
        }
        for (const stream of streams) expect(stream.readableLength).toBeLessThanOrEqual(WINDOW_BYTES)
        expect(session.streamCount).toBeLessThanOrEqual(4)
        session.end()
      }),
    )
  })

  it('delivers what was written, in order, whatever the connection takes', async () => {
    await assert(
      asyncProperty(
        array(record({ stream: nat(2), bytes: uint8Array({ maxLength: 5_000 }) }), { maxLength: 20 }),
        integer({ min: 1, max: 4_000 }),
        async (writes, cut) => {
          const { client, accepted, faults } = joined({ cut })
          const near = [client.open(), client.open(), client.open()]
          const expected = near.map((_, index) =>
            Buffer.concat(writes.filter(({ stream }) => stream === index).map(({ bytes }) => bytes)),
          )
          for (const { stream, bytes } of writes) near[stream]?.write(bytes)
          for (const stream of near) stream.end()
          await turn()
          const got = await Promise.all(accepted.map((stream) => readAll(stream)))
          expect(got.map((bytes, index) => bytes.equals(expected[index] ?? Buffer.of(1)))).toEqual([true, true, true])
          expect(faults).toEqual([])
        },
      ),
      { numRuns: 40 },
    )
  })
})
