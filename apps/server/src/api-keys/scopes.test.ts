// API keys limited to areas of the API.
import { randomUUID } from 'node:crypto'
import { pathParameters } from '@bowline/contract/operation'
import { allOperations, operations } from '@bowline/contract/operations'
import { SCOPES, type Scope, scopeOf } from '@bowline/contract/scopes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { apiKeys } = operations
let server: BootedServer
let owner: Person
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  owner = await server.addPerson('keeper')
})
afterAll(() => server.close())

const create = (name: string, scopes: readonly string[] | null) =>
  owner.client.call(apiKeys.create, {
    body: { name, expires_at: -1, role: 'administrator', scopes: scopes as Scope[] | null },
  })
const keyWith = async (scopes: readonly Scope[] | null) =>
  (await create(`k${randomUUID().slice(0, 8)}`, scopes)).body.id

/** Status and message of a call with made-up parameters, which are read after the key was judged. */
async function ask(method: string, path: string, key: string): Promise<string> {
  const address = pathParameters(path).reduce((text, name) => text.replace(`{${name}}`, 'none'), path)
  const answer = await server.fetch(address, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: '{}' }),
  })
  return `${answer.status} ${await answer.text()}`
}
const refusal = (scope: string) => `403 {"message":"This API key lacks the scope ${scope}.","code":"SCOPE_REQUIRED"}`

const callable = allOperations()
  .map(({ operation }) => operation)
  .filter(({ access }) => access.kind === 'member' && access.keys)

it('refuses every call of another area, and only those', async () => {
  for (const scope of SCOPES) {
    const key = await keyWith([scope])
    const wrong: string[] = []
    for (const operation of callable) {
      const needed = String(scopeOf(operation))
      const isAllowed = needed === scope || needed === scope.replace(/:write$/, ':read')
      const got = await ask(operation.method, operation.path, key)
      if ((got === refusal(needed)) === isAllowed) wrong.push(`${operation.method} ${operation.path}: ${got}`)
    }
    expect({ scope, wrong }).toEqual({ scope, wrong: [] })
  }
})

it('limits a key to what its role allows, whatever its scopes', async () => {
  const { body } = await owner.client.call(apiKeys.create, {
    body: { name: 'reader', expires_at: -1, role: 'observer', scopes: ['devices:write'] },
  })
  const device = await server.acceptedDevice(owner)
  expect(await ask('GET', `/api/devices/${device.uid}`, body.id)).toMatch(/^200 /)
  expect(await ask('DELETE', `/api/devices/${device.uid}`, body.id)).toBe(
    '403 {"message":"The role observer may not do this.","code":"FORBIDDEN"}',
  )
})

it('shows, changes and removes scopes, at once', async () => {
  const { id, name, scopes } = (await create('changing', ['devices:read'])).body
  expect(scopes).toEqual(['devices:read'])
  const change = (next: Scope[] | null) =>
    outcome(owner.client.call(apiKeys.update, { params: { key: name }, body: { scopes: next } }))
  expect(await ask('GET', '/api/sessions', id)).toBe(refusal('sessions:read'))
  expect(await change(['sessions:read'])).toBe('200')
  expect(await ask('GET', '/api/sessions', id)).toMatch(/^200 /)
  expect(await ask('GET', '/api/devices', id)).toBe(refusal('devices:read'))
  // A new name leaves them.
  await owner.client.call(apiKeys.update, { params: { key: name }, body: { name: 'renamed' } })
  const listed = (await owner.client.call(apiKeys.list, { query: { per_page: '100' } })).body.find(
    (key) => key.name === 'renamed',
  )
  expect(listed?.scopes).toEqual(['sessions:read'])
  await owner.client.call(apiKeys.update, { params: { key: 'renamed' }, body: { scopes: null } })
  expect(await ask('GET', '/api/devices', id)).toMatch(/^200 /)
})

it('keeps what a concurrent change does not name', async () => {
  const { name } = (await create('contended', null)).body
  const change = (body: { name?: string; scopes?: Scope[] }) =>
    outcome(owner.client.call(apiKeys.update, { params: { key: name }, body }))
  await Promise.all([change({ scopes: ['devices:read'] }), ...Array.from({ length: 8 }, () => change({ name }))])
  const { body } = await owner.client.call(apiKeys.list, { query: { per_page: '100' } })
  expect(body.find((key) => key.name === name)?.scopes).toEqual(['devices:read'])
})

it.each([
  ['no scope', []],
  ['an unknown scope', ['devices:delete']],
  ['a scope twice', ['devices:read', 'devices:read']],
])('refuses a key with %s', async (_, scopes) => {
  expect(await outcome(create('refused', scopes))).toMatch(/^400 INVALID_INPUT scopes/)
})

it('keeps keys without scopes as they are', async () => {
  const key = await keyWith(null)
  expect(await ask('GET', '/api/devices', key)).toMatch(/^200 /)
  expect(await ask('GET', '/api/audit', key)).toMatch(/^200 /)
})
