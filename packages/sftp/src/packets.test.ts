import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PacketBuffer } from './packets.ts'
import { MAX_PACKET_BYTES } from './protocol.ts'
import { encodeRequest } from './requests.ts'
import { anyRequest } from './testing.ts'
import { MalformedPacket } from './wire.ts'

test('reassembles packets however the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(anyRequest, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 400 })), (list, cuts) => {
      const packets = list.map((request) => encodeRequest(request))
      const stream = Buffer.concat(packets)
      const buffer = new PacketBuffer()
      const seen: Buffer[] = []
      for (let offset = 0, index = 0; offset < stream.length; index += 1) {
        const length = cuts[index % Math.max(cuts.length, 1)] ?? stream.length
        for (const packet of buffer.push(stream.subarray(offset, offset + length))) seen.push(Buffer.from(packet))
        offset += length
      }
      expect(seen).toEqual(packets.map((packet) => packet.subarray(4)))
      expect(buffer.length).toBe(0)
    }),
  )
})

test('accepts the largest packet; rejects one byte more, and an empty one', () => {
  const head = (length: number) => Buffer.from(Uint32Array.of(length).buffer).swap32()
  const largest = Buffer.concat([head(MAX_PACKET_BYTES), Buffer.alloc(MAX_PACKET_BYTES, 7)])
  expect([...new PacketBuffer().push(Buffer.concat([largest, largest]))].map((packet) => packet.length)).toEqual([
    MAX_PACKET_BYTES,
    MAX_PACKET_BYTES,
  ])
  for (const length of [0, MAX_PACKET_BYTES + 1, 0xffff_ffff]) {
    const buffer = new PacketBuffer()
    expect(() => [...buffer.push(head(length))]).toThrow(MalformedPacket)
  }
})

test('bounds memory by the largest packet', () => {
  const buffer = new PacketBuffer(1_000)
  let most = 0
  const stream = Buffer.concat(
    Array.from({ length: 5_000 }, (_, index) => {
      const packet = Buffer.alloc(4 + 1 + (index % 1_000))
      packet.writeUInt32BE(packet.length - 4)
      return packet
    }),
  )
  let count = 0
  for (let offset = 0; offset < stream.length;) {
    const space = buffer.space()
    most = Math.max(most, buffer.length + space.length)
    const taken = stream.copy(space, 0, offset, offset + space.length)
    buffer.filled(taken)
    offset += taken
    while (buffer.next()) count += 1
  }
  expect(count).toBe(5_000)
  expect(most).toBeLessThanOrEqual(32 * 1024)
})
