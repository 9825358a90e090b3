// Messages of services and visitors that HTTP libraries refuse to pass on: each ends its own exchange, at once, and
// leaves nothing behind.
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { get as getSecurely } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import {
  TUNNEL_SETTINGS,
  ask,
  httpService,
  listening,
  openTunnel,
  tcpService,
  tunnelDevice,
} from '../../testing/device.ts'
import { certificateFiles } from '../../testing/tls.ts'

let server: BootedServer
let person: Person
let pin: Uint8Array
beforeAll(async () => {
  const files = await certificateFiles()
  // For the clients of this process: the server's certificate is its own.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const settings = { BOWLINE_TLS_CERT_FILE: files.cert, BOWLINE_TLS_KEY_FILE: files.key }
  server = await bootServer({ settings: { ...TUNNEL_SETTINGS, ...settings } })
  person = await server.setUpAccount()
  pin = files.pin
})
afterAll(async () => {
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  await server.close()
})

async function tunnelTo(port: number, options: Parameters<typeof openTunnel>[3] = {}): Promise<string> {
  const device = await tunnelDevice(server, person, undefined, [pin])
  return (await openTunnel(person, device, port, options)).full_address
}

function session(host: string): ClientHttp2Session {
  const { port } = new URL(server.origin)
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', servername: host, ALPNProtocols: ['h2'] })
  const opened = connectHttp2(`https://${host}:${port}`, { createConnection: () => socket })
  opened.on('error', () => undefined)
  onTestFinished(() => opened.destroy())
  return opened
}

interface Seen {
  readonly status: unknown
  readonly type: unknown
  readonly trailer: unknown
}

/** One GET over HTTP/2. @returns once its stream has closed */
function get(host: string): Promise<Seen> {
  const stream = session(host).request({ ':path': '/' })
  const seen: { -readonly [Key in keyof Seen]: Seen[Key] } = { status: undefined, type: undefined, trailer: undefined }
  stream.on('response', (headers) => {
    seen.status = headers[':status']
    seen.type = headers['content-type']
  })
  stream.on('trailers', (fields) => (seen.trailer = fields['etag']))
  stream.on('error', () => undefined)
  stream.resume()
  return new Promise((resolve) => stream.once('close', () => resolve(seen)))
}

/** A service that writes these bytes to every connection. */
const rawService = (text: string): Promise<number> =>
  tcpService((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(text, 'latin1'))
  })

/** A service by HTTP/2 that answers every request with these fields, which no library would send. */
function rawHttp2Service(fields: readonly (readonly [name: string, value: string])[]): Promise<number> {
  const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
    const bytes = Buffer.alloc(9 + payload.length)
    bytes.writeUIntBE(payload.length, 0, 3)
    bytes[3] = type
    bytes[4] = flags
    bytes.writeUInt32BE(stream, 5)
    payload.copy(bytes, 9)
    return bytes
  }
  // HPACK: literal fields without indexing (RFC 7541 section 6.2.2).
  const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)])
  const block = Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])))
  return tcpService((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const settings = frame(4, 0, 0, Buffer.alloc(0))
      const answer = [frame(1, 4, 1, block), frame(0, 1, 1, Buffer.from('ok'))]
      socket.write(Buffer.concat([settings, frame(4, 1, 0, Buffer.alloc(0)), ...answer]))
    })
  })
}

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`
const trailers = `2\r\nok\r\n0\r\n${head('ETag: "a"', 'ETag: "b"')}`

describe('a visitor by HTTP/2', () => {
  it('gets the first of the values that may be there once', async () => {
    const text = head(
      'HTTP/1.1 200 OK',
      'Content-Type: a/b',
      'Content-Type: c/d',
      'ETag: 1',
      'ETag: 2',
      'Connection: close',
    )
    expect(await get(await tunnelTo(await rawService(`${text}ok`)))).toMatchObject({ status: 200, type: 'a/b' })
  })

  it('gets one of trailers that come twice, and the server lives on', async () => {
    const text = `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Trailer: ETag')}${trailers}`
    const host = await tunnelTo(await rawService(text))
    expect(await get(host)).toMatchObject({ status: 200, trailer: '"a"' })
    expect((await fetchInfo()).status).toBe(200)
  })

  it.each([600, 999])('gets 502 for the status %i', async (status) => {
    const text = head(`HTTP/1.1 ${status} X`, 'Content-Length: 2')
    expect(await get(await tunnelTo(await rawService(`${text}ok`)))).toMatchObject({ status: 502 })
  })

  it('gets 502 where a service by HTTP/2 sends what HTTP/2 refuses, and the server lives on', async () => {
    const host = await tunnelTo(await rawHttp2Service([[':status', '600']]), { http2: true })
    expect(await get(host)).toMatchObject({ status: 502 })
    const twice = await tunnelTo(
      await rawHttp2Service([
        [':status', '200'],
        ['content-type', 'a/b'],
        ['content-type', 'c/d'],
      ]),
      { http2: true },
    )
    expect(await get(twice)).toMatchObject({ status: 200, type: 'a/b' })
    expect((await fetchInfo()).status).toBe(200)
  })
})

describe('a visitor whose request HTTP/2 refuses', () => {
  const raw = (host: string, lines: readonly string[], body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(plain.origin)
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head(...lines, `Host: ${host}`) + body))
      let heard = ''
      socket.on('data', (chunk) => (heard += String(chunk)))
      socket.on('close', () => resolve(heard))
      socket.on('error', reject)
    })

  let plain: BootedServer
  let owner: Person
  beforeAll(async () => {
    plain = await bootServer({ settings: TUNNEL_SETTINGS })
    owner = await plain.setUpAccount()
  })
  afterAll(() => plain.close())

  it('with a header twice gets an answer, and leaves no connection at the service', async () => {
    const service = createHttp2Server((_, answer) => answer.end('reached'))
    let open = 0
    service.on('connection', (socket) => {
      open += 1
      socket.on('close', () => (open -= 1))
    })
    const device = await tunnelDevice(plain, owner)
    const tunnel = await openTunnel(owner, device, await listening(service), { http2: true })
    for (let round = 0; round < 20; round += 1) {
      const twice = ['GET / HTTP/1.1', 'Content-Type: a/b', 'Content-Type: c/d', 'Connection: close']
      expect(await raw(tunnel.full_address, twice)).toMatch(/^HTTP\/1\.1 200/)
    }
    await until(() => open === 0)
  })

  it('with trailers twice gets an answer, and the server lives on', async () => {
    const service = createHttp2Server((incoming, answer) => {
      incoming.resume()
      incoming.on('end', () => answer.end('taken'))
    })
    const device = await tunnelDevice(plain, owner)
    const tunnel = await openTunnel(owner, device, await listening(service), { http2: true })
    const lines = ['POST / HTTP/1.1', 'Transfer-Encoding: chunked', 'Connection: close']
    expect(await raw(tunnel.full_address, lines, trailers)).toMatch(/^HTTP\/1\.1 200[^]*taken/)
  })

  it('loses no body by offering an upgrade beside it', async () => {
    const port = await httpService((incoming, answer) => {
      let body = ''
      incoming.on('data', (chunk) => (body += String(chunk)))
      incoming.on('end', () => answer.end(`got ${body} ${String(incoming.headers.upgrade)}`))
    })
    const device = await tunnelDevice(plain, owner)
    const { full_address: host } = await openTunnel(owner, device, port)
    const headers = { connection: 'Upgrade', upgrade: 'h2c' }
    const answer = await ask(plain, host, { method: 'POST', headers, body: 'everything' })
    expect(answer.text).toBe('got everything undefined')
  })

  it('never gets half an answer to an upgrade as a whole one', async () => {
    const text = `${head('HTTP/1.1 403 Forbidden', 'Content-Length: 1000')}half of the answer`
    const device = await tunnelDevice(plain, owner)
    const { full_address: host } = await openTunnel(owner, device, await rawService(text))
    const upgrade = ['GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket']
    const heard = await raw(host, upgrade).catch((error: unknown) => String(error))
    expect(heard).toMatch(/content-length: 1000/i)
    expect(heard).not.toMatch(/502|0\r\n\r\n$/)
  })

  it('gets a refused upgrade of unknown length whole, in chunks', async () => {
    const port = await httpService((_, answer) => {
      answer.writeHead(403)
      answer.write('not ')
      answer.end('here')
    })
    const device = await tunnelDevice(plain, owner)
    const { full_address: host } = await openTunnel(owner, device, port)
    const answer = await ask(plain, host, { headers: { connection: 'Upgrade', upgrade: 'websocket' } })
    expect([answer.status, answer.text]).toEqual([403, 'not here'])
  })

  it('gets one 100 Continue, and only when it waits for one', async () => {
    const port = await tcpService((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(head('HTTP/1.1 100 Continue').repeat(5))
        socket.end(`${head('HTTP/1.1 200 OK', 'Content-Length: 2')}ok`)
      })
    })
    const device = await tunnelDevice(plain, owner)
    const { full_address: host } = await openTunnel(owner, device, port)
    const unasked = await raw(host, ['GET / HTTP/1.1', 'Connection: close'])
    expect(unasked.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    const asked = ['POST / HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close']
    expect((await raw(host, asked, 'hi')).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })

  it('is not flooded with interim answers', async () => {
    const port = await tcpService((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(head('HTTP/1.1 103 Early Hints').repeat(5_000)))
    })
    const device = await tunnelDevice(plain, owner)
    const { full_address: host } = await openTunnel(owner, device, port)
    expect(await raw(host, ['GET / HTTP/1.1', 'Connection: close'])).toMatch(/^HTTP\/1\.1 502/)
  })

  it.each([
    ['a port out of range', ['GET / HTTP/1.1'], ':99999'],
    ['a fragment', ['GET /a#b HTTP/1.1'], ''],
  ])('is refused with %s', async (_name, lines, suffix) => {
    const device = await tunnelDevice(plain, owner)
    const port = await httpService((_, answer) => answer.end('reached'))
    const { full_address: host } = await openTunnel(owner, device, port)
    expect(await raw(host + suffix, [...lines, 'Connection: close'])).toMatch(/^HTTP\/1\.1 400/)
  })

  it('cannot claim an address with underscores', async () => {
    const device = await tunnelDevice(plain, owner)
    const port = await httpService((incoming, answer) => answer.end(incoming.rawHeaders.join('|').toLowerCase()))
    const { full_address: host } = await openTunnel(owner, device, port)
    const { text } = await ask(plain, host, { headers: { X_Forwarded_For: '203.0.113.1' } })
    expect(text).not.toContain('203.0.113.1')
  })
})

/** The server still answers. */
function fetchInfo(): Promise<{ readonly status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const asking = getSecurely(`${server.origin}/info`, (answer) => resolve({ status: answer.resume().statusCode }))
    asking.on('error', reject)
  })
}
