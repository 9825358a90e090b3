// Deactivation by an identity provider: it ends whatever the person has open, on every path.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { endOfSession, inNamespace } from '../administration/testing.ts'
import { readyPage } from '../gateway/web/testing.ts'
import { answerOf, ownKey, signing } from '../held-logins/testing.ts'
import { unique } from '../registration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, askEndless, httpService, openTunnel, tunnelDevice } from '../tunnels/testing/device.ts'
import { type TestProvider, startProvider } from './testing.ts'

let clock: ManualClock
let server: BootedServer
let owner: Person
let provider: TestProvider
/** Member by provisioning, signed in to the namespace. */
let person: Person
let scimId: string
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  const settings = {
    ...TUNNEL_SETTINGS,
    BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
    BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
  }
  server = await bootServer({ clock, settings })
  owner = await server.setUpAccount()
  provider = await startProvider(server, owner)
  const params = { tenant: owner.tenant }
  await owner.client.call(operations.scim.update, { params, body: { default_role: 'administrator' } })
})
afterAll(() => server.close())
beforeEach(async () => {
  const account = await server.addPerson(unique())
  const { body } = await provider.send('POST', '/Users', { userName: account.auth.email, active: true })
  scimId = body.id
  await account.client.call(operations.members.acceptInvite, { params: { tenant: owner.tenant }, body: {} })
  person = { ...account, client: await inNamespace(server, account, owner) }
})

async function deactivate(): Promise<void> {
  const Operations = [{ op: 'Replace', path: 'active', value: 'False' }]
  expect((await provider.send('PATCH', `/Users/${scimId}`, { Operations })).body.active).toBe(false)
}

it('ends ssh sessions by keys of the person, and keeps those of others', async () => {
  const device: FakeDevice = await fakeDevice(server, owner)
  const login = device.login('root')
  const staying = await signing(server, login, await ownKey(owner))
  expect((await answerOf(staying)).kind).toBe('success')
  const leaving = await signing(server, login, await ownKey(person))
  expect((await answerOf(leaving)).kind).toBe('success')
  await deactivate()
  expect((await answerOf(leaving)).kind).toBe('disconnect')
  expect(await until(() => endOfSession(server, owner))).toBe('policy member-removed')
  const active = server.database.system().selectFrom('sessions').select('uid').where('active', '=', true)
  expect(await active.where('tenant_id', '=', owner.tenant).execute()).toHaveLength(1)
})

it('ends web terminals, with the token of the namespace', async () => {
  const device = await fakeDevice(server, owner)
  const { page } = await readyPage(server, person, device.device.uid)
  await deactivate()
  expect(await page.next('ended')).toMatchObject({ by: 'policy', reason: 'member-removed' })
  expect(await outcome(person.client.call(operations.devices.list, { query: {} }))).toMatch(/^40[13]/)
})

it('ends visits of tunnels, and what is under way there', async () => {
  const device = await tunnelDevice(server, owner)
  const port = await httpService((_, answer) => void answer.write('begun'))
  const tunnel = await openTunnel(owner, device, port, { door: 'namespace' })
  const link = await person.client.call(operations.tunnels.visit, { params: tunnel, body: { path: '/' } })
  const { pathname, search } = new URL(link.body.url)
  const entered = await ask(server, tunnel.full_address, { path: pathname + search })
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const streaming = await askEndless(server, tunnel.full_address, { cookie })
  await deactivate()
  clock.advance(5_000)
  expect(await streaming.ended).toBe('ECONNRESET')
  expect((await ask(server, tunnel.full_address, { headers: { cookie } })).status).toBe(401)
})

it('ends API keys that the person has made', async () => {
  const body = { name: unique(), expires_at: 30, role: 'observer' } as const
  const { id } = (await person.client.call(operations.apiKeys.create, { body })).body
  const status = async () => (await server.fetch('/api/devices', { headers: { 'x-api-key': id } })).status
  expect(await status()).toBe(200)
  await deactivate()
  expect(await status()).toBe(401)
})
