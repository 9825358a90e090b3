// Requests of HTTP/2 that would be two in HTTP/1.1, by hand-made frames: clients of a library refuse to send them. None
// of them brings a second request, or a header of its own, to a service.
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TLSSocket, connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { selfSignedCertificate } from '../../../platform/network/certificate.ts'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { DOMAIN, TUNNEL_SETTINGS, openTunnel, tcpService, tunnelDevice } from '../../testing/device.ts'

type Field = readonly [name: string, value: string]

let folder: string
let server: BootedServer
let person: Person
let pin: Buffer
let host: string
/** What the service has read. */
let seen = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-tls-'))
  const { cert } = await selfSignedCertificate(folder, ['localhost', '127.0.0.1', `*.${DOMAIN}`])
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const tls = { BOWLINE_TLS_CERT_FILE: certFile, BOWLINE_TLS_KEY_FILE: keyFile }
  server = await bootServer({ settings: { ...TUNNEL_SETTINGS, ...tls } })
  person = await server.setUpAccount()
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  pin = createHash('sha256').update(key).digest()
})
beforeEach(async () => {
  const device = await tunnelDevice(server, person, undefined, [pin])
  const port = await tcpService((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      seen += bytes.toString('latin1')
      if (seen.includes('\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  host = (await openTunnel(person, device, port)).full_address
})
afterAll(async () => {
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  await server?.close()
  rmSync(folder, { recursive: true })
})

const HEADERS = 1
const DATA = 0
const SETTINGS = 4
const END_STREAM = 1
const END_HEADERS = 4

/** A frame (RFC 9113 section 4.1). */
function frame(type: number, flags: number, stream: number, content: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(content.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, content])
}

/** Literal fields without indexing and without Huffman codes (RFC 7541 section 6.2.2). */
const block = (fields: readonly Field[]): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]))

/** A string of up to 16,510 bytes (RFC 7541 sections 5.1 and 5.2). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  const left = bytes.length - 127
  const length = left < 0 ? [bytes.length] : left < 128 ? [127, left] : [127, (left & 127) | 128, left >> 7]
  return Buffer.concat([Buffer.from(length), bytes])
}

/** Sends one request. @returns the types of the frames that came for it, once its stream or the connection has ended */
async function send(fields: readonly Field[], body = ''): Promise<number[]> {
  seen = ''
  const socket: TLSSocket = connectTls({
    port: Number(new URL(server.origin).port),
    host: '127.0.0.1',
    servername: host,
    ALPNProtocols: ['h2'],
  })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)))
  socket.write(frame(HEADERS, END_HEADERS | (body === '' ? END_STREAM : 0), 1, block(fields)))
  if (body !== '') socket.write(frame(DATA, END_STREAM, 1, Buffer.from(body, 'latin1')))
  const types: number[] = []
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const [type = 0, flags = 0] = bytes.subarray(3)
      const stream = bytes.readUInt32BE(5)
      bytes = bytes.subarray(9 + bytes.readUIntBE(0, 3))
      if (stream !== 1) continue
      types.push(type)
      // The stream has ended, or was reset (type 3).
      if (type === 3 || (type < 2 && (flags & END_STREAM) !== 0)) return types
    }
  }
  return types
}

const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'
const fields = (...others: Field[]): Field[] => [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':authority', host],
  [':path', '/'],
  ...others,
]
/** The same with another value of a pseudo header. */
const withPseudo = (name: string, value: string): Field[] =>
  fields().map(([known, usual]) => [known, known === name ? value : usual])

it('carries an ordinary request of such frames', async () => {
  expect(await send(fields(['x-kind', 'ordinary']), 'hello')).toContain(HEADERS)
  expect(seen).toMatch(/^POST \/ HTTP\/1\.1\r\n/)
  expect(seen).toContain('x-kind: ordinary')
})

it.each<[string, () => Field[], string?]>([
  ['a line break in a value', () => fields(['x-a', `1\r\n\r\n${HIDDEN}`])],
  ['a bare LF in a value', () => fields(['x-a', `1\nTransfer-Encoding: chunked\n\n${HIDDEN}`])],
  ['a bare CR in a value', () => fields(['x-a', `1\rTransfer-Encoding: chunked\r\r${HIDDEN}`])],
  ['a NUL in a value', () => fields(['x-a', `1\0/hidden`])],
  ['a line break in a name', () => fields([`x-a: 1\r\n\r\n${HIDDEN}x`, '1'])],
  ['a colon in a name', () => fields(['x-a: /hidden\r\nx', '1'])],
  ['a space behind a name', () => fields(['transfer-encoding ', 'chunked']), `0\r\n\r\n${HIDDEN}`],
  ['capitals in a name', () => fields(['Transfer-Encoding', 'chunked']), `0\r\n\r\n${HIDDEN}`],
  ['an encoding', () => fields(['transfer-encoding', 'chunked']), `0\r\n\r\n${HIDDEN}`],
  ['an encoding that it calls its connection’s', () => fields(['connection', 'transfer-encoding']), HIDDEN],
  ['a length that is too short', () => fields(['content-length', '0']), HIDDEN],
  ['a length that is too long', () => fields(['content-length', '4000']), HIDDEN],
  ['two lengths', () => fields(['content-length', '0'], ['content-length', '34']), HIDDEN],
  ['a line break in the path', () => withPseudo(':path', `/ HTTP/1.1\r\nHost: x\r\n\r\nGET /hidden`)],
  ['a space in the path', () => withPseudo(':path', '/hidden HTTP/1.1 /')],
  ['a line break in the method', () => withPseudo(':method', `GET /hidden HTTP/1.1\r\nHost: x\r\n\r\nPOST`)],
  ['a space in the method', () => withPseudo(':method', 'GET /hidden HTTP/1.1 POST')],
  ['a line break in the authority', () => withPseudo(':authority', `${host}\r\n\r\n${HIDDEN}`)],
  ['a path twice', () => fields([':path', '/hidden'])],
  ['a pseudo header behind the others', () => fields(['x-a', '1'], [':path', '/hidden'])],
  ['an unknown pseudo header', () => fields([':hidden', '/hidden'])],
])('brings nothing hidden to a service with %s', async (_, made, body) => {
  await send(made(), body)
  // A body in the server's own framing hides nothing.
  const outside = body ? seen.replace(`${body.length.toString(16)}\r\n${body}\r\n`, '') : seen
  expect(outside).not.toContain('/hidden')
  expect(outside.match(/ HTTP\/1\.1\r\n/g)?.length ?? 0).toBeLessThanOrEqual(1)
  expect(outside).not.toMatch(/^transfer-encoding:(?! chunked\r$)/im)
})
