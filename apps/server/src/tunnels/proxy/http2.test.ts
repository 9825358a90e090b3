// HTTP/2 from visitors on a server with TLS, and to services: gRPC needs both.
import { execFileSync } from 'node:child_process'
import { X509Certificate, createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import {
  type ClientHttp2Session,
  type ServerHttp2Stream,
  connect as connectHttp2,
  createServer as createHttp2Server,
} from 'node:http2'
import { createServer as createHttpsServer, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { startSlowTlsServer } from '@bowline/testkit/slow-tls-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createServer } from 'node:http'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import {
  DOMAIN,
  TUNNEL_SETTINGS,
  ask,
  httpService,
  listening,
  openTunnel,
  tcpService,
  tunnelDevice,
} from '../testing/device.ts'

let server: BootedServer
let person: Person
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-tls-'))
  const names = `subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:*.${DOMAIN}`
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', [...kind, ...files, '-subj', '/CN=localhost', '-addext', names], { stdio: 'ignore' })
  server = await bootServer({ settings: TUNNEL_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const pins = (): Uint8Array[] => [
  createHash('sha256')
    .update(spkiOf(pem('cert.pem')))
    .digest(),
]
const spkiOf = (cert: string): Buffer => new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
const pem = (name: string): string => readFileSync(join(folder, name), 'utf8')
const tlsSettings = () => ({
  ...TUNNEL_SETTINGS,
  BOWLINE_TLS_CERT_FILE: join(folder, 'cert.pem'),
  BOWLINE_TLS_KEY_FILE: join(folder, 'key.pem'),
})

describe('services', () => {
  it('reaches a service by TLS, verified or not as the tunnel says', async () => {
    const service = createHttpsServer({ cert: pem('cert.pem'), key: pem('key.pem') }, (incoming, answer) =>
      answer.end(`${String(incoming.headers['x-forwarded-proto'])} secured`),
    )
    const port = await listening(service)
    const device = await tunnelDevice(server, person)
    const { full_address: host } = await openTunnel(person, device, port, { tls: 'insecure' })
    expect((await ask(server, host)).text).toBe('http secured')
    await openTunnel(person, device, port, { tls: 'verify' })
    const refused = await ask(server, host, { headers: { accept: 'application/json' } })
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      502,
      { code: 'TUNNEL_CERTIFICATE', message: 'The certificate of the service could not be verified.' },
    ])
  })

  it('computes no key exchange in a group that a service chooses', async () => {
    const slow = await startSlowTlsServer()
    onTestFinished(() => slow.close())
    const device = await tunnelDevice(server, person)
    const { full_address: host } = await openTunnel(person, device, slow.port, { tls: 'insecure' })
    expect((await ask(server, host)).status).toBe(502)
    expect(slow.handshakes()).toBe(0)
  })

  it('speaks HTTP/2 to a service that asks for it', async () => {
    const service = createHttp2Server((incoming, answer) => {
      answer.setHeader('x-seen', `${incoming.httpVersion} ${incoming.method} ${incoming.authority}`)
      incoming.pipe(answer)
    })
    const device = await tunnelDevice(server, person)
    const { full_address: host } = await openTunnel(person, device, await listening(service), { http2: true })
    const answer = await ask(server, host, { method: 'POST', body: 'hello' })
    expect([answer.status, answer.headers['x-seen'], answer.text]).toEqual([200, `2.0 POST ${host}`, 'hello'])
  })
})

describe('visitors over TLS', () => {
  let secure: BootedServer
  beforeAll(async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    secure = await bootServer({ settings: tlsSettings() })
    await secure.setUpAccount()
  })
  afterAll(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    await secure.close()
  })

  const session = (host: string): ClientHttp2Session => {
    const { port } = new URL(secure.origin)
    const socket = connectTls({ port: Number(port), host: '127.0.0.1', servername: host, ALPNProtocols: ['h2'] })
    const opened = connectHttp2(`https://${host}:${port}`, { createConnection: () => socket })
    onTestFinished(() => opened.destroy())
    return opened
  }
  let count = 0
  const tunnel = async (port: number, options = {}) => {
    count += 1
    const visitor = await secure.addPerson(`visitor${count}`)
    return (await openTunnel(visitor, await tunnelDevice(secure, visitor, undefined, pins()), port, options))
      .full_address
  }

  it('carries bodies both ways between HTTP/2 and HTTP/1.1', async () => {
    const bytes = randomBytes(4 * 1024 * 1024)
    const port = await httpService((incoming, answer) => {
      answer.writeHead(200, { 'x-seen': `${incoming.httpVersion} ${String(incoming.headers['x-forwarded-proto'])}` })
      incoming.pipe(answer)
    })
    const stream = session(await tunnel(port)).request({ ':method': 'POST', ':path': '/' })
    let seen: unknown
    const hash = createHash('sha256')
    stream.on('response', (headers) => (seen = [headers[':status'], headers['x-seen']]))
    stream.on('data', (chunk: Buffer) => hash.update(chunk))
    stream.end(bytes)
    await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject))
    expect(seen).toEqual([200, '1.1 https'])
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('carries gRPC: many streams on one connection, and trailers', async () => {
    const service = createHttp2Server()
    service.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'x-te': String(headers['te']) },
        { waitForTrailers: true },
      )
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }))
      stream.pipe(stream)
    })
    const client = session(await tunnel(await listening(service), { http2: true }))
    const call = (text: string) =>
      new Promise((resolve, reject) => {
        const headers = {
          ':method': 'POST',
          ':path': '/echo.Echo/Say',
          te: 'trailers',
          'content-type': 'application/grpc',
        }
        const stream = client.request(headers)
        let heard = ''
        let te: unknown
        let status: unknown
        stream.on('response', (fields) => (te = fields['x-te']))
        stream.on('trailers', (fields) => (status = fields['grpc-status']))
        stream.on('data', (chunk) => (heard += String(chunk)))
        stream.on('error', reject)
        stream.on('end', () => resolve([heard, te, status]))
        stream.end(text)
      })
    const texts = Array.from({ length: 20 }, (_, i) => `message ${i}`)
    expect(await Promise.all(texts.map(call))).toEqual(texts.map((text) => [text, 'trailers', '0']))
  })

  it('carries a failed call of gRPC, whose answer is a head alone', async () => {
    const service = createHttp2Server()
    service.on('stream', (stream: ServerHttp2Stream) => {
      const fields = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12', 'grpc-message': 'none' }
      stream.respond(fields, { endStream: true })
    })
    const client = session(await tunnel(await listening(service), { http2: true }))
    const stream = client.request({ ':method': 'POST', ':path': '/echo.Echo/Missing', te: 'trailers' })
    stream.end('request')
    const answer = await new Promise((resolve, reject) => {
      stream.on('error', reject)
      stream.on('response', (fields, flags) => resolve([fields['grpc-status'], fields['grpc-message'], flags & 1]))
    })
    // END_STREAM is the first bit: clients look for the status there only then.
    expect(answer).toEqual(['12', 'none', 1])
  })

  it('asks a client to stop whose request has been answered before its end', async () => {
    const port = await tcpService((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno'))
      socket.on('error', () => undefined)
    })
    const stream = session(await tunnel(port)).request({ ':method': 'POST', ':path': '/' })
    const chunk = Buffer.alloc(16_384)
    const send = (): void => void (stream.destroyed || stream.write(chunk, send))
    send()
    let status: unknown
    stream.on('response', (headers) => (status = headers[':status'])).resume()
    await new Promise((resolve, reject) => stream.once('close', resolve).once('error', reject))
    expect([status, stream.rstCode]).toEqual([413, 0])
  })

  it('lets a service of HTTP/2 decide about 100 Continue', async () => {
    const service = createHttp2Server((_, answer) => answer.end('taken'))
    service.on('checkContinue', (_, answer) => {
      answer.statusCode = 417
      answer.end()
    })
    const client = session(await tunnel(await listening(service), { http2: true }))
    const stream = client.request({ ':method': 'POST', ':path': '/', expect: '100-continue' })
    const statuses: unknown[] = []
    stream.on('continue', () => statuses.push(100))
    await new Promise((resolve, reject) => {
      stream.on('response', (fields) => resolve(statuses.push(fields[':status'])))
      stream.on('error', reject)
    })
    expect(statuses).toEqual([417])
  })

  it('refuses an authority that differs from the Host header, and every host that is no tunnel', async () => {
    const host = await tunnel(await httpService((_, answer) => answer.end('reached')))
    const client = session(host)
    const status = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const stream = client.request({ ':path': '/', ...headers })
        stream.on('response', (fields) => resolve(fields[':status']))
        stream.on('error', () => resolve('reset'))
        stream.resume()
      })
    expect(await status({ ':authority': host })).toBe(200)
    expect(await status({ ':authority': host, host: 'other.example' })).toBe(400)
    expect(await status({ ':authority': 'console.example', ':path': '/api/login' })).toBe(421)
  })

  it('offers HTTP/2 for tunnel hosts only, and keeps WebSockets on HTTP/1.1', async () => {
    const { port } = new URL(secure.origin)
    const chosen = (servername: string) =>
      new Promise((resolve) => {
        const options = { port: Number(port), host: '127.0.0.1', servername, ALPNProtocols: ['h2', 'http/1.1'] }
        const socket = connectTls(options, () => {
          resolve(socket.alpnProtocol)
          socket.destroy()
        })
      })
    expect([await chosen('console.example'), await chosen(`x.${DOMAIN}`)]).toEqual(['http/1.1', 'h2'])
    const service = createServer()
    new WebSocketServer({ server: service }).on('connection', (socket) => socket.send('hello'))
    const host = await tunnel(await listening(service))
    const socket = new WebSocket(secure.origin.replace('https', 'wss'), { headers: { host } })
    onTestFinished(() => socket.terminate())
    expect(await new Promise((resolve) => socket.once('message', (data) => resolve((data as Buffer).toString())))).toBe(
      'hello',
    )
    const page = await new Promise((resolve) => {
      get(`${secure.origin}/info`, (answer) => resolve(answer.resume().statusCode))
    })
    expect(page).toBe(200)
  })
})
