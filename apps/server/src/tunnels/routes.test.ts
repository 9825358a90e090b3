// Tunnels over HTTP.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { tunnels, devices } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TUNNELS_DOMAIN: 'tunnels.example' } })
  await server.setUpAccount()
})
afterAll(() => server.close())

async function withDevice(): Promise<{ person: Person; uid: DeviceUid }> {
  const person = await server.addPerson(`p${randomUUID().slice(0, 8)}`)
  return { person, uid: (await server.acceptedDevice(person)).uid }
}
const open = async ({ person, uid }: { person: Person; uid: DeviceUid }, changes: object = {}) => {
  const body = { host: '127.0.0.1', port: 80, ttl: -1, ...changes }
  return (await person.client.call(tunnels.create, { params: { uid }, body })).body
}

it('gives each device, host and port a stable tunnel address', async () => {
  const mine = await withDevice()
  const tunnel = await open(mine)
  expect(tunnel).toEqual({
    address: tunnel.address,
    full_address: `${tunnel.address}.tunnels.example`,
    namespace: mine.person.tenant,
    device: mine.uid,
    host: '127.0.0.1',
    port: 80,
    ttl: -1,
    expires_in: '0001-01-01T00:00:00Z',
    created_at: tunnel.created_at,
    url: server.origin.replace('127.0.0.1', `${tunnel.address}.tunnels.example`),
    door: 'none',
    host_header: '',
    tls: 'none',
    http2: false,
    protocol: 'http',
    name: '',
  })
  expect(tunnel.address).toMatch(/^[0-9a-f]{32}$/)
  expect((await open(mine, { ttl: 60 })).address).toBe(tunnel.address)
  expect((await open(mine, { port: 81 })).address).not.toBe(tunnel.address)
  expect((await open(mine, { host: '::1' })).address).not.toBe(tunnel.address)
  expect((await open(await withDevice())).address).not.toBe(tunnel.address)
  expect((await mine.person.client.call(tunnels.list, { params: { uid: mine.uid } })).total).toBe(3)
})

it('counts a tunnel’s TTL from creation or renewal, up to the contract’s maximum', async () => {
  const mine = await withDevice()
  const expiry = async (ttl: number) => Date.parse((await open(mine, { ttl })).expires_in)
  expect(await expiry(60)).toBe(clock.now() + 60_000)
  clock.advance(30_000)
  expect(await expiry(60)).toBe(clock.now() + 60_000)
  expect(await expiry(0)).toBe(clock.now())
  expect(await expiry(9_223_372_036)).toBe(clock.now() + 9_223_372_036_000)
  expect((await open(mine, { ttl: -1 })).expires_in).toBe('0001-01-01T00:00:00Z')
})

it.each([
  [{ ttl: -2 }, 'ttl'],
  [{ ttl: 9_223_372_037 }, 'ttl'],
  [{ port: 0 }, 'port'],
  [{ port: 65_536 }, 'port'],
  [{ host: 'localhost' }, 'host'],
  [{ host: '127.0.0.1/8' }, 'host'],
])('rejects a tunnel with %j', async (changes, field) => {
  expect(await outcome(open(await withDevice(), changes))).toBe(`400 INVALID_INPUT ${field}`)
})

it('limits a device to ten live tunnels, also under concurrent calls', async () => {
  const mine = await withDevice()
  const ports = Array.from({ length: 14 }, (_, i) => 8_000 + i)
  const outcomes = await Promise.all(ports.map((port) => outcome(open(mine, { port, ttl: 60 }))))
  expect(outcomes.filter((one) => one === '200')).toHaveLength(10)
  expect(outcomes.filter((one) => one === '403 TUNNEL_LIMIT')).toHaveLength(4)
  const [first] = ports.filter((_, i) => outcomes[i] === '200')
  expect(await outcome(open(mine, { port: first, ttl: 60 }))).toBe('200')
  clock.advance(60_001)
  expect(await outcome(open(mine, { port: 9_000 }))).toBe('200')
})

it('removes a tunnel once, and with its device', async () => {
  const mine = await withDevice()
  const { address } = await open(mine)
  const call = mine.person.client.call
  const remove = () => outcome(call(tunnels.remove, { params: { uid: mine.uid, address } }))
  expect([await remove(), await remove()]).toEqual(['200', '404 NOT_FOUND'])
  await open(mine)
  await call(devices.remove, { params: { uid: mine.uid } })
  expect(await outcome(call(tunnels.list, { params: { uid: mine.uid } }))).toBe('404 NOT_FOUND')
  expect(await outcome(open(mine))).toBe('404 NOT_FOUND')
})
