// Approved access requests in logins over real connections: who is let in by one, and when their session ends.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type UserKey, ed25519Key } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerOf, askForFactor, registerKey, signing } from '../held-logins/testing.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { DEVICE_PASSWORD, type FakeDevice, fakeDevice } from '../testing/gateway.ts'
import { greetedPage, openPage } from '../gateway/web/testing.ts'
import { type Member, addRule, approve, ask, end, memberOf } from './testing.ts'

const { apiKeys, devices, members, namespaces, sessions } = operations
let clock: ManualClock
let server: BootedServer
let owner: Person
let member: Member
let device: FakeDevice
let key: UserKey
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(3_600_000)
  owner = await server.addPerson(`owner-${(number += 1)}`)
  member = await memberOf(server, owner, 'operator')
  device = await fakeDevice(server, owner)
  key = ed25519Key()
  await registerKey(owner, key, member.person.id)
})

const IN = { kind: 'success' }
const REFUSED = { kind: 'disconnect', text: expect.stringContaining('access to this device is refused') }
const asRoot = () => device.login('root')
const login = async (user = asRoot()) => answerOf(await signing(server, user, key))
const settings = (values: object) =>
  owner.client.call(namespaces.update, { params: { tenant: owner.tenant }, body: { settings: values } })

/** Access of an hour, or some minutes, to the device. */
async function granted(minutes = 60, changes: object = { device: device.device.uid }) {
  const request = await ask(member.client, changes)
  return approve(owner.client, request, minutes)
}

/** Opens a session and keeps it. */
async function opened(): Promise<void> {
  expect(await login()).toMatchObject(IN)
}

const rows = async () => (await owner.client.call(sessions.list, {})).body
const closed = () =>
  until(async () => (await rows()).find((row) => row.authenticated && row.closed)?.closed ?? undefined)

describe('a login that the firewall denies', () => {
  it('tells a known person where to ask, and nobody else', async () => {
    await addRule(owner)
    expect((await login()).text).toContain(`Request access: http`)
    expect((await login()).text).toContain(`/access-requests?device=${device.device.uid}`)
    const service = ed25519Key()
    await registerKey(owner, service, null)
    expect((await answerOf(await signing(server, asRoot(), service))).text).not.toContain('Ask for')
    await settings({ access_requests: false })
    expect((await login()).text).not.toContain('Ask for')
  })

  it('is let in while a request is approved, and not by asking', async () => {
    await addRule(owner)
    const request = await ask(member.client, { device: device.device.uid })
    expect(await login()).toMatchObject(REFUSED)
    await approve(owner.client, request)
    expect(await login()).toMatchObject(IN)
    clock.advance(59 * 60_000)
    expect(await login()).toMatchObject(IN)
    clock.advance(60_000)
    expect(await login()).toMatchObject(REFUSED)
  })

  it('is let in as the accounts of the request only, on its device only, and as its person only', async () => {
    await addRule(owner)
    const other = await fakeDevice(server, owner)
    await granted()
    expect(await login(device.login('kiosk'))).toMatchObject(REFUSED)
    expect(await login(other.login('root'))).toMatchObject(REFUSED)
    const theirs = ed25519Key()
    await registerKey(owner, theirs, owner.id)
    expect(await answerOf(await signing(server, asRoot(), theirs))).toMatchObject(REFUSED)
    expect(await login()).toMatchObject(IN)
  })

  it('is let in on every device with the tag of the request, while it has that', async () => {
    const { uid } = device.device
    const setTags = (tags: string[]) => owner.client.call(devices.setTags, { params: { uid }, body: { tags } })
    await setTags(['kiosk'])
    await addRule(owner)
    await granted(60, { tag: 'kiosk' })
    expect(await login()).toMatchObject(IN)
    await setTags([])
    expect(await login()).toMatchObject(REFUSED)
  })

  it('is let in from no network that a rule denies, unless another rule lets in from there', async () => {
    await addRule(owner)
    await addRule(owner, { source_networks: ['127.0.0.0/8'] })
    await granted()
    expect(await login()).toMatchObject(REFUSED)
    await addRule(owner, { action: 'allow', priority: 5, people: [member.person.id], username: 'root' })
    expect(await login()).toMatchObject(IN)
  })

  it('is let in to a terminal of the console', async () => {
    await addRule(owner)
    await granted()
    // Members open terminals of the namespace that they are signed in to.
    const person = { ...member.person, client: member.client }
    const page = await greetedPage(server, person, device.device.uid, { username: 'root' })
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    expect(await page.next('ready')).toBeDefined()
  })

  it('is not for programs with an API key of the person', async () => {
    await addRule(owner)
    await granted()
    const { body: made } = await owner.client.call(apiKeys.create, { body: { name: 'deploy', expires_at: 30 } })
    const mine = server.database.system().updateTable('api_keys').set({ created_by: member.person.id })
    await mine.where('tenant_id', '=', owner.tenant).execute()
    const headers = { 'x-api-key': made.id, 'content-type': 'application/json' }
    const body = JSON.stringify({ username: 'root' })
    const path = `/api/devices/${device.device.uid}/terminal`
    const { ticket } = (await (await server.fetch(path, { method: 'POST', headers, body })).json()) as {
      ticket: string
    }
    const page = await openPage(server)
    page.say({ type: 'command', ticket, command: 'id' })
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    expect((await page.next('ended')).message).toBe('access to this device is refused.')
  })

  it('is not let in once its person is no member any more, and its session ends', async () => {
    await addRule(owner)
    await granted()
    await opened()
    await owner.client.call(members.remove, { params: { tenant: owner.tenant, uid: member.person.id } })
    expect(await closed()).toMatchObject({ reason: 'member-removed' })
    // Refused after some time, as any unknown key is.
    const refused = vi.fn()
    void login().then(refused)
    await until(() => {
      clock.advance(1_000)
      return refused.mock.calls[0]
    })
    expect(refused).toHaveBeenCalledWith(expect.objectContaining({ kind: 'failure' }))
  })

  it('still needs the second factor', async () => {
    await askForFactor(owner)
    await addRule(owner)
    // The call itself asks for a proof, which the tokens of a test cannot give.
    const { id } = await ask(member.client, { device: device.device.uid })
    await server.database
      .system()
      .updateTable('access_requests')
      .set({ state: 'approved', expires_at: new Date(clock.now() + 3_600_000) })
      .where('id', '=', id)
      .execute()
    // The key is right, and the factor is missing.
    expect(await login()).toMatchObject({ kind: 'failure', text: 'keyboard-interactive' })
  })
})

describe('a session by an approved request', () => {
  it.each([true, false])('ends when its time is over; end_disallowed_sessions: %s', async (ends) => {
    await settings({ end_disallowed_sessions: ends })
    await addRule(owner)
    await granted(15)
    await opened()
    clock.advance(15 * 60_000)
    expect(await closed()).toMatchObject({ by: 'policy', reason: 'access-expired' })
  })

  it.each([true, false])('ends when the access is ended early; end_disallowed_sessions: %s', async (ends) => {
    await settings({ end_disallowed_sessions: ends })
    await addRule(owner)
    const request = await granted()
    await opened()
    await end(owner.client, request)
    expect(await closed()).toMatchObject({ by: 'policy', reason: 'access-ended' })
    expect(await login()).toMatchObject(REFUSED)
  })

  it('names the request in its events', async () => {
    await addRule(owner)
    const { id } = await granted()
    await opened()
    const noted = server.database.system().selectFrom('session_events').select('data')
    const found = noted.where('type', '=', 'access-request')
    const isNoted = async () => {
      // Events are written together after a moment.
      clock.advance(1_000)
      return (await found.execute()).find(({ data }) => data['request'] === id)
    }
    expect(await until(isNoted)).toBeDefined()
  })

  it('goes on when a rule lets it in by then', async () => {
    await addRule(owner)
    await granted(15)
    await opened()
    await addRule(owner, { action: 'allow', priority: 2, people: [member.person.id] })
    clock.advance(15 * 60_000)
    expect(await login()).toMatchObject(IN)
    expect((await rows()).filter((row) => row.closed)).toEqual([])
  })

  it('takes over where a rule lets in no longer, until its time is over', async () => {
    await granted(15)
    await opened()
    await addRule(owner)
    expect(await login()).toMatchObject(IN)
    expect((await rows()).filter((row) => row.closed)).toEqual([])
    clock.advance(15 * 60_000)
    expect(await closed()).toMatchObject({ reason: 'access-expired' })
  })

  it('goes on by another request that lasts longer', async () => {
    await addRule(owner)
    await granted(15)
    const longer = await granted(45)
    await opened()
    clock.advance(15 * 60_000)
    expect(await login()).toMatchObject(IN)
    expect((await rows()).filter((row) => row.closed)).toEqual([])
    await end(member.client, longer)
    expect(await closed()).toMatchObject({ reason: 'access-ended' })
  })

  it('ends with a rule that denies its network', async () => {
    await addRule(owner)
    await granted()
    await opened()
    await addRule(owner, { source_networks: ['127.0.0.0/8'] })
    expect(await closed()).toMatchObject({ by: 'policy', reason: 'firewall' })
  })

  it('ends when requests are switched off', async () => {
    await addRule(owner)
    await granted()
    await opened()
    await settings({ access_requests: false })
    expect(await closed()).toMatchObject({ reason: 'access-ended' })
  })
})
