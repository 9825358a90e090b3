// Internal calls of the platform: their effect, and their invisibility to others.
import { operations } from '@bowline/contract/operations'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'

const SECRET = 'a node secret of the test'
const { internal, devices } = operations
let server: BootedServer
let ada: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_NODE_SECRET: SECRET, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  ada = await server.setUpAccount()
  device = await server.acceptedDevice(ada, { hostname: 'box' })
})
afterAll(() => server.close())

const isOnline = async () => (await ada.client.call(devices.get, { params: { uid: device.uid } })).body.online

describe('internal call to mark a device offline', () => {
  it('shows a device as offline at once, despite recent heartbeats', async () => {
    const set = { disconnected_at: null, last_seen: new Date() }
    await server.database.system().updateTable('devices').set(set).where('uid', '=', device.uid).execute()
    expect(await isOnline()).toBe(true)
    await server.client().call(internal.markOffline, { params: { uid: device.uid }, headers: server.nodeHeaders })
    expect(await isOnline()).toBe(false)
  })

  it('answers an internal call for an unknown device with 404', async () => {
    const uid = DeviceUid.parse('a'.repeat(64))
    expect(
      await outcome(server.client().call(internal.markOffline, { params: { uid }, headers: server.nodeHeaders })),
    ).toBe('404 NOT_FOUND')
    const odd = await server.fetch('/internal/devices/x/offline', { method: 'POST', headers: server.nodeHeaders })
    expect(odd.status).toBe(404)
  })
})

describe('internal device lookup', () => {
  const lookup = async (domain: string, name: string) =>
    (await server.client().call(internal.lookup, { query: { domain, name }, headers: server.nodeHeaders })).body

  it('looks up an accepted device by namespace and name, case-insensitively', async () => {
    expect((await lookup(ada.namespace.toUpperCase(), 'BOX')).uid).toBe(device.uid)
    await server.registerDevice(ada.tenant, { hostname: 'waiting' })
    expect(await outcome(lookup(ada.namespace, 'waiting'))).toBe('404 NOT_FOUND')
    expect(await outcome(lookup('elsewhere', 'box'))).toBe('404 NOT_FOUND')
    expect(await outcome(server.client().call(internal.lookup, { headers: server.nodeHeaders }))).toBe(
      '400 INVALID_INPUT domain,name',
    )
  })
})

describe('internal call from outside the platform', () => {
  const call = async (headers: Record<string, string>) => {
    const response = await server.fetch(`/internal/devices/${device.uid}/offline`, { method: 'POST', headers })
    return [response.status, response.ok ? '' : ((await response.json()) as { code: string }).code]
  }

  it.each([
    ['over loopback, as from any local user or forwarded port', {}],
    ['through a proxy', { 'x-forwarded-for': '203.0.113.1' }],
    ['through a proxy that claims the loopback address', { 'x-forwarded-for': '127.0.0.1' }],
    ['with the standard header', { forwarded: 'for=203.0.113.1' }],
    ['with a wrong secret', { 'x-node-secret': 'a wrong secret of the test' }],
    ['with an empty secret', { 'x-node-secret': '' }],
  ])('answers an internal call with 404 %s', async (_, headers) => {
    expect(await call(headers)).toEqual([404, 'ROUTE_NOT_FOUND'])
  })

  it('answers an internal call with a user token with 404', async () => {
    const headers = { authorization: `Bearer ${ada.auth.token}`, 'x-forwarded-for': '203.0.113.1' }
    expect(await call(headers)).toEqual([404, 'ROUTE_NOT_FOUND'])
  })

  it('accepts an internal call with the node secret from any address', async () => {
    expect(await call({ 'x-node-secret': SECRET, 'x-forwarded-for': '203.0.113.1' })).toEqual([200, ''])
  })
})

it('omits internal calls from the OpenAPI document', async () => {
  expect(await (await server.fetch('/openapi.json')).text()).not.toContain('/internal/')
})
