// Host and Origin checks on every route. Over raw sockets: fetch sets both headers itself.
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { TERMINAL_PATH } from '@bowline/contract/terminal/messages'
import { LINK_PATH } from '@bowline/link/upgrade'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'

let server: BootedServer
let ada: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_DOMAIN: 'bowline.example.com' } })
  ada = await server.setUpAccount()
  device = await server.registerDevice(ada.tenant)
})
afterAll(() => server.close())

/** @returns status and body */
async function ask(method: string, path: string, headers: Record<string, string>): Promise<[number, string]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path, server.origin), { method, headers }).on('response', resolve).on('error', reject).end()
  })
  return [response.statusCode ?? 0, await text(response)]
}

async function raw(...lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

describe('requests under a foreign host name (DNS rebinding)', () => {
  it.each(['/info', '/api/devices', '/', '/docs/', '/metrics', '/install.sh', '/api/nothing', '/openapi.json'])(
    'rejects an unknown host name: %s',
    async (path) => {
      const [status, body] = await ask('GET', path, { host: 'evil.example' })
      expect(status).toBe(421)
      expect(JSON.parse(body)).toMatchObject({
        code: 'HOST_REFUSED',
        message: expect.stringContaining('BOWLINE_ALLOWED_HOSTS'),
      })
    },
  )

  it.each([LINK_PATH, TERMINAL_PATH])('rejects a WebSocket upgrade under an unknown host name: %s', async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1`, 'Host: evil.example', 'Connection: Upgrade', 'Upgrade: websocket')
    expect(answer).toMatch(/^HTTP\/1\.1 421 /)
  })

  it('ignores X-Forwarded-Host from an untrusted proxy', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'bowline.example.com' }
    expect((await ask('GET', '/info', headers))[0]).toBe(421)
  })

  it('accepts the server’s own names and addresses', async () => {
    const { port } = new URL(server.origin)
    for (const host of ['bowline.example.com', `localhost:${port}`, `127.0.0.1:${port}`, '[::1]']) {
      expect([host, (await ask('GET', '/info', { host }))[0]]).toEqual([host, 200])
    }
  })
})

describe('duplicate Host headers', () => {
  it('answers 400 to an API call with two Host headers', async () => {
    expect(await raw('GET /info HTTP/1.1', 'Host: localhost', 'Host: localhost', 'Connection: close')).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  })

  it('answers 400 to a WebSocket upgrade with two Host headers', async () => {
    const lines = ['Host: localhost', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']
    expect(await raw(`GET ${LINK_PATH} HTTP/1.1`, ...lines)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('cross-site writes', () => {
  const path = () => `/api/devices/${device.uid}/pending`
  const bearer = () => ({ authorization: `Bearer ${ada.auth.token}` })

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('rejects a write from another site’s page: %o', async (headers) => {
    const [status, body] = await ask('PATCH', path(), { ...bearer(), ...(headers as Record<string, string>) })
    expect([status, JSON.parse(body)]).toMatchObject([403, { code: 'ORIGIN_REFUSED' }])
  })

  it('rejects a cross-site internal call even with the node secret', async () => {
    const headers = { ...server.nodeHeaders, origin: 'https://evil.example' }
    expect((await ask('POST', `/internal/devices/${device.uid}/offline`, headers))[0]).toBe(403)
  })

  it('accepts writes from the server’s own pages and from programs', async () => {
    for (const headers of [{}, { origin: server.origin }, { origin: server.origin, 'sec-fetch-site': 'same-origin' }]) {
      expect((await ask('PATCH', path(), { ...bearer(), ...headers }))[0]).toBe(200)
    }
  })
})
