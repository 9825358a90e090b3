// The first account and an instance's description of itself, over HTTP.
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../platform/version.ts'
import { type BootedServer, PASSWORD, bootServer } from '../testing/boot.ts'

const { setup, info, health } = operations.instance
const person = { name: 'Ada Lovelace', email: 'Ada@Example.com', username: 'Ada.L', password: PASSWORD }

const signOf = (server: BootedServer): string => new URL(server.setupLink).searchParams.get('sign') ?? ''

/** Status and invalid fields of a set-up call. */
async function trySetUp(server: BootedServer, sign: string, body: object): Promise<[number, readonly string[]]> {
  const call = server.client().call(setup, { query: { sign }, body: { ...person, ...body } })
  return call.then(
    () => [200, []],
    (error: unknown) => {
      if (error instanceof ApiError) return [error.status, error.fields]
      throw error
    },
  )
}

const booted: BootedServer[] = []
async function freshServer(settings: Record<string, string> = {}): Promise<BootedServer> {
  const server = await bootServer({ settings })
  booted.push(server)
  return server
}
afterEach(async () => {
  for (const server of booted.splice(0)) await server.close()
})

describe('instance without accounts', () => {
  it('leads to the set-up page at the public address, whatever its own port is', async () => {
    const server = await freshServer({ BOWLINE_PUBLIC_URL: 'https://bowline.example.com' })
    expect(server.setupLink).toMatch(/^https:\/\/bowline\.example\.com\/setup\?sign=/)
  })

  it('reports pending set-up and endpoints under the requested host name', async () => {
    const server = await freshServer()
    const { body } = await server.client().call(info, {})
    const { host } = new URL(server.origin)
    expect(body).toMatchObject({
      setup: false,
      edition: 'community',
      authentication: { local: true, saml: false, openid: [] },
    })
    expect(body.endpoints).toEqual({ api: host, ssh: `127.0.0.1:${server.sshPort}` })
  })

  it('reports the configured public host name', async () => {
    const server = await freshServer({ BOWLINE_DOMAIN: 'ssh.example.org', BOWLINE_EDITION: 'cloud' })
    const { body } = await server.client().call(info, {})
    expect(body.endpoints).toEqual({ api: 'ssh.example.org', ssh: `ssh.example.org:${server.sshPort}` })
    expect(body.edition).toBe('cloud')
  })

  it('serves its OpenAPI document', async () => {
    const server = await freshServer()
    const response = await server.fetch('/openapi.json')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const { info: about, openapi, paths } = (await response.json()) as Record<string, object>
    expect([about, openapi]).toMatchObject([{ title: 'Bowline', version: VERSION }, '3.1.0'])
    expect(paths).toHaveProperty(['/api/devices', 'get', 'operationId'], 'devices.list')
  })

  it('answers 200 to health checks', async () => {
    const server = await freshServer()
    for (const path of ['/healthcheck', '/api/healthcheck']) {
      const response = await server.fetch(path)
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    await expect(server.client().call(health, {})).resolves.toMatchObject({ body: undefined })
  })
})

describe('set-up', () => {
  let server: BootedServer
  beforeAll(async () => {
    server = await bootServer()
  })
  afterAll(() => server.close())

  it('rejects set-up with a wrong signature of any length', async () => {
    const sign = signOf(server)
    const flipped = (sign.startsWith('0') ? '1' : '0') + sign.slice(1)
    for (const wrong of [flipped, sign.toUpperCase(), 'x', `${sign}0`]) {
      expect(await trySetUp(server, wrong, {})).toEqual([403, []])
    }
  })

  it('requires the signature for set-up', async () => {
    const response = await server.fetch('/api/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(person),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ fields: ['sign'], message: 'sign: is required.' })
  })

  it.each([
    [{ name: 'Al' }, ['name']],
    [{ name: 'a'.repeat(21) }, ['name']],
    [{ username: 'al' }, ['username']],
    [{ username: 'a'.repeat(31) }, ['username']],
    [{ username: 'ada lovelace' }, ['username']],
    [{ email: 'ada' }, ['email']],
    [{ password: '1234' }, ['password']],
    [{ password: 'x'.repeat(31) }, ['password']],
    [{ name: '', username: '', email: '', password: '' }, ['name', 'email', 'username', 'password']],
    [{ password: undefined }, ['password']],
  ])('names invalid set-up fields: %o', async (body, fields) => {
    expect(await trySetUp(server, signOf(server), body)).toEqual([400, fields])
  })

  it('accepts exactly one of several concurrent set-up calls and none later', async () => {
    const attempts = Array.from({ length: 5 }, (_, i) =>
      trySetUp(server, signOf(server), { username: `person${i}`, email: `person${i}@example.com` }),
    )
    const statuses = (await Promise.all(attempts)).map(([status]) => status)
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 403, 403, 403, 403])
    expect(await trySetUp(server, signOf(server), { username: 'late', email: 'late@example.com' })).toEqual([403, []])
    const people = await server.database.system().selectFrom('users').select('username').execute()
    expect(people).toHaveLength(1)
    expect((await server.client().call(info, {})).body.setup).toBe(true)
  })
})

describe('first account', () => {
  it('stores the first account in lower case with a personal namespace named after it', async () => {
    const server = await freshServer()
    expect(await trySetUp(server, signOf(server), {})).toEqual([200, []])
    const credentials = { username: 'ADA@example.com', password: PASSWORD }
    const { body: auth } = await server.client().call(operations.auth.login, { body: credentials })
    expect(auth).toMatchObject({ user: 'ada.l', email: 'ada@example.com', role: 'owner', max_namespaces: -1 })
    const listed = await server.client(auth.token).call(operations.namespaces.list, {})
    expect(listed.total).toBe(1)
    expect(listed.body[0]).toMatchObject({
      name: 'ada-l',
      type: 'personal',
      tenant_id: auth.tenant,
      owner: auth.id,
      max_devices: -1,
      // As in every other namespace: recording is on by default.
      settings: { session_record: true },
      members: [{ id: auth.id, role: 'owner', status: 'accepted', email: 'ada@example.com' }],
    })
  })
})
