// Packets through every protection, split at every boundary; and damaged packets.
import { randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { openerFor, sealerFor } from './algorithms.ts'
import { MAX_PACKET_LENGTH, PacketReader } from './packet-reader.ts'
import { PacketWriter } from './packet-writer.ts'

const MACS = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512']
const PROTECTIONS: [string, string][] = [
  ['chacha20-poly1305@openssh.com', ''],
  ['aes128-gcm@openssh.com', ''],
  ['aes256-gcm@openssh.com', ''],
  ...['aes128-ctr', 'aes256-ctr'].flatMap((cipher) => MACS.map((mac): [string, string] => [cipher, mac])),
]

/** A socket that collects what is written, and a function to take it. */
function sink() {
  const written: Buffer[] = []
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk)
      done()
    },
  })
  const take = () => {
    // Streams other than sockets are corked until the end of the event loop iteration.
    socket.uncork()
    return Buffer.concat(written.splice(0))
  }
  return { socket, written, take }
}

function pair(cipher: string, mac: string) {
  const material = new Map<string, Buffer>()
  const derive = (letter: string, bytes: number) => {
    const known = material.get(letter) ?? randomBytes(64)
    material.set(letter, known)
    return known.subarray(0, bytes)
  }
  const { socket, take } = sink()
  const writer = new PacketWriter(socket, () => undefined)
  const reader = new PacketReader()
  writer.install(sealerFor('server', cipher, mac, derive), true)
  reader.install(openerFor('client', cipher, mac, derive), true)
  const seal = (payload: Uint8Array) => {
    writer.write(payload.subarray(0, 3), [payload.subarray(3)])
    writer.flush()
    return take()
  }
  return { reader, seal }
}

/** Expected bytes of `packets` payloads sealed one by one under a nonce. */
function sealedWith(nonce: Buffer, packets: number): Buffer[] {
  const derive = (letter: string, bytes: number) => (letter === 'B' ? nonce : Buffer.alloc(bytes, letter))
  const sealer = sealerFor('server', 'aes128-gcm@openssh.com', '', derive)
  const packet = Buffer.concat([Buffer.from([0, 0, 0, 16, 10]), Buffer.alloc(15)])
  return Array.from({ length: packets }, () => {
    const out = Buffer.alloc(64)
    return out.subarray(0, sealer.seal(packet, 0, out, 0))
  })
}

function readAll(reader: PacketReader, chunks: readonly Buffer[]): Buffer[] {
  const payloads: Buffer[] = []
  for (const chunk of chunks) reader.push(chunk, (payload) => payloads.push(payload))
  return payloads
}

function reasonOf(run: () => unknown): string {
  try {
    run()
    return 'accepted'
  } catch (error) {
    return error instanceof Fault ? error.closeCause.reason : String(error)
  }
}

describe.each(PROTECTIONS)('%s %s', (cipher, mac) => {
  test('reads payloads of any size however the bytes are split', () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(1, 32_777, 33_000)), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 }), (lengths, cuts) => {
        const { reader, seal } = pair(cipher, mac)
        const payloads = lengths.map((length) => randomBytes(length))
        const wire = Buffer.concat(payloads.map(seal))
        const chunks: Buffer[] = []
        let at = 0
        for (const cut of cuts) {
          chunks.push(wire.subarray(at, at + cut))
          at += cut
        }
        chunks.push(wire.subarray(at))
        expect(Buffer.concat(readAll(reader, chunks)).equals(Buffer.concat(payloads))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('detects a flipped bit anywhere after the length', () => {
    const { seal } = pair(cipher, mac)
    const length = seal(randomBytes(40)).length
    for (let at = 4; at < length; at += 1) {
      const fresh = pair(cipher, mac)
      const wire = fresh.seal(randomBytes(40))
      wire[at] = (wire[at] ?? 0) ^ 0x10
      expect(reasonOf(() => readAll(fresh.reader, [wire]))).toBe('bad-mac')
    }
  })

  test('rejects a replayed or missing packet', () => {
    const replay = pair(cipher, mac)
    const first = replay.seal(randomBytes(40))
    readAll(replay.reader, [first])
    expect(['bad-mac', 'bad-packet-length']).toContain(reasonOf(() => readAll(replay.reader, [first, first])))

    const gap = pair(cipher, mac)
    gap.seal(randomBytes(40))
    const second = gap.seal(randomBytes(40))
    expect(['bad-mac', 'bad-packet-length']).toContain(reasonOf(() => readAll(gap.reader, [second, second])))
  })
})

describe('batching', () => {
  test('writes one event loop iteration’s packets as one buffer, and large packets four at a time', async () => {
    const { socket, written } = sink()
    const writer = new PacketWriter(socket, () => undefined)
    for (let sent = 0; sent < 100; sent += 1) writer.write(Buffer.alloc(20))
    expect(written.length).toBe(0)
    await new Promise(setImmediate)
    expect(written.map((buffer) => buffer.length)).toEqual([100 * 32])
    written.length = 0
    for (let sent = 0; sent < 5; sent += 1) writer.write(Buffer.alloc(9), [Buffer.alloc(32_768)])
    await new Promise(setImmediate)
    expect(written.map((buffer) => buffer.length)).toEqual([4 * 32_792, 32_792])
  })
})

describe('clear packets', () => {
  const clear = (length: number, body: Buffer) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(length)
    return Buffer.concat([head, body])
  }

  test.each([0, 1, 5, 11, MAX_PACKET_LENGTH + 1, 0x7fff_ffff, 0xffff_ffff])(
    'rejects a packet length of %i before buffering anything',
    (length) => {
      const reader = new PacketReader()
      expect(reasonOf(() => readAll(reader, [clear(length, Buffer.alloc(0))]))).toBe('bad-packet-length')
    },
  )

  test.each([0, 3, 12, 255])('rejects a padding length of %i in a packet of 12', (padding) => {
    const body = Buffer.alloc(12)
    body[0] = padding
    expect(reasonOf(() => readAll(new PacketReader(), [clear(12, body)]))).toBe('bad-padding')
  })
})

test('AES-GCM nonces count in their last eight bytes, with carry, and keep the first four', () => {
  const [, second] = sealedWith(Buffer.from('0a0b0c0d00000001ffffffff', 'hex'), 2)
  expect(second).toEqual(sealedWith(Buffer.from('0a0b0c0d0000000200000000', 'hex'), 1)[0])
  const [, wrapped] = sealedWith(Buffer.from('0a0b0c0dffffffffffffffff', 'hex'), 2)
  expect(wrapped).toEqual(sealedWith(Buffer.from('0a0b0c0d0000000000000000', 'hex'), 1)[0])
})
