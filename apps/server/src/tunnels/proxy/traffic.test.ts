// Traffic of tunnels on a whole server, over HTTP/1.1.
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import type { FakeDevice } from '../../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, httpService, openTunnel, tcpService, tunnelDevice } from '../testing/device.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: TUNNEL_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

async function tunnelTo(port: number, options = {}): Promise<{ host: string; device: FakeDevice; address: string }> {
  const device = await tunnelDevice(server, person)
  const tunnel = await openTunnel(person, device, port, options)
  return { host: tunnel.full_address, device, address: tunnel.address }
}

it('carries method, path, query, headers and body to the service and its answer back', async () => {
  const port = await httpService((incoming, answer) => {
    let body = ''
    incoming.on('data', (chunk) => (body += String(chunk)))
    incoming.on('end', () => {
      answer.writeHead(207, 'Multi', { 'X-Seen': `${incoming.method} ${incoming.url}`, 'Content-Type': 'text/plain' })
      answer.end(`${String(incoming.headers['x-mine'])}:${body}`)
    })
  })
  const { host } = await tunnelTo(port)
  const answer = await ask(server, host, {
    method: 'PUT',
    path: '/a%2Fb//c?x=1&y',
    headers: { 'x-mine': 'v' },
    body: 'hey',
  })
  expect([answer.status, answer.headers['x-seen'], answer.text]).toEqual([207, 'PUT /a%2Fb//c?x=1&y', 'v:hey'])
})

it('reaches paths that no route of this server could parse', async () => {
  const port = await httpService((incoming, answer) => answer.end(incoming.url))
  const { host } = await tunnelTo(port)
  for (const path of ['/%zz', '/api/login', '/%', '/?%00', `/${'x'.repeat(4_000)}`]) {
    expect((await ask(server, host, { path })).text).toBe(path)
  }
})

it('names the client itself: claims of the client are dropped', async () => {
  const port = await httpService((incoming, answer) => answer.end(JSON.stringify(incoming.headers)))
  const { host } = await tunnelTo(port)
  const { text } = await ask(server, host, {
    headers: {
      'x-forwarded-for': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-forwarded-port': '1',
      connection: 'close, x-secret',
      'x-secret': '1',
      'proxy-authorization': 'Basic eA==',
      authorization: 'Bearer own',
      cookie: 'a=1; bowline=token; __Host-bowline-device=x; b=2',
    },
  })
  expect(JSON.parse(text)).toEqual({
    host,
    connection: 'keep-alive',
    authorization: 'Bearer own',
    cookie: 'a=1; b=2',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
  })
})

it('sends the host of the tunnel’s setting to the service', async () => {
  const port = await httpService((incoming, answer) => answer.end(incoming.headers.host))
  const { host } = await tunnelTo(port, { host_header: 'printer.local:8080' })
  expect((await ask(server, host)).text).toBe('printer.local:8080')
})

it('keeps cookies of a service on its own host and drops headers that act beyond it', async () => {
  const port = await httpService((_, answer) => {
    answer.setHeader('Set-Cookie', [
      'a=1; Domain=tunnels.example; Path=/',
      'b=2; HttpOnly',
      '__Host-bowline-tunnel=x; Secure',
    ])
    answer.setHeader('Clear-Site-Data', '"cookies"')
    answer.setHeader('Alt-Svc', 'h2=":1"')
    answer.end()
  })
  const { host } = await tunnelTo(port)
  const { headers } = await ask(server, host)
  expect(headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; HttpOnly'])
  expect([headers['clear-site-data'], headers['alt-svc']]).toEqual([undefined, undefined])
})

it('carries 64 MiB both ways unchanged', { timeout: 120_000 }, async () => {
  const bytes = randomBytes(64 * 1024 * 1024)
  const port = await httpService((incoming, answer) => {
    answer.writeHead(200, { 'content-length': incoming.headers['content-length'] })
    incoming.pipe(answer)
  })
  const { host } = await tunnelTo(port)
  const answer = await ask(server, host, {
    method: 'POST',
    body: bytes,
    headers: { 'content-length': String(bytes.length) },
  })
  expect(sha256(answer.body)).toBe(sha256(bytes))
})

it('carries chunked bodies and trailers both ways', async () => {
  const port = await httpService((incoming, answer) => {
    answer.writeHead(200, { Trailer: 'X-Sum' })
    incoming.on('data', (chunk) => answer.write(chunk))
    incoming.on('end', () => {
      answer.addTrailers({
        'X-Sum': `${String(incoming.headers['transfer-encoding'])} ${String(incoming.trailers['x-in'])}`,
      })
      answer.end()
    })
  })
  const { host } = await tunnelTo(port)
  const { hostname, port: own } = new URL(server.origin)
  const answer = await new Promise<{ text: string; sum: string | undefined }>((resolve, reject) => {
    const outgoing = request({ hostname, port: own, method: 'POST', headers: { host, trailer: 'X-In' }, agent: false })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ text, sum: response.trailers['x-sum'] }))
    })
    outgoing.write('one ')
    outgoing.write('two')
    outgoing.addTrailers({ 'X-In': 'done' })
    outgoing.end()
  })
  expect(answer).toEqual({ text: 'one two', sum: 'chunked done' })
})

it('delivers events as they come, and answers HEAD, 204, 304 and ranges', async () => {
  const port = await httpService((incoming, answer) => {
    if (incoming.url === '/events') {
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.flushHeaders()
      return
    }
    if (incoming.url === '/range') {
      answer.writeHead(206, { 'content-range': 'bytes 0-1/4' })
      return answer.end(String(incoming.headers.range))
    }
    answer.writeHead(Number(incoming.url?.slice(1)), {
      etag: 'x',
      ...(incoming.method === 'HEAD' ? { 'content-length': 7 } : {}),
    })
    answer.end()
  })
  const { host } = await tunnelTo(port)
  expect((await ask(server, host, { path: '/204' })).status).toBe(204)
  expect((await ask(server, host, { path: '/304' })).status).toBe(304)
  expect((await ask(server, host, { path: '/200', method: 'HEAD' })).headers['content-length']).toBe('7')
  const range = await ask(server, host, { path: '/range', headers: { range: 'bytes=0-1' } })
  expect([range.status, range.headers['content-range'], range.text]).toEqual([206, 'bytes 0-1/4', 'bytes=0-1'])
  const { hostname, port: own } = new URL(server.origin)
  const type = await new Promise((resolve) => {
    const outgoing = request({ hostname, port: own, path: '/events', headers: { host }, agent: false })
    outgoing.on('response', (answer) => {
      resolve(answer.headers['content-type'])
      answer.on('error', () => undefined)
      outgoing.destroy()
    })
    outgoing.on('error', () => undefined)
    outgoing.end()
  })
  expect(type).toBe('text/event-stream')
})

it('keeps the bytes of headers that are not ASCII', async () => {
  const name = Buffer.from('attachment; filename="Prüfung.pdf"').toString('latin1')
  const port = await tcpService((socket) => {
    socket.once('data', () => {
      socket.end(`HTTP/1.1 200 OK\r\nContent-Disposition: ${name}\r\nContent-Length: 2\r\n\r\nok`, 'latin1')
    })
  })
  const { host } = await tunnelTo(port)
  expect((await ask(server, host)).headers['content-disposition']).toBe(name)
})

it('leads redirects of a service to itself to the tunnel', async () => {
  const port = await httpService((incoming, answer) => {
    const own = String(incoming.headers.host).replace(/:.*/, '')
    answer.writeHead(301, { location: `http://${own}:${port}${incoming.url}/` })
    answer.end()
  })
  const { host } = await tunnelTo(port)
  expect((await ask(server, host, { path: '/folder' })).headers.location).toBe(`http://${host}/folder/`)
})

it('passes 100 Continue on only when the service sends it', async () => {
  const port = await httpService((incoming, answer) => {
    incoming.resume()
    incoming.on('end', () => answer.end('taken'))
  })
  const refusing = await tcpService((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n'))
  })
  const heard = async (host: string): Promise<string> => {
    const { hostname, port: own } = new URL(server.origin)
    const socket = connect(Number(own), hostname)
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
      if (text.endsWith('100 Continue\r\n\r\n')) socket.write('hello')
    })
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`)
    await until(() => /taken|417/.test(text))
    return text
  }
  expect(await heard((await tunnelTo(port)).host)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  const refused = await heard((await tunnelTo(refusing)).host)
  expect(refused).toMatch(/^HTTP\/1\.1 417 /)
  expect(refused.toLowerCase()).toContain('connection: close')
})

it('stops the service while a visitor does not read, and holds no more than some megabytes', async () => {
  let sent = 0
  const port = await tcpService((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const chunk = Buffer.alloc(65_536)
      const fill = (): void => {
        while (sent < 256 * 1024 * 1024) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', fill)
        }
        socket.end()
      }
      fill()
    })
    socket.on('error', () => undefined)
  })
  const { host, address, device } = await tunnelTo(port)
  const { hostname, port: own } = new URL(server.origin)
  const socket = connect(Number(own), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  let before = -1
  // Settled: two rounds of other traffic without another byte of this one.
  await until(async () => {
    const settled = sent === before && sent > 0
    before = sent
    for (let i = 0; i < 50; i += 1) await ask(server, `${'0'.repeat(32)}.nowhere.example`).catch(() => undefined)
    return settled
  })
  expect(sent).toBeLessThan(48 * 1024 * 1024)
  socket.destroy()
  const params = { uid: device.device.uid, address }
  await until(async () => (await person.client.call(operations.tunnels.requests, { params })).body.length === 1)
})

describe('failures', () => {
  it('answers pages for closed ports, devices that are offline and unknown addresses', async () => {
    const { host, device } = await tunnelTo(1)
    const closed = await ask(server, host, { headers: { accept: 'text/html' } })
    expect([closed.status, closed.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8'])
    device.link.close({ by: 'agent', reason: 'done', message: '' })
    await device.ended
    await until(async () => (await ask(server, host)).status === 503)
    const json = await ask(server, host, { headers: { accept: 'application/json' } })
    expect(JSON.parse(json.text)).toEqual({ code: 'TUNNEL_OFFLINE', message: 'The device is not connected.' })
    const unknown = await ask(server, `${'0'.repeat(32)}.tunnels.example`)
    expect(unknown.status).toBe(404)
    for (const name of ['tunnels.example', 'a.b.tunnels.example', 'x.tunnels.example']) {
      const other = await ask(server, name)
      expect([other.status, other.text]).toEqual([404, unknown.text])
    }
  })

  it('refuses a target in absolute form instead of answering with the console', async () => {
    const { hostname, port } = new URL(server.origin)
    const statusOf = (path: string) =>
      new Promise((resolve, reject) => {
        request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end()
      })
    const path = '/api/info'
    expect(await statusOf(path)).toBe(200)
    expect(await statusOf(`http://${'0'.repeat(32)}.tunnels.example${path}`)).toBe(400)
  })

  it('breaks an answer off when the device is lost in its middle', async () => {
    const port = await httpService((_, answer) => {
      answer.writeHead(200, { 'content-length': 100 })
      answer.write('half')
    })
    const { host, device } = await tunnelTo(port)
    const { hostname, port: own } = new URL(server.origin)
    const outcome = new Promise<string>((resolve) => {
      const outgoing = request({ hostname, port: own, headers: { host }, agent: false })
      outgoing.on('response', (answer) => {
        answer.on('error', (error: Error & { code?: string }) => resolve(String(error.code)))
        answer.once('data', () => device.link.close({ by: 'agent', reason: 'done', message: '' }))
      })
      outgoing.end()
    })
    expect(await outcome).toBe('ECONNRESET')
  })

  it('ends requests under way when the tunnel is removed', async () => {
    const port = await httpService((_, answer) => void answer.write('begun'))
    const { host, device, address } = await tunnelTo(port)
    const { hostname, port: own } = new URL(server.origin)
    const outcome = new Promise<string>((resolve) => {
      const outgoing = request({ hostname, port: own, headers: { host }, agent: false })
      outgoing.on('response', (answer) => {
        answer.on('error', (error: Error & { code?: string }) => resolve(String(error.code)))
        answer.once('data', () => {
          void person.client.call(operations.tunnels.remove, { params: { uid: device.device.uid, address } })
        })
      })
      outgoing.end()
    })
    expect(await outcome).toBe('ECONNRESET')
    expect((await ask(server, host)).status).toBe(404)
  })
})
