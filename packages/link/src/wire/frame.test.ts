import { array, assert, constantFrom, integer, nat, oneof, property, record, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FRAME, FrameBatch, FrameDecoder, type FrameSink, type FrameType } from './frame.ts'

/** A frame in the form that tests compare: data of one frame in one piece. */
interface Decoded {
  type: FrameType
  stream: number
  payload: string
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A sink that joins consecutive pieces of data. */
function collect(): { sink: FrameSink; frames: Decoded[] } {
  const frames: Decoded[] = []
  const sink: FrameSink = {
    data(stream, lane, bytes) {
      const type = lane === 0 ? FRAME.data : FRAME.dataErr
      const last = frames.at(-1)
      if (last?.type === type && last.stream === stream) last.payload += hex(bytes)
      else frames.push({ type, stream, payload: hex(bytes) })
    },
    frame: (type, stream, payload) => frames.push({ type, stream, payload: hex(payload) }),
  }
  return { sink, frames }
}

/** Expected output for `frames`: data of one stream and lane in one piece, none of zero bytes. */
function joined(frames: { type: FrameType; stream: number; payload: Uint8Array }[]): Decoded[] {
  const { sink, frames: expected } = collect()
  for (const { type, stream, payload } of frames) {
    if (type !== FRAME.data && type !== FRAME.dataErr) sink.frame(type, stream, payload)
    else if (payload.length > 0) sink.data(stream, type === FRAME.data ? 0 : 1, payload)
  }
  return expected
}

function wireOf(frames: { type: FrameType; stream: number; payload: Uint8Array }[]): Buffer {
  const batch = new FrameBatch()
  for (const { type, stream, payload } of frames) batch.add(type, stream, payload)
  return Buffer.concat(batch.take())
}

/** Cuts `bytes` at pseudo-random places given by `cuts`; every piece is a copy. */
function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => Uint8Array.from(bytes.subarray(from, places[index] ?? bytes.length)))
}

const stream = integer({ min: 1, max: 0xffff_ffff })
const anyFrame = oneof(
  record({ type: constantFrom(FRAME.data, FRAME.dataErr), stream, payload: uint8Array({ maxLength: 3_000 }) }),
  record({
    type: constantFrom(FRAME.open, FRAME.control),
    stream,
    payload: uint8Array({ minLength: 2, maxLength: 99 }),
  }),
  record({ type: constantFrom(FRAME.credit), stream, payload: uint8Array({ minLength: 4, maxLength: 4 }) }),
  record({ type: constantFrom(FRAME.eof, FRAME.blocked), stream, payload: uint8Array({ maxLength: 0 }) }),
  record({ type: constantFrom(FRAME.close), stream: nat(9), payload: uint8Array({ maxLength: 99 }) }),
  record({
    type: constantFrom(FRAME.ping, FRAME.pong),
    stream: constantFrom(0),
    payload: uint8Array({ minLength: 4, maxLength: 4 }),
  }),
  record({ type: constantFrom(FRAME.goaway), stream: constantFrom(0), payload: uint8Array({ maxLength: 99 }) }),
)

describe('frames', () => {
  test('decodes frames however the bytes are cut', () => {
    assert(
      property(array(anyFrame, { maxLength: 20 }), array(nat(), { maxLength: 30 }), (frames, cuts) => {
        const expected = joined(frames)
        const { sink, frames: decoded } = collect()
        const decoder = new FrameDecoder(sink)
        for (const piece of cut(wireOf(frames), cuts)) expect(decoder.push(piece)).toBeUndefined()
        expect(decoded).toEqual(expected)
      }),
    )
  })

  test('arbitrary bytes never throw, and nothing is decoded after a fault', () => {
    assert(
      property(uint8Array({ maxLength: 400 }), array(nat(), { maxLength: 5 }), (bytes, cuts) => {
        const { sink, frames } = collect()
        const decoder = new FrameDecoder(sink)
        const faults = cut(bytes, cuts).map((piece) => decoder.push(piece))
        const decoded = frames.length
        const last = faults.at(-1)
        const later = decoder.push(wireOf([{ type: FRAME.eof, stream: 1, payload: new Uint8Array(0) }]))
        expect(faults.filter((fault) => fault !== undefined && fault !== last)).toEqual([])
        expect(last === undefined || (later === last && frames.length === decoded)).toBe(true)
      }),
    )
  })

  test('rejects a frame over the limit of its type as soon as its header is complete', () => {
    const header = (length: number, type: number, id: number): Buffer => {
      const bytes = Buffer.alloc(9)
      bytes.writeUInt32BE(length, 0)
      bytes.writeUInt8(type, 4)
      bytes.writeUInt32BE(id, 5)
      return bytes
    }
    const faultOf = (length: number, type: number, id: number): string | undefined =>
      new FrameDecoder(collect().sink).push(header(length, type, id))
    expect(faultOf(0xffff_ffff, FRAME.data, 1)).toBe('data frame of 4294967295 bytes')
    expect(faultOf(256 * 1024 + 1, FRAME.dataErr, 1)).toBe('data-err frame of 262145 bytes')
    expect(faultOf(256 * 1024, FRAME.data, 1)).toBeUndefined()
    expect(faultOf(64 * 1024 + 1, FRAME.control, 1)).toBe('control frame of 65537 bytes')
    expect(faultOf(256 * 1024 + 1, FRAME.open, 1)).toBe('open frame of 262145 bytes')
    expect(faultOf(3, FRAME.credit, 1)).toBe('credit frame of 3 bytes')
    expect(faultOf(1, FRAME.eof, 1)).toBe('eof frame of 1 bytes')
    expect(faultOf(4, FRAME.ping, 1)).toBe('ping frame on stream 1')
    expect(faultOf(4, FRAME.credit, 0)).toBe('credit frame on stream 0')
    expect(faultOf(4, 0, 0)).toBe('unknown frame type 0')
    expect(faultOf(4, 13, 0)).toBe('unknown frame type 13')
  })

  test('switches to another sink between two frames of one chunk', () => {
    const [first, second] = [collect(), collect()]
    const decoder = new FrameDecoder({
      data: () => undefined,
      frame(type, id, payload) {
        first.sink.frame(type, id, payload)
        decoder.sink = second.sink
      },
    })
    decoder.push(
      wireOf([
        { type: FRAME.eof, stream: 1, payload: new Uint8Array(0) },
        { type: FRAME.eof, stream: 2, payload: new Uint8Array(0) },
      ]),
    )
    expect(first.frames.map((frame) => frame.stream)).toEqual([1])
    expect(second.frames.map((frame) => frame.stream)).toEqual([2])
  })

  test('sends small frames in few parts and large ones by reference', () => {
    const batch = new FrameBatch()
    const large = Buffer.alloc(10_000)
    batch.add(FRAME.data, 1, Buffer.from('small'))
    batch.add(FRAME.data, 1, large)
    batch.addUint32(FRAME.credit, 1, 0xffff_fffe)
    expect(batch.bytes).toBe(3 * 9 + 5 + 10_000 + 4)
    const parts = batch.take()
    expect(parts).toContain(large)
    expect(parts.length).toBeLessThanOrEqual(4)
    expect(batch.take()).toEqual([])
    expect(batch.bytes).toBe(0)
  })
})
