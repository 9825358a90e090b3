// Properties of every answer of the server. Over HTTP on a running server; raw sockets where fetch would normalise.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '../db/owner-session.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

const bearer = () => ({ authorization: `Bearer ${ada.auth.token}` })
const json = { 'content-type': 'application/json' }
const post = (path: string, body: string, headers: Record<string, string> = json) =>
  server.fetch(path, { method: 'POST', headers, body })

/** Sends bytes and reads until the server closes. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return text(socket)
}

describe('answers', () => {
  it.each([
    ['GET', '/info', 200],
    ['GET', '/api/devices', 401],
    ['GET', '/api/nothing', 404],
    ['PROPFIND', '/api/devices', 404],
    ['PUT', '/api/login', 404],
    ['GET', '/%ff', 404],
    ['GET', `/api/devices/${'a'.repeat(600)}`, 404],
    ['OPTIONS', '/api/devices', 404],
  ])('sends a new request id and nosniff: %s %s', async (method, path, status) => {
    const first = await server.fetch(path, { method })
    const second = await server.fetch(path, { method })
    expect([first.status, second.status]).toEqual([status, status])
    expect(first.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'))
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('ignores a request id from the caller', async () => {
    const response = await server.fetch('/info', { headers: { 'x-request-id': 'mine' } })
    expect(response.headers.get('x-request-id')).not.toBe('mine')
  })

  it('sends no-store with API answers', async () => {
    expect((await server.fetch('/api/devices')).headers.get('cache-control')).toBe('no-store')
  })

  it('sends these security headers with API answers and refusals', async () => {
    const names = [
      'content-security-policy',
      'cache-control',
      'referrer-policy',
      'x-content-type-options',
      'x-frame-options',
    ]
    const headersOf = async (path: string, headers = {}) => {
      const response = await server.fetch(path, { headers })
      return Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))
    }
    const allowed = await headersOf('/api/devices', bearer())
    expect(allowed).toMatchInlineSnapshot(`
      {
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
      }
    `)
    expect(await headersOf('/api/devices')).toEqual(allowed)
    expect(await headersOf('/api/nothing')).toEqual(allowed)
  })

  it('sends no CORS headers to other origins', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
    for (const method of ['GET', 'OPTIONS']) {
      const response = await server.fetch('/api/devices', { method, headers })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it.each([
    ['no HTTP at all\r\n\r\n', '400'],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('sends a request id with answers to malformed HTTP', async (bytes, status) => {
    const answer = await raw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i)
    expect(answer).not.toMatch(/\bat .*:\d+:\d+/)
  })
})

describe('unknown routes', () => {
  it('names an unknown route without its query', async () => {
    const response = await server.fetch('/api/nothing?token=secret', { method: 'DELETE' })
    expect(await response.json()).toEqual({ message: 'There is no DELETE /api/nothing.', code: 'ROUTE_NOT_FOUND' })
  })

  it('answers 404 to an unknown route with any body', async () => {
    for (const body of ['{"broken', 'a'.repeat(1_048_577)]) expect((await post('/api/nothing', body)).status).toBe(404)
    expect((await post('/api/nothing', 'x', { 'content-type': 'nonsense' })).status).toBe(404)
  })

  it('answers 404 to a path with encoded dot segments', async () => {
    const answer = await raw(
      'GET /docs/%2e%2e/%2e%2e/package.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('request bodies', () => {
  const login = '/api/login'

  it('answers 422 to a body that is not JSON', async () => {
    const response = await post(login, '{"username":')
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: 'UNREADABLE_BODY' })
  })

  it.each(['{"username":1,"password":"x"}', '{"username":null,"password":"x"}', '[]', '"text"', 'null', '1'])(
    'answers 422 to a value of another JSON type: %s',
    async (body) => {
      expect((await post(login, body)).status).toBe(422)
    },
  )

  it('treats a missing body as empty and names the required fields', async () => {
    const bodies = [() => post(login, ''), () => server.fetch(login, { method: 'POST' }), () => post(login, '{}')]
    for (const send of bodies) {
      const response = await send()
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ fields: ['username', 'password'] })
    }
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml', 'nonsense'])(
    'answers 415 to content type %s',
    async (type) => {
      const response = await post(login, '{"username":"ada","password":"x"}', { 'content-type': type })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  it('accepts a charset parameter in the content type', async () => {
    const type = 'application/json; charset=utf-8'
    expect((await post(login, '{}', { 'content-type': type })).status).toBe(400)
  })

  it('answers 413 above the operation’s body limit', async () => {
    const response = await post(login, JSON.stringify({ username: 'a'.repeat(8_192), password: 'x' }))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ message: 'The request body is larger than 8192 bytes.' })
  })

  it.each([
    '{"username":"ada","password":"x","__proto__":{"polluted":true}}',
    '{"username":"ada","password":"x","constructor":{"prototype":{"polluted":true}}}',
    String.raw`{"username":"ada","password":"x","\u005f_proto__":{"polluted":true}}`,
  ])('rejects prototype pollution: %s', async (body) => {
    expect((await post(login, body)).status).toBe(422)
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    ['{"username":"ada","username":"eve","password":"x"}', 'names a field twice'],
    [`{"username":${'['.repeat(2_000)}${']'.repeat(2_000)},"password":"x"}`, 'is nested deeper than 32 levels'],
    [`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`, 'is nested deeper than 32 levels'],
  ])('answers 422 to ambiguous or deeply nested JSON: %.60s', async (body, rule) => {
    const response = await post(login, body)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ message: expect.stringContaining(`: it ${rule}.`) })
  })

  it.each(['\\u0000', '\\ud800'])('answers 422 to text that PostgreSQL cannot store: %s', async (escape) => {
    const response = await post(login, `{"username":"ada${escape}","password":"x"}`)
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'UNREADABLE_BODY' }])
  })

  it('ignores the body of operations that take none', async () => {
    const device = await server.registerDevice(ada.tenant)
    const path = `/api/devices/${device.uid}/reject`
    for (const [type, body] of [
      ['application/json', ''],
      ['application/json', '{"broken'],
      ['application/x-www-form-urlencoded', ''],
      ['text/plain', 'anything'],
    ] as const) {
      const headers = { ...bearer(), 'content-type': type }
      expect((await server.fetch(path, { method: 'PATCH', headers, body })).status).toBe(200)
    }
    const headers = { ...bearer(), 'content-type': 'text/plain' }
    const endless = await server.fetch(path, { method: 'PATCH', headers, body: 'a'.repeat(1_048_577) })
    expect(endless.status).toBe(413)
  })
})

describe('path parameters', () => {
  it.each(['x', 'A'.repeat(64), 'g'.repeat(64), '%00', `${'a'.repeat(64)}%0a`])(
    'answers a malformed device uid like an unknown one: %s',
    async (uid) => {
      const unknown = await server.fetch(`/api/devices/${'a'.repeat(64)}`, { headers: bearer() })
      const malformed = await server.fetch(`/api/devices/${uid}`, { headers: bearer() })
      expect([malformed.status, await malformed.text()]).toEqual([404, await unknown.text()])
    },
  )

  it('answers 400 to a malformed tenant', async () => {
    const response = await server.fetch('/api/auth/token/x', { headers: bearer() })
    expect([response.status, await response.json()]).toMatchObject([400, { fields: ['tenant'] }])
  })

  it('answers 400 to an invalid status for any uid', async () => {
    for (const uid of ['x', 'a'.repeat(64)]) {
      const path = `/api/devices/${uid}/maybe`
      const response = await server.fetch(path, { method: 'PATCH', headers: bearer() })
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { fields: expect.arrayContaining(['status']) },
      ])
    }
  })
})

describe('query parameters', () => {
  it.each(['page=x', 'per_page=1.5', 'page=1&page=2', 'sort_by=password_hash', 'status=gone', 'page='])(
    'answers 400 to an invalid query and names the field: %s',
    async (query) => {
      const response = await server.fetch(`/api/devices?${query}`, { headers: bearer() })
      const name = query.split('=')[0]
      expect([response.status, await response.json()]).toMatchObject([400, { fields: [name] }])
    },
  )
})

describe('query text that PostgreSQL cannot store', () => {
  it('answers 400 to a query with a NUL character', async () => {
    const response = await server.fetch('/info?agent_version=%00')
    expect([response.status, await response.json()]).toMatchObject([400, { fields: ['agent_version'] }])
  })
})

describe('HEAD', () => {
  it('answers HEAD without a body where GET exists', async () => {
    const response = await server.fetch('/healthcheck', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const list = await server.fetch('/api/devices', { method: 'HEAD', headers: bearer() })
    expect([list.status, list.headers.get('x-total-count')]).toEqual([200, '0'])
  })

  it('answers 404 to HEAD of a stream, which would never end', async () => {
    expect((await server.fetch('/api/events', { method: 'HEAD', headers: bearer() })).status).toBe(404)
  })
})

describe('internal errors', () => {
  it('reveals nothing about an internal error to the caller', async () => {
    const rename = (from: string, to: string) =>
      asOwner(server.owner, (client) => client.query(`alter table ${from} rename to ${to}`))
    await rename('firewall_rules', 'hidden')
    try {
      const response = await server.fetch('/api/firewall/rules', { headers: bearer() })
      expect(response.status).toBe(500)
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(await response.json()).toEqual({ message: 'Internal Server Error', code: 'INTERNAL' })
    } finally {
      await rename('hidden', 'firewall_rules')
    }
  })
})
