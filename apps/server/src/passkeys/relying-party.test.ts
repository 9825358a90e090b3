// The name that passkeys are bound to: from the settings, whatever the request says.
import { request as send } from 'node:http'
import { json } from 'node:stream/consumers'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { type RelyingPartyDeps, relyingParties } from './relying-party.ts'
import { SoftwareAuthenticator } from './testing/authenticator.ts'
import { addPasskey, codeOf } from './testing/people.ts'

const { passkeys, instance } = operations
const party = (publicOrigin: string | undefined, host: string, hasTls: RelyingPartyDeps['hasTls'] = false) =>
  relyingParties({ publicOrigin, hasTls, httpPort: () => 8_080 }).find(host)

describe('relying party', () => {
  it.each([
    ['https://bowline.example.com', 'bowline.example.com'],
    ['https://bowline.example.com:8443', 'bowline.example.com'],
    ['http://localhost:9000', 'localhost'],
  ])('is the host of %s', (origin, id) => {
    expect(party(origin, 'anything.example')).toEqual({ id, origin })
  })

  it.each(['http://bowline.example.com', 'https://192.0.2.7', 'https://[2001:db8::7]:8443'])(
    'cannot be %s, where browsers have no passkeys',
    (origin) => {
      expect(party(origin, new URL(origin).host)).toBeUndefined()
      expect(party(origin, 'localhost:8080')).toEqual({ id: 'localhost', origin: 'http://localhost:8080' })
    },
  )

  it('is localhost at the own port without a public host', () => {
    expect(party(undefined, 'LOCALHOST:8080')).toEqual({ id: 'localhost', origin: 'http://localhost:8080' })
    expect(party(undefined, 'localhost:8080', true)).toEqual({ id: 'localhost', origin: 'https://localhost:8080' })
    for (const host of [
      '127.0.0.1:8080',
      'localhost:8081',
      'localhost',
      'evil.localhost:8080',
      'a@localhost:8080',
      '',
    ]) {
      expect(party(undefined, host)).toBeUndefined()
    }
  })
})

/** Calls with a Host header of one's own, which fetch does not send. */
async function call(server: BootedServer, path: string, headers: Record<string, string>): Promise<[number, unknown]> {
  const { hostname, port } = new URL(server.origin)
  const method = path === instance.info.path ? 'GET' : 'POST'
  const body = method === 'GET' ? '' : '{}'
  return new Promise((resolve, reject) => {
    const sent = { 'content-type': 'application/json', 'content-length': body.length, ...headers }
    const outgoing = send({ hostname, port, path, method, headers: sent }, (answer) => {
      json(answer).then((value) => resolve([answer.statusCode ?? 0, value]), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('server with a public host', () => {
  let server: BootedServer
  beforeAll(async () => {
    server = await bootServer({
      settings: {
        BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
        BOWLINE_ALLOWED_HOSTS: 'evil.example',
        BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
      },
    })
    await server.setUpAccount()
  })
  afterAll(() => server.close())

  it.each([
    { host: 'evil.example' },
    { host: 'bowline.example.com' },
    { 'x-forwarded-host': 'evil.example' },
    { forwarded: 'host=evil.example' },
    { 'x-original-host': 'evil.example' },
    { origin: 'https://evil.example', host: 'evil.example' },
  ])('takes no name from %j', async (headers) => {
    const [status, options] = await call(server, passkeys.signInOptions.path, headers)
    expect([status, options]).toMatchObject([200, { rpId: 'bowline.example.com' }])
    const [, info] = await call(server, instance.info.path, headers)
    expect(info).toMatchObject({ authentication: { passkeys: true } })
  })
})

describe('server without a public host', () => {
  let server: BootedServer
  beforeAll(async () => {
    server = await bootServer()
  })
  afterAll(() => server.close())

  it('serves passkeys at localhost and its own port', async () => {
    const host = new URL(server.origin).host.replace('127.0.0.1', 'localhost')
    const [status, options] = await call(server, passkeys.signInOptions.path, { host })
    expect([status, options]).toMatchObject([200, { rpId: 'localhost' }])
    const [, info] = await call(server, instance.info.path, { host })
    expect(info).toMatchObject({ authentication: { passkeys: true } })
  })

  it('explains elsewhere that passkeys need a host name', async () => {
    const ada = await server.setUpAccount()
    const [, info] = await call(server, instance.info.path, {})
    expect(info).toMatchObject({ authentication: { passkeys: false } })
    const [status, failure] = await call(server, passkeys.signInOptions.path, {})
    const port = new URL(server.origin).port
    expect([status, failure]).toMatchObject([501, { message: expect.stringContaining(`http://localhost:${port}`) }])
    expect(await codeOf(addPasskey(ada, new SoftwareAuthenticator(server.origin)))).toBe('PASSKEYS_NEED_DOMAIN')
    expect((await ada.client.call(passkeys.list, {})).body).toEqual([])
  })
})
