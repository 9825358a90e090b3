import { array, assert, boolean, constantFrom, integer, nat, property, record, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_MESSAGE_BYTES, OPCODE, WebSocketDecoder, applyMask, frameHeader } from './websocket.ts'

interface Seen {
  bytes: Buffer
  pings: string[]
  closes: { code: number; reason: string }[]
}

function decoderFor(masked: boolean): { decoder: WebSocketDecoder; seen: Seen } {
  const seen: Seen = { bytes: Buffer.alloc(0), pings: [], closes: [] }
  const decoder = new WebSocketDecoder(masked, {
    bytes: (piece) => {
      seen.bytes = Buffer.concat([seen.bytes, piece])
    },
    ping: (payload) => seen.pings.push(Buffer.from(payload).toString('hex')),
    close: (code, reason) => seen.closes.push({ code, reason }),
  })
  return { decoder, seen }
}

function frame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const body = Uint8Array.from(payload)
  if (mask) applyMask(body, mask, 0)
  return Buffer.concat([frameHeader(opcode, payload.length, mask), body])
}

/** Cuts at pseudo-random places; pieces are copies, at every alignment. */
function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => {
    const piece = bytes.subarray(from, places[index] ?? bytes.length)
    const memory = new Uint8Array(piece.length + 7)
    memory.set(piece, from % 7)
    return memory.subarray(from % 7, (from % 7) + piece.length)
  })
}

const mask = uint8Array({ minLength: 4, maxLength: 4 })

describe('masking', () => {
  test('masks as in RFC 6455 at every offset and alignment, and unmasks with the same call', () => {
    assert(
      property(uint8Array({ maxLength: 70 }), mask, nat(7), nat(1_000), (payload, key, offset, position) => {
        const memory = new Uint8Array(payload.length + offset)
        const bytes = memory.subarray(offset)
        bytes.set(payload)
        applyMask(bytes, key, position)
        expect([...bytes]).toEqual([...payload].map((byte, index) => byte ^ (key[(position + index) % 4] ?? 0)))
        applyMask(bytes, key, position)
        expect([...bytes]).toEqual([...payload])
      }),
    )
  })
})

describe('a WebSocket peer', () => {
  test('decodes messages however they are cut, fragmented, masked and interleaved with pings', () => {
    const message = record({
      payload: uint8Array({ maxLength: 300 }),
      pieces: array(nat(), { maxLength: 3 }),
      key: mask,
      ping: boolean(),
    })
    assert(
      property(
        array(message, { maxLength: 8 }),
        array(nat(), { maxLength: 20 }),
        boolean(),
        (messages, cuts, masked) => {
          const wire: Buffer[] = []
          const pings: string[] = []
          for (const { payload, pieces, key, ping } of messages) {
            const parts = cut(payload, pieces)
            parts.forEach((part, index) => {
              const bytes = frame(index === 0 ? OPCODE.binary : OPCODE.continuation, part, masked ? key : undefined)
              if (index < parts.length - 1) bytes[0] = (bytes[0] ?? 0) & 0x7f
              wire.push(bytes)
              if (!ping) return
              wire.push(frame(OPCODE.ping, part.subarray(0, 125), masked ? key : undefined))
              pings.push(Buffer.from(part.subarray(0, 125)).toString('hex'))
            })
          }
          wire.push(
            frame(
              OPCODE.close,
              Buffer.concat([Buffer.of(3, 232), Buffer.from('done')]),
              masked ? Buffer.of(1, 2, 3, 4) : undefined,
            ),
          )
          const { decoder, seen } = decoderFor(masked)
          for (const piece of cut(Buffer.concat(wire), cuts)) expect(decoder.push(piece)).toBeUndefined()
          expect(seen.bytes.equals(Buffer.concat(messages.map(({ payload }) => payload)))).toBe(true)
          expect(seen.pings).toEqual(pings)
          expect(seen.closes).toEqual([{ code: 1_000, reason: 'done' }])
        },
      ),
    )
  })

  test('arbitrary bytes cause a fault at most', () => {
    assert(
      property(array(uint8Array({ maxLength: 200 }), { maxLength: 5 }), boolean(), (chunks, masked) => {
        const { decoder, seen } = decoderFor(masked)
        const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
        for (const chunk of chunks) decoder.push(chunk)
        expect(seen.bytes.length).toBeLessThanOrEqual(total)
      }),
    )
  })

  test('encodes the length of long messages in the right form', () => {
    assert(
      property(constantFrom(0, 125, 126, 65_535, 65_536, 1_000_000), integer({ min: 0, max: 1 }), (length, side) => {
        const masked = side === 1
        const { decoder, seen } = decoderFor(masked)
        decoder.push(frame(OPCODE.binary, Buffer.alloc(length, 7), masked ? Buffer.of(9, 8, 7, 6) : undefined))
        expect(seen.bytes.equals(Buffer.alloc(length, 7))).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  test.each([
    ['a text message', frame(OPCODE.text, Buffer.from('hi')), 'a frame with opcode 1 where a binary message was due'],
    ['a continuation of nothing', frame(OPCODE.continuation, Buffer.from('hi')), 'a frame with opcode 0 where'],
    ['a reserved bit', Buffer.of(0xc2, 0), 'a reserved bit is set'],
    ['a mask that is not allowed', Buffer.of(0x82, 0x80, 0, 0, 0, 0), 'masked frame'],
    ['a long ping', Buffer.of(0x89, 126, 0, 126), 'a control frame is long or fragmented'],
    ['a fragmented ping', Buffer.of(0x09, 0), 'a control frame is long or fragmented'],
    ['an unknown control frame', Buffer.of(0x8b, 0), 'unknown opcode 11'],
    ['a close frame of one byte', Buffer.of(0x88, 1, 3), 'a close frame of one byte'],
  ])('reports a fault for %s', (_name, bytes, fault) => {
    const { decoder, seen } = decoderFor(false)
    expect(decoder.push(bytes)).toEqual({ code: 1002, message: expect.stringContaining(fault) })
    decoder.push(frame(OPCODE.binary, Buffer.from('ignored')))
    expect(seen.bytes.length).toBe(0)
  })

  test.each([
    ['of exabytes', [Buffer.of(0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0)]],
    [
      'in fragments that are too long together',
      [Buffer.of(0x02, 1, 7), frameHeader(OPCODE.continuation, MAX_MESSAGE_BYTES)],
    ],
  ])('reports 1009 for a message %s', (_name, frames) => {
    const { decoder } = decoderFor(false)
    const faults = frames.map((bytes) => decoder.push(bytes))
    expect(faults.pop()).toEqual({ code: 1009, message: 'a message exceeds 16 MiB' })
    expect(faults.filter(Boolean)).toEqual([])
  })

  test('requires a mask from a client', () => {
    expect(decoderFor(true).decoder.push(Buffer.of(0x82, 0))?.message).toBe('unmasked frame')
  })
})
