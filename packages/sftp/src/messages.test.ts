import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DATA_HEADER_BYTES,
  decodeReply,
  encodeReply,
  frameData,
  idNamesReply,
  limitsReply,
  type Reply,
  statvfsReply,
} from './replies.ts'
import { decodeRequest, encodeRequest, type Request } from './requests.ts'
import { anyReply, anyRequest } from './testing.ts'
import { MalformedPacket } from './wire.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

// Derived by hand from the draft and from OpenSSH's description of its extensions.
const requests: [string, Request][] = [
  ['00000005 01 00000003', { type: 'init', version: 3, extensions: [] }],
  [
    '00000019 03 00000007 00000004 2f746d70 0000001a 00000004 000001a4',
    { type: 'open', id: 7, path: bytes('/tmp'), flags: 0x1a, attributes: { permissions: 0o644 } },
  ],
  [
    '00000019 05 00000001 00000004 00000002 0000000100000000 00008000',
    { type: 'read', id: 1, handle: hex('00000002'), offset: 0x1_0000_0000n, length: 32_768 },
  ],
  [
    '0000001b 06 00000001 00000004 00000002 0000000000000003 00000002 6869',
    { type: 'write', id: 1, handle: hex('00000002'), offset: 3n, data: bytes('hi') },
  ],
  [
    '00000026 09 00000005 00000001 ff 0000000b 0000000000000001 000003e8 000003e9 5f5e1000 5f5e1001',
    {
      type: 'setstat',
      id: 5,
      path: bytes('\xff'),
      attributes: { size: 1n, owner: { uid: 1000, gid: 1001 }, times: { accessed: 0x5f5e1000, modified: 0x5f5e1001 } },
    },
  ],
  // The target first, as `ln -s target link` is written.
  ['0000000f 14 00000002 00000001 74 00000001 6c', { type: 'symlink', id: 2, target: bytes('t'), path: bytes('l') }],
  [
    '0000002b c8 00000009 00000018 706f7369782d72656e616d65406f70656e7373682e636f6d 00000001 61 00000001 62',
    { type: 'posix-rename@openssh.com', id: 9, from: bytes('a'), to: bytes('b') },
  ],
  [
    '00000016 c8 00000003 00000008 6d6432406e6f6e65 00000001 ff',
    { type: 'unknown', id: 3, code: 200, name: 'md2@none', payload: hex('00000001ff') },
  ],
]

const replies: [string, Reply][] = [
  ['0000000f 02 00000003 00000001 61 00000001 31', { type: 'version', version: 3, extensions: [['a', '1']] }],
  [
    '0000001d 65 00000001 00000002 0000000c 4e6f20737563682066696c65 00000000',
    { type: 'status', id: 1, code: 2, message: 'No such file', language: '' },
  ],
  ['0000000b 67 00000004 00000002 6869', { type: 'data', id: 4, data: bytes('hi') }],
  [
    '0000001b 68 00000006 00000001 00000001 ff 00000001 6c 00000004 000041ed',
    {
      type: 'name',
      id: 6,
      names: [{ name: bytes('\xff'), longName: bytes('l'), attributes: { permissions: 0o40755 } }],
    },
  ],
]

describe('a request', () => {
  test.each(requests)('encodes and decodes the request %s', (packet, request) => {
    expect(encodeRequest(request).toString('hex')).toBe(hex(packet).toString('hex'))
    expect(decodeRequest(hex(packet).subarray(4))).toEqual(request)
  })

  test('round-trips any request', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(decodeRequest(encodeRequest(request).subarray(4))).toEqual(request)
      }),
    )
  })

  test('ignores unknown bytes after a request', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        // For these types the trailing bytes are part of the message.
        fc.pre(request.type !== 'init' && request.type !== 'unknown')
        const longer = Buffer.concat([encodeRequest(request).subarray(4), Buffer.from('more')])
        expect(decodeRequest(longer)).toEqual(request)
      }),
    )
  })

  test('rejects a truncated request', () => {
    fc.assert(
      fc.property(anyRequest, fc.nat(), (request, cut) => {
        fc.pre(request.type !== 'init' && request.type !== 'unknown')
        const packet = encodeRequest(request).subarray(4)
        expect(() => decodeRequest(packet.subarray(0, cut % packet.length))).toThrow(MalformedPacket)
      }),
    )
  })
})

describe('a reply', () => {
  test.each(replies)('encodes and decodes the reply %s', (packet, reply) => {
    expect(encodeReply(reply).toString('hex')).toBe(hex(packet).toString('hex'))
    expect(decodeReply(hex(packet).subarray(4))).toEqual(reply)
  })

  test('round-trips any reply', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(decodeReply(encodeReply(reply).subarray(4))).toEqual(reply)
      }),
    )
  })

  test('frames data in place', () => {
    const memory = Buffer.alloc(DATA_HEADER_BYTES + 100, 'x')
    const expected = encodeReply({ type: 'data', id: 77, data: Buffer.alloc(60, 'x') })
    expect(frameData(memory, 77, 60)).toEqual(expected)
  })

  test('decodes a status without message and language', () => {
    expect(decodeReply(hex('65 00000001 00000004'))).toEqual({
      type: 'status',
      id: 1,
      code: 4,
      message: '',
      language: '',
    })
  })

  test('decodes the payload of an extended reply', () => {
    const limits = { packetBytes: 262_144n, readBytes: 261_120n, writeBytes: 261_120n, openHandles: 0n }
    const encoded = hex('0000000000040000 000000000003fc00 000000000003fc00 0000000000000000')
    expect(limitsReply.encode(limits)).toEqual(encoded)
    expect(limitsReply.decode(limitsReply.encode(limits))).toEqual(limits)
    const named = { users: hex('00000004 726f6f74 00000000'), groups: hex('') }
    expect(idNamesReply.decode(idNamesReply.encode(named))).toEqual(named)
    const numbers = Buffer.alloc(88)
    for (let index = 0; index < 11; index += 1) numbers.writeBigUInt64BE(BigInt(index), index * 8)
    const { bsize, fsid, namemax } = statvfsReply.decode(numbers)
    expect([bsize, fsid, namemax]).toEqual([0n, 8n, 10n])
  })
})

test('any bytes decode to a message or are rejected as malformed', () => {
  const bounded = (decode: (packet: Uint8Array) => unknown) => (packet: Uint8Array) => {
    try {
      decode(packet)
      return true
    } catch (error) {
      return error instanceof MalformedPacket
    }
  }
  const likely = fc.tuple(fc.constantFrom(1, 3, 6, 9, 20, 101, 104, 105, 200, 255), fc.uint8Array({ maxLength: 200 }))
  const packet = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    likely.map(([type, rest]) => Uint8Array.of(type, ...rest)),
  )
  for (const decode of [decodeRequest, decodeReply]) {
    expect(fc.check(fc.property(packet, bounded(decode)), { numRuns: 2_000 }).failed).toBe(false)
  }
})

test('allocates nothing for an announced count of four billion names', () => {
  expect(() => decodeReply(hex('68 00000001 ffffffff'))).toThrow(MalformedPacket)
  expect(() => decodeRequest(hex('09 00000001 00000000 80000000 ffffffff'))).toThrow(MalformedPacket)
})
