// Every door of a namespace, with a disabled one: members are told why, strangers learn nothing. In the cloud edition,
// because a subscription goes on.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { ed25519Key } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { greetedPage, readyPage } from '../gateway/web/testing.ts'
import { answerOf, ownKey, signing } from '../held-logins/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice, rawClient } from '../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, askEndless, httpService, openTunnel, tunnelDevice } from '../tunnels/testing/device.ts'
import {
  answered,
  disable,
  disableNamespace,
  enableNamespace,
  endOfSession,
  inNamespace,
  liveStream,
  newAdministrator,
} from './testing.ts'

const { administration, auth, apiKeys, billing, devices, members, namespaces, stats, terminals, tunnels } = operations
const TEXT = 'This namespace has been disabled by an administrator of this server.'
let clock: ManualClock
let server: BootedServer
let admin: Person
let owner: Person
let number = 0
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({
    clock,
    settings: {
      ...TUNNEL_SETTINGS,
      BOWLINE_EDITION: 'cloud',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
      BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  await server.setUpAccount()
  admin = await newAdministrator(server, 'admin')
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(60_000)
  await admin.client.call(operations.mfa.prove, { body: { current_password: PASSWORD } })
  owner = await server.addPerson(`owner-${(number += 1)}`)
})

const byPassword = async (login: string, password: string) => {
  const client = await rawClient(server)
  await client.startAuthentication()
  client.send(client.authRequest(login, 'password').boolean(false).string(password).done())
  return answered(clock, client)
}

describe('ssh logins to a disabled namespace', () => {
  let device: FakeDevice
  let login: string
  beforeEach(async () => {
    device = await fakeDevice(server, owner)
    login = device.login('root')
  })

  it('are refused: a registered key is told why, passwords and other keys get the answer of any refusal', async () => {
    const key = await ownKey(owner)
    const wrong = await byPassword(login, 'wrong')
    const unknown = await answered(clock, await signing(server, login, ed25519Key()))
    await disableNamespace(admin, owner)
    const refused = await answerOf(await signing(server, login, key))
    expect(refused).toMatchObject({
      kind: 'disconnect',
      text: expect.stringContaining('this namespace has been disabled'),
    })
    expect(await byPassword(login, 'right')).toEqual(wrong)
    expect(await byPassword(login, 'wrong')).toEqual(wrong)
    expect(await answered(clock, await signing(server, login, ed25519Key()))).toEqual(unknown)
    expect(device.asked.filter(({ kind }) => kind === 'session')).toEqual([])
  })

  it('end at once with a cause by an administrator, and agents stay connected', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key)
    expect((await answerOf(client)).kind).toBe('success')
    await disableNamespace(admin, owner)
    expect((await answerOf(client)).kind).toBe('disconnect')
    expect(await until(() => endOfSession(server, owner))).toBe('admin namespace-disabled')
    await enableNamespace(admin, owner)
    expect((await answerOf(await signing(server, login, key))).kind).toBe('success')
    expect((await owner.client.call(devices.get, { params: { uid: device.device.uid } })).body.online).toBe(true)
  })

  it('end when another process disables the namespace', async () => {
    const client = await signing(server, login, await ownKey(owner))
    expect((await answerOf(client)).kind).toBe('success')
    const rows = server.database.system().updateTable('namespaces').where('tenant_id', '=', owner.tenant)
    await rows.set({ disabled_at: new Date(clock.now()) }).execute()
    clock.advance(2_000)
    expect((await answerOf(client)).kind).toBe('disconnect')
  })
})

describe('calls in a disabled namespace', () => {
  it('are refused to members and to API keys with a text that says so, and end live streams', async () => {
    const { body: key } = await owner.client.call(apiKeys.create, { body: { name: 'program', expires_at: -1 } })
    const stream = await liveStream(owner.client)
    await disableNamespace(admin, owner)
    clock.advance(1_000)
    await stream.ended
    for (const headers of [{ authorization: `Bearer ${owner.auth.token}` }, { 'x-api-key': key.id }]) {
      const answer = await server.fetch('/api/devices', { headers: headers as Record<string, string> })
      expect([answer.status, await answer.json()]).toEqual([403, { message: TEXT, code: 'NAMESPACE_DISABLED' }])
    }
    await enableNamespace(admin, owner)
    expect(await outcome(owner.client.call(stats.get, {}))).toBe('200')
  })

  it('leave billing to its owner', async () => {
    await disableNamespace(admin, owner)
    expect(await outcome(owner.client.call(billing.standing, {}))).toBe('200')
    expect(await outcome(owner.client.call(billing.mostUsedDevices, {}))).toBe('403 NAMESPACE_DISABLED')
  })

  it('let members sign in to another namespace, and show which one is disabled', async () => {
    const member = await server.addPerson(`member-${number}`)
    await server.addMember(owner.tenant, member.id, 'observer')
    await inNamespace(server, member, owner)
    await disableNamespace(admin, owner)
    const { body } = await server.client().call(auth.login, { body: { username: member.username, password: PASSWORD } })
    expect(body.tenant).toBe(member.tenant)
    expect(await outcome(inNamespace(server, member, owner))).toBe('403 NAMESPACE_DISABLED')
    const listed = await server.client(body.token).call(namespaces.list, { query: {} })
    expect(listed.body.map(({ tenant_id: tenant, disabled }) => [tenant, disabled])).toContainEqual([
      owner.tenant,
      true,
    ])
    // Somebody else learns no more than before.
    const stranger = await server.addPerson(`stranger-${number}`)
    expect(await outcome(inNamespace(server, stranger, owner))).toBe('404 NOT_FOUND')
    expect(await outcome(member.client.call(members.leave, { params: { tenant: owner.tenant } }))).toBe('200')
  })

  it('include registrations of devices, which get the answer of a namespace that nobody has', async () => {
    const unknown = await outcome(server.registerDevice(TenantId.parse('00000000-0000-4000-8000-000000000000')))
    await disableNamespace(admin, owner)
    expect(await outcome(server.registerDevice(owner.tenant))).toBe(unknown)
    await enableNamespace(admin, owner)
    // Refusals are repeated from memory for some seconds.
    clock.advance(10_000)
    expect(await outcome(server.registerDevice(owner.tenant))).toBe('200')
  })
})

describe('terminals and tunnels of a disabled namespace', () => {
  it('end web terminals, and refuse new ones and those with a ticket from before', async () => {
    const device = await fakeDevice(server, owner)
    const uid = device.device.uid
    const { page } = await readyPage(server, owner, uid)
    const begun = await greetedPage(server, owner, uid)
    await begun.next('welcome')
    await disableNamespace(admin, owner)
    expect(await page.next('ended')).toMatchObject({ by: 'admin', reason: 'namespace-disabled' })
    begun.say({ type: 'password', password: 'right' })
    expect(JSON.stringify(await begun.next('ended'))).toContain('namespace has been disabled')
    const open = owner.client.call(terminals.open, { params: { uid }, body: { username: 'root' } })
    expect(await outcome(open)).toBe('403 NAMESPACE_DISABLED')
  })

  it('end requests through tunnels, and answer like an address that no tunnel has', async () => {
    const device = await tunnelDevice(server, owner)
    const port = await httpService((_, answer) => void answer.write('begun'))
    const tunnel = await openTunnel(owner, device, port)
    const streaming = await askEndless(server, tunnel.full_address, {})
    const unknown = await ask(server, `${'0'.repeat(32)}.${TUNNEL_SETTINGS.BOWLINE_TUNNELS_DOMAIN}`)
    await disableNamespace(admin, owner)
    expect(await streaming.ended).toBe('ECONNRESET')
    const answer = await ask(server, tunnel.full_address)
    expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text])
    const visit = owner.client.call(tunnels.visit, { params: { address: tunnel.address }, body: { path: '/' } })
    expect(await outcome(visit)).toBe('403 NAMESPACE_DISABLED')
    const stranger = await server.addPerson(`visitor-${number}`)
    const other = stranger.client.call(tunnels.visit, { params: { address: tunnel.address }, body: { path: '/' } })
    expect(await outcome(other)).toBe('404 NOT_FOUND')
  })
})

describe('a namespace as administrators see it', () => {
  it('is found by its name and owner, with counts, and described with people and limits', async () => {
    await fakeDevice(server, owner)
    const list = async (query: object) => (await admin.client.call(administration.listNamespaces, { query })).body
    const expected = { name: owner.namespace, owner: { username: owner.username }, devices: 1, online: 1, members: 1 }
    expect(await list({ search: owner.namespace.toUpperCase() })).toMatchObject([expected])
    expect(await list({ search: owner.auth.email, sort_by: 'devices' })).toMatchObject([expected])
    await disableNamespace(admin, owner)
    expect((await list({ state: 'disabled', per_page: '100' })).map(({ name }) => name)).toContain(owner.namespace)
    const { body } = await admin.client.call(administration.getNamespace, { params: { namespace: owner.tenant } })
    expect(body).toMatchObject({
      people: [{ id: owner.id, role: 'owner', disabled: false }],
      tunnels: 0,
      recordings_bytes: 0,
      limits: { devices: null, members: null },
    })
  })

  it('counts devices of a node that has died as offline', async () => {
    const { device } = await fakeDevice(server, owner)
    const onlineNow = async () => {
      const query = { search: owner.namespace }
      return (await admin.client.call(administration.listNamespaces, { query })).body.map(({ online }) => online)
    }
    expect(await onlineNow()).toEqual([1])
    const rows = server.database.system().updateTable('devices').where('uid', '=', device.uid)
    await rows.set({ link_node: 'buried', last_seen: new Date(0) }).execute()
    expect(await onlineNow()).toEqual([0])
  })

  it('is handed over to another member, and to nobody else', async () => {
    const heir = await server.addPerson(`heir-${number}`)
    const params = { namespace: owner.tenant }
    const handOver = (user: Person) => admin.client.call(administration.handOver, { params, body: { user: user.id } })
    expect(await outcome(handOver(heir))).toBe('404 NOT_FOUND user')
    await server.addMember(owner.tenant, heir.id, 'observer')
    await disable(admin, heir)
    expect(await outcome(handOver(heir))).toBe('404 NOT_FOUND user')
    await admin.client.call(administration.enablePerson, { params: { user: heir.id } })
    await handOver(heir)
    const { body } = await admin.client.call(administration.getNamespace, { params })
    expect(body.owner.id).toBe(heir.id)
    expect(body.people.map(({ id, role }) => [id, role])).toEqual([
      [owner.id, 'administrator'],
      [heir.id, 'owner'],
    ])
    const { body: log } = await owner.client.call(operations.audit.list, { query: {} })
    expect(log[0]).toMatchObject({
      action: 'namespace.hand-over',
      actor: { type: 'system', id: 'server administration' },
    })
  })
})
