// Answers under host names below the tunnels' domain.
import { type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { isTunnelHost } from './tunnel-addresses.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer({
    settings: { BOWLINE_TUNNELS_DOMAIN: 'tunnels.example', BOWLINE_TRUSTED_PROXIES: '127.0.0.0/8' },
  })
})
afterAll(() => server.close())

const ADDRESS = '0123456789abcdef0123456789abcdef.tunnels.example'

/** Status and body of an answer to a request with a Host header of its own. */
function ask(path: string, headers: IncomingHttpHeaders, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, server.origin), { method, headers })
    asked.on('error', reject)
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, body: '' })
    })
    asked.on('response', (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    asked.end()
  })
}

describe('tunnel addresses', () => {
  it.each([
    '/',
    '/login',
    '/docs/',
    '/docs/faq',
    '/api/info',
    '/healthcheck',
    '/install.sh',
    '/openapi.json',
    '/nothing',
  ])('serves nothing of this server under a tunnel’s host name at %s', async (path) => {
    const { status, body } = await ask(path, { host: ADDRESS, accept: 'text/html' })
    expect(status).toBe(404)
    expect(body).toContain('There is no tunnel at this address')
  })

  it.each([
    ['with a port', { host: `${ADDRESS}:8080` }],
    ['in capitals', { host: ADDRESS.toUpperCase() }],
    ['with a final dot', { host: `${ADDRESS}.` }],
    ['as the domain itself', { host: 'tunnels.example' }],
    ['forwarded by a trusted proxy', { host: 'inner:8080', 'x-forwarded-host': ADDRESS }],
    ['in Host beside another X-Forwarded-Host', { host: ADDRESS, 'x-forwarded-host': 'bowline.example' }],
  ])('recognises a tunnel’s host name %s', async (_, headers) => {
    expect(await ask('/', headers)).toMatchObject({ status: 404 })
  })

  it('rejects writes under a tunnel’s host name', async () => {
    expect(await ask('/api/login', { host: ADDRESS, 'content-type': 'application/json' }, 'POST')).toMatchObject({
      status: 404,
    })
  })

  it.each(['/ws/terminal', '/ws/ssh', '/agent/link', '/'])(
    'rejects WebSocket upgrades under a tunnel’s host name at %s',
    async (path) => {
      const upgrade = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      }
      expect(await ask(path, { ...upgrade, host: ADDRESS })).toMatchObject({ status: 404 })
    },
  )

  it('treats only the tunnels’ domain as tunnel hosts', async () => {
    expect(await ask('/healthcheck', { host: 'other-tunnels.localhost' })).toMatchObject({ status: 200 })
    expect(isTunnelHost('tunnels.example.org', 'tunnels.example')).toBe(false)
    expect(isTunnelHost('[::1]:8080', 'tunnels.example')).toBe(false)
    expect(isTunnelHost('anything', undefined)).toBe(false)
  })
})
