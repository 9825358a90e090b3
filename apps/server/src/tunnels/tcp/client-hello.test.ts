// The parser of first messages of TLS, with those of real clients, cut and broken ones.
import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ClientHello, MAX_HELLO_BYTES, readClientHello } from './client-hello.ts'

const NAME = `${'0123456789abcdef'.repeat(2)}.tunnels.example`
const RUNS = { numRuns: 400, seed: 20_261_123 }

/** First bytes of a client, which gets no answer. */
async function firstBytes(start: (port: number) => void): Promise<Buffer> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const received = new Promise<Buffer>((resolve) => {
    server.once('connection', (socket) => {
      socket.on('error', () => undefined)
      let bytes = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk])
        if (bytes.length < 5 || bytes.length < 5 + bytes.readUInt16BE(3)) return
        socket.destroy()
        resolve(bytes)
      })
    })
  })
  start((server.address() as AddressInfo).port)
  return received
}

function nodeHello(options: { servername?: string; ALPNProtocols?: string[]; maxVersion?: 'TLSv1.2' }) {
  return firstBytes((port) => {
    connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }).on('error', () => undefined)
  })
}

function opensslHello(...options: string[]): Promise<Buffer> {
  return firstBytes((port) => {
    const client = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...options], { stdio: 'ignore' })
    onTestFinished(() => void client.kill())
  })
}

/** The same message in records of at most `size` bytes. */
function fragmented(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const withLength = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes])
const extension = (type: number, body: Buffer): Buffer => Buffer.concat([u16(type), withLength(body)])
const nameEntry = (name: string, type = 0): Buffer =>
  Buffer.concat([Buffer.from([type]), withLength(Buffer.from(name))])
const serverName = (...entries: Buffer[]): Buffer => extension(0, withLength(Buffer.concat(entries)))

/** A message with these extensions, in one record. */
function helloWith(...extensions: Buffer[]): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 0x01, 1, 0]),
    withLength(Buffer.concat(extensions)),
  ])
  const message = Buffer.concat([Buffer.from([1, 0]), withLength(body)])
  return Buffer.concat([Buffer.from([22, 3, 1]), withLength(message)])
}

const hello = (name: string | undefined, protocols: string[] = []): ClientHello => ({ kind: 'hello', name, protocols })
const fault = (why: string) => ({ kind: 'fault', fault: why })

describe('messages of real clients', () => {
  it('finds name and protocols of node:tls, in TLS 1.3 and 1.2', async () => {
    const bytes = await nodeHello({ servername: NAME, ALPNProtocols: ['postgresql', 'h2'] })
    expect(readClientHello(bytes)).toEqual(hello(NAME, ['postgresql', 'h2']))
    expect(readClientHello(await nodeHello({ servername: NAME, maxVersion: 'TLSv1.2' }))).toEqual(hello(NAME))
    expect(readClientHello(await nodeHello({}))).toEqual(hello(undefined))
  })

  it('finds name and protocols of openssl', async () => {
    const bytes = await opensslHello('-servername', NAME.toUpperCase(), '-alpn', 'acme-tls/1,http/1.1')
    expect(readClientHello(bytes)).toEqual(hello(NAME, ['acme-tls/1', 'http/1.1']))
    expect(readClientHello(await opensslHello('-noservername', '-tls1_2'))).toEqual(hello(undefined))
    expect(readClientHello(await opensslHello('-servername', NAME, '-split_send_frag', '512'))).toEqual(hello(NAME))
  })

  it('joins a message from several records, and ignores what follows it', async () => {
    const bytes = await nodeHello({ servername: NAME })
    for (const size of [32, 100, 255]) {
      expect(readClientHello(fragmented(bytes, size))).toEqual(hello(NAME))
    }
    expect(readClientHello(Buffer.concat([bytes, Buffer.from('early data')]))).toEqual(hello(NAME))
  })

  it('asks for more at every cut, for no more than there is, and reads the whole in the end', async () => {
    const whole = await nodeHello({ servername: NAME, ALPNProtocols: ['h2'] })
    for (const bytes of [whole, fragmented(whole, 60)]) {
      let looks = 0
      let needs = 0
      for (let length = 0; length < bytes.length; length += 1) {
        const seen = readClientHello(bytes.subarray(0, length))
        if (seen.kind !== 'incomplete') throw new Error(`${length} bytes of ${bytes.length} are ${seen.kind}`)
        expect(seen.needs).toBeGreaterThan(length)
        expect(seen.needs).toBeLessThanOrEqual(bytes.length)
        if (length < needs) continue
        needs = seen.needs
        looks += 1
      }
      // Each record costs a look for its header and one for its rest, however slowly the bytes come.
      expect(looks).toBeLessThan(2 * Math.ceil(whole.length / 60) + 8)
      expect(readClientHello(bytes)).toEqual(hello(NAME, ['h2']))
    }
  })
})

describe('what is no valid message', () => {
  it('recognises other protocols by their first bytes', () => {
    for (const text of ['GET / HTTP/1.1\r\n', 'SSH-2.0-x\r\n', '\0\0\0\x08\x04\xd2\x16\x2f', '\x16\x02\x01']) {
      expect(readClientHello(Buffer.from(text, 'latin1'))).toEqual(fault('not-tls'))
    }
    // An alert, and a message that only servers send.
    expect(readClientHello(Buffer.from([21, 3, 3, 0, 2, 2, 40]))).toEqual(fault('not-tls'))
    expect(readClientHello(Buffer.from([22, 3, 3, 0, 4, 2, 0, 0, 0]))).toEqual(fault('malformed'))
  })

  it('refuses messages and records that are too long, before they have come', () => {
    const start = Buffer.from([22, 3, 1, 0x40, 0])
    const length = MAX_HELLO_BYTES
    const long = Buffer.concat([start, Buffer.from([1, 0, length >> 8, length & 255])])
    expect(readClientHello(long)).toEqual(fault('too-long'))
    expect(readClientHello(Buffer.from([22, 3, 1, 0x40, 1]))).toEqual(fault('malformed'))
    expect(readClientHello(Buffer.from([22, 3, 1, 0, 0]))).toEqual(fault('malformed'))
    const crumbs = fragmented(helloWith(serverName(nameEntry(NAME))), 1)
    expect(readClientHello(crumbs)).toEqual(fault('malformed'))
  })

  it('refuses several names, several equal extensions and names that are none', () => {
    const named = serverName(nameEntry(NAME))
    expect(readClientHello(helloWith(named))).toEqual(hello(NAME))
    for (const bytes of [
      helloWith(named, named),
      helloWith(serverName(nameEntry(NAME), nameEntry('other.example'))),
      helloWith(serverName(nameEntry(NAME, 1))),
      helloWith(serverName()),
      helloWith(serverName(nameEntry(''))),
      helloWith(serverName(nameEntry(`${NAME}\0.example`))),
      helloWith(serverName(nameEntry('bücher.example'))),
      helloWith(serverName(nameEntry('a'.repeat(256)))),
      helloWith(extension(0, Buffer.alloc(0))),
      helloWith(named, extension(16, withLength(Buffer.from([0])))),
      helloWith(named, extension(16, withLength(Buffer.alloc(0)))),
      helloWith(named, Buffer.from([0])),
    ]) {
      expect(readClientHello(bytes)).toEqual(fault('malformed'))
    }
  })

  it('never throws, and finds no other name, in messages with changed bytes', async () => {
    const real = await nodeHello({ servername: NAME, ALPNProtocols: ['h2', 'http/1.1'] })
    const change = fc.record({ at: fc.nat(real.length - 1), value: fc.nat(255) })
    const changed = fc.property(
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.nat(real.length),
      (list, length) => {
        const bytes = Buffer.from(real)
        for (const { at, value } of list) bytes[at] = value
        return [bytes, bytes.subarray(0, length), fragmented(bytes, 64)].every(isSound)
      },
    )
    expect(fc.check(changed, RUNS)).toMatchObject({ failed: false })
  })

  it('never throws for random bytes, as they are or in a record', () => {
    const random = fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const message = Buffer.concat([Buffer.from([1, 0]), withLength(Buffer.from(bytes))])
      return [Buffer.from(bytes), Buffer.concat([Buffer.from([22, 3, 1]), withLength(message)])].every(isSound)
    })
    expect(fc.check(random, RUNS)).toMatchObject({ failed: false })
  })
})

/** The parser has asked for more than there is, has found a name that could be one, or has named a fault. */
function isSound(bytes: Buffer): boolean {
  const seen = readClientHello(bytes)
  if (seen.kind === 'incomplete') return seen.needs > bytes.length
  return seen.kind === 'fault' || seen.name === undefined || /^[\w.:-]{1,255}$/.test(seen.name)
}
