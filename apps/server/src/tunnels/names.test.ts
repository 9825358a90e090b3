// Stable names of tunnels: of which they are made, and where they lead.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicName } from '../devices/public-name.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import type { FakeDevice } from '../testing/gateway.ts'
import { labelOf, readLabel, tunnelName } from './names.ts'
import { DOMAIN, ask, askEndless, httpService, openTunnel, tunnelDevice } from './testing/device.ts'
import { TLS_SETTINGS, dialTls, endOf, tlsService } from './testing/tls.ts'

describe('public names', () => {
  it.each([
    ['raspberrypi', 'acme', 'raspberrypi--acme'],
    ['Web_1', 'acme', 'web-1--acme'],
    ['a--b', 'acme', 'a-b--acme'],
    ['-x-', 'a--b', 'x--a--b'],
    ['02-42-ac-11-00-02', 'acme', '02-42-ac-11-00-02--acme'],
    ['___', 'acme', undefined],
  ])('makes of the device %s of %s: %s', (device, namespace, name) => {
    expect(publicName(device, namespace)).toBe(name)
  })

  it('fits into one label with every port, however long the names are', () => {
    const longest = publicName(`${'a'.repeat(24)}-${'b'.repeat(39)}`, 'n'.repeat(30)) ?? ''
    expect(longest).toBe(`${'a'.repeat(24)}--${'n'.repeat(30)}`)
    expect(readLabel(`65535-${longest}`)).toEqual({ port: 65_535, publicName: longest })
    const full = publicName('a'.repeat(64), 'n'.repeat(30)) ?? ''
    expect(`65535-${full}`).toHaveLength(63)
  })

  it('gives labels only to what a tunnel can be called', () => {
    const hex = '0123456789abcdef'.repeat(2)
    for (const label of [hex, '80-pi--acme', '8-x--a']) expect(labelOf(`${label}.${DOMAIN}`, DOMAIN)).toBe(label)
    expect(labelOf(`80-PI--acme.${DOMAIN}.:443`, DOMAIN)).toBe('80-pi--acme')
    const wrong =
      'www xn--acme 0-pi--acme 080-pi--acme 65536-pi--acme 80--acme 80-pi- a.80-pi--acme 80-pi_--acme'.split(' ')
    for (const label of [...wrong, `80-${'a'.repeat(61)}`, hex.slice(1), `${hex}0`, '']) {
      expect(labelOf(`${label}.${DOMAIN}`, DOMAIN)).toBeUndefined()
    }
    expect(tunnelName('pi--acme', { host: '192.168.1.5', port: 80 })).toBeUndefined()
  })
})

describe('tunnels of a device with public_url', () => {
  let server: BootedServer
  let owner: Person
  beforeAll(async () => {
    server = await bootServer({ settings: TLS_SETTINGS })
    owner = await server.setUpAccount()
  })
  afterAll(() => server.close())

  const put = (person: Person, { device: { uid } }: Pick<FakeDevice, 'device'>, body: object) =>
    person.client.call(operations.devices.update, { params: { uid }, body })
  const tunnelsOf = async ({ device: { uid } }: FakeDevice): Promise<Tunnel[]> =>
    (await owner.client.call(operations.tunnels.list, { params: { uid } })).body

  async function named(hostname: string): Promise<FakeDevice> {
    const device = await tunnelDevice(server, owner, await server.acceptedDevice(owner, { hostname }))
    await put(owner, device, { public_url: true })
    return device
  }

  it('are reached by port and names, which stay when the device is renamed, and by their address', async () => {
    const device = await named('Printer_1')
    const port = await httpService((_, answer) => answer.end('printer'))
    const tunnel = await openTunnel(owner, device, port)
    const name = `${port}-printer-1--${owner.namespace}`
    expect(tunnel).toMatchObject({ name, full_address: `${tunnel.address}.${DOMAIN}` })
    expect(new URL(tunnel.url).hostname).toBe(`${name}.${DOMAIN}`)
    await put(owner, device, { name: 'renamed' })
    expect((await tunnelsOf(device))[0]).toMatchObject({ name })
    for (const host of [`${name}.${DOMAIN}`, `${name}.${DOMAIN}`.toUpperCase(), tunnel.full_address]) {
      expect((await ask(server, host)).text).toBe('printer')
    }
    expect((await ask(server, `${port}-renamed--${owner.namespace}.${DOMAIN}`)).status).toBe(404)
    expect((await ask(server, `1-printer-1--${owner.namespace}.${DOMAIN}`)).status).toBe(404)
  })

  it('lose the name when public_url is off, also under way, and get the same one back', async () => {
    const device = await named('lamp')
    const port = await httpService((_, answer) => void answer.write('begun'))
    const { name, full_address } = await openTunnel(owner, device, port)
    const byName = await askEndless(server, `${name}.${DOMAIN}`, {})
    const byAddress = await askEndless(server, full_address, {})
    await put(owner, device, { public_url: false })
    expect((await ask(server, `${name}.${DOMAIN}`)).status).toBe(404)
    expect(await byName.ended).toBe('ECONNRESET')
    expect((await tunnelsOf(device))[0]).toMatchObject({ name: '' })
    const stillThere = await Promise.race([byAddress.ended, Promise.resolve('open')])
    expect(stillThere).toBe('open')
    await put(owner, device, { name: 'torch', public_url: true })
    expect((await tunnelsOf(device))[0]).toMatchObject({ name })
  })

  it('have the name in TLS as well', async () => {
    const device = await named('database')
    const tunnel = await openTunnel(owner, device, await tlsService((socket) => socket.end('hello')), {
      protocol: 'tcp',
    })
    expect(new URL(tunnel.url).hostname).toBe(`${tunnel.name}.${DOMAIN}`)
    const socket = await dialTls(tunnel, { servername: `${tunnel.name}.${DOMAIN}` })
    expect([socket.authorized, await endOf(socket)]).toEqual([true, 'end'])
  })

  it('have none for other machines, and keep their doors', async () => {
    const device = await named('router')
    const other = await openTunnel(owner, device, 80, { host: '192.168.1.5' })
    expect(other.name).toBe('')
    const guarded = await openTunnel(owner, device, 443, { door: 'namespace' })
    const browser = await ask(server, `${guarded.name}.${DOMAIN}`, { headers: { accept: 'text/html' } })
    expect([browser.status, new URL(browser.headers.location ?? '').pathname]).toEqual([
      303,
      `/tunnels/${guarded.address}`,
    ])
    const params = { address: guarded.address }
    const { body } = await owner.client.call(operations.tunnels.visit, { params, body: { path: '/' } })
    expect(new URL(body.url).hostname).toBe(`${guarded.name}.${DOMAIN}`)
  })

  it('get no name that another device has', async () => {
    await named('same-name')
    const twin = await tunnelDevice(server, owner, await server.acceptedDevice(owner, { hostname: 'same_name' }))
    expect(await outcome(put(owner, twin, { public_url: true }))).toBe('409 PUBLIC_NAME_TAKEN public_url')
    await put(owner, twin, { name: 'other-name', public_url: true })
    const nameless = { device: await server.acceptedDevice(owner, { hostname: 'x' }) }
    await put(owner, nameless, { name: '___' })
    expect(await outcome(put(owner, nameless, { public_url: true }))).toBe('400 INVALID_INPUT public_url')
  })

  it('move with the name to the device that replaces theirs', async () => {
    const mac = '02:00:00:00:00:77'
    const old = await server.acceptedDevice(owner, { hostname: 'kiosk', identity: { mac } })
    await put(owner, { device: old }, { public_url: true })
    const port = await httpService((_, answer) => answer.end('kiosk'))
    const { name } = await openTunnel(owner, { device: old }, port)
    const fresh = await server.acceptedDevice(owner, { hostname: `k${randomUUID().slice(0, 8)}`, identity: { mac } })
    await tunnelDevice(server, owner, fresh)
    expect((await ask(server, `${name}.${DOMAIN}`)).text).toBe('kiosk')
  })

  it('may be given names by those only who may create tunnels', async () => {
    const device = { device: await server.acceptedDevice(owner, { hostname: 'vault' }) }
    const person = await server.addPerson('operator')
    await server.addMember(owner.tenant, person.id, 'operator')
    const { body } = await person.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } })
    const operator = { ...person, client: server.client(body.token) }
    await put(operator, device, { name: 'vault-2' })
    expect(await outcome(put(operator, device, { public_url: true }))).toBe('403 FORBIDDEN')
    await put(owner, device, { public_url: true })
    await put(operator, device, { name: 'vault-3', public_url: true })
    expect(await outcome(put(operator, device, { public_url: false }))).toBe('403 FORBIDDEN')

    // The flag of an earlier version, which had no effect.
    const old = { device: await server.acceptedDevice(owner, { hostname: 'old' }) }
    const rows = server.database.system().updateTable('devices').set({ public_url: true })
    await rows.where('uid', '=', old.device.uid).execute()
    await put(operator, old, { name: 'old-2', public_url: true })
    expect((await openTunnel(owner, old, 80)).name).toBe('')
    await put(owner, old, { public_url: true })
    expect((await openTunnel(owner, old, 80)).name).toBe(`80-old-2--${owner.namespace}`)
  })
})
