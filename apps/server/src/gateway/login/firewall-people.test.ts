// Firewall rules about people, over real connections: who is known at which point of a login.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { ed25519Key } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  answerOf,
  approve,
  askForFactor,
  ownKey,
  registerKey,
  signing,
} from '../../held-logins/testing.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { DEVICE_PASSWORD, type FakeDevice, fakeDevice, rawClient } from '../../testing/gateway.ts'
import { greetedPage, readyPage } from '../web/testing.ts'

const { firewall, members, sessions } = operations
let clock: ManualClock
let server: BootedServer
let owner: Person
let member: Person
let device: FakeDevice
let login: string
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(3_600_000)
  owner = await server.addPerson(`person-${(number += 1)}`)
  member = await server.addPerson(`member-${number}`)
  await server.addMember(owner.tenant, member.id, 'operator')
  device = await fakeDevice(server, owner)
  login = device.login('root')
})

const REFUSED = { kind: 'disconnect', text: expect.stringContaining('access to this device is refused') }
const IN = { kind: 'success' }
const add = (rule: object) =>
  owner.client.call(firewall.create, {
    body: {
      action: 'deny',
      active: true,
      priority: 1,
      source_ip: '.*',
      username: '.*',
      filter: { hostname: '.*' },
      ...rule,
    },
  })
async function keyOf(person: Person) {
  const key = ed25519Key()
  await registerKey(owner, key, person.id)
  return key
}
const byKey = async (key: ReturnType<typeof ed25519Key>) => answerOf(await signing(server, login, key))
async function byPassword() {
  const client = await rawClient(server)
  await client.startAuthentication()
  client.sendPassword(login, DEVICE_PASSWORD)
  return client
}

describe('a firewall rule about people', () => {
  it('applies to the owner of a key, and not to keys of others, to service keys and to passwords', async () => {
    const [theirs, own, service] = [await keyOf(member), await ownKey(owner), ed25519Key()]
    await registerKey(owner, service, null)
    await add({ people: [member.id] })
    expect(await byKey(theirs)).toMatchObject(REFUSED)
    expect(await byKey(own)).toMatchObject(IN)
    expect(await byKey(service)).toMatchObject(IN)
    expect(await answerOf(await byPassword())).toMatchObject(IN)
  })

  it('lets in only those with a role, and nobody unknown, above a rule that denies the rest', async () => {
    const [theirs, own] = [await keyOf(member), await ownKey(owner)]
    await add({ action: 'allow', priority: 2, roles: ['owner'] })
    await add({})
    expect(await byKey(own)).toMatchObject(IN)
    expect(await byKey(theirs)).toMatchObject(REFUSED)
    // Refused like a wrong password: after some time, and without a reason.
    let answer: Answer | undefined
    const client = await byPassword()
    const read = async () => {
      // A banner says what may be wrong, for every reason alike.
      do answer = await answerOf(client)
      while (answer.kind === 'banner')
    }
    void read()
    const refusal = () => {
      clock.advance(1_000)
      return answer?.kind === 'banner' ? undefined : answer
    }
    expect(await until(refusal)).toMatchObject({ kind: 'failure' })
  })

  it('applies to who is signed in to the console, for a terminal in a browser', async () => {
    await add({ people: [member.id] })
    await readyPage(server, owner, device.device.uid)
    await add({ people: [owner.id] })
    const page = await greetedPage(server, owner, device.device.uid, { username: 'root' })
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    expect((await page.next('ended')).message).toMatch(/^access to this device is refused. Request access: \S+$/)
  })

  it('applies to whoever approved a password, once the approval tells who that is', async () => {
    await askForFactor(owner)
    await add({ people: [member.id] })
    const client = await byPassword()
    const { text } = await answerOf(client)
    await approve(member, /approve\/(\S+)/.exec(text)?.[1] ?? '')
    expect(await answerOf(client)).toMatchObject(REFUSED)
    const refused = async () => (await owner.client.call(sessions.list, {})).body.find(({ closed }) => closed)
    expect(await until(refused)).toMatchObject({ authenticated: false, closed: { by: 'policy', reason: 'firewall' } })
  })

  it('ends the sessions of a member whose new role is denied', async () => {
    const theirs = await keyOf(member)
    await add({ roles: ['observer'] })
    const client = await signing(server, login, theirs)
    expect(await answerOf(client)).toMatchObject(IN)
    const params = { tenant: owner.tenant, uid: member.id }
    await owner.client.call(members.update, { params, body: { role: 'observer' } })
    const ended = async () => (await owner.client.call(sessions.list, {})).body.find(({ closed }) => closed)
    expect(await until(ended)).toMatchObject({ authenticated: true, closed: { by: 'policy', reason: 'firewall' } })
  })
})
