// Every door that an account opens, with a disabled one. Single sign-on, passkeys and codes of programs have theirs
// beside their own tests.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { LIMITS } from '@bowline/contract/limits'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { ed25519Key } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { greetedPage, readyPage } from '../gateway/web/testing.ts'
import { OPENSSH, answerOf, askForFactor, ownKey, registerKey, signing, theHeldLogin } from '../held-logins/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, askEndless, httpService, openTunnel, tunnelDevice } from '../tunnels/testing/device.ts'
import { answered, disable, enable, endOfSession, inNamespace, liveStream, newAdministrator } from './testing.ts'

const { administration, auth, apiKeys, publicKeys, terminals, tunnels, users } = operations
const MINUTE = 60_000
let clock: ManualClock
let server: BootedServer
let admin: Person
let person: Person
let number = 0
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({
    clock,
    settings: { ...TUNNEL_SETTINGS, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(MINUTE)
  number += 1
  admin = await newAdministrator(server, `admin-${number}`)
  person = await server.addPerson(`person-${number}`)
})

const statusOf = async (token: string): Promise<number> =>
  (await server.fetch('/api/auth/user', { headers: { authorization: `Bearer ${token}` } })).status
const withKey = async (key: string): Promise<number> =>
  (await server.fetch('/api/devices', { headers: { 'x-api-key': key } })).status

describe('a disabled account', () => {
  it.each([auth.login.path, auth.createSession.path])(
    'answers a sign-in at %s like a name that nobody has, also to the right password',
    async (path) => {
      const attempt = async (username: string, password: string) => {
        const answer = await server.fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${number}` },
          body: JSON.stringify({ username, password }),
        })
        const cookies = answer.headers.getSetCookie()
        return [answer.status, await answer.text(), answer.headers.get('x-mfa-token'), cookies]
      }
      await disable(admin, person)
      const nobody = await attempt(`nobody-${randomUUID().slice(0, 8)}`, PASSWORD)
      expect(nobody[0]).toBe(401)
      expect(await attempt(person.username, PASSWORD)).toEqual(nobody)
      expect(await attempt(person.auth.email, PASSWORD)).toEqual(nobody)
      expect(await attempt(person.username, 'wrong password')).toEqual(nobody)
      await enable(admin, person)
      expect((await attempt(person.username, PASSWORD))[0]).toBe(200)
    },
  )

  it('loses its tokens and refresh cookies at once, and they do not come back', async () => {
    const browser = async () => {
      const answer = await server.fetch(auth.createSession.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: person.username, password: PASSWORD }),
      })
      const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0])
      return { cookie: cookies.join('; '), token: ((await answer.json()) as { token: string }).token }
    }
    const refreshed = async (cookie: string) =>
      (await server.fetch(auth.refreshSession.path, { method: 'POST', headers: { cookie } })).status
    // A refused cookie is used up: another one shows what enabling brings back.
    const [one, other] = [await browser(), await browser()]
    await disable(admin, person)
    expect([await statusOf(one.token), await statusOf(person.auth.token), await refreshed(one.cookie)]).toEqual([
      401, 401, 401,
    ])
    await enable(admin, person)
    expect([await statusOf(one.token), await statusOf(person.auth.token), await refreshed(other.cookie)]).toEqual([
      401, 401, 401,
    ])
  })

  it('loses its live streams at the next look', async () => {
    const stream = await liveStream(person.client)
    await disable(admin, person)
    clock.advance(1_000)
    expect(await stream.ended).toBe('ended')
  })

  it('gets no API call by the keys that it made, until it is enabled', async () => {
    const { body: key } = await person.client.call(apiKeys.create, { body: { name: 'program', expires_at: -1 } })
    expect(await withKey(key.id)).toBe(200)
    await disable(admin, person)
    expect(await withKey(key.id)).toBe(401)
    await enable(admin, person)
    expect(await withKey(key.id)).toBe(200)
  })

  it('gets no link for a new password', async () => {
    await disable(admin, person)
    await server.client().call(users.recoverPassword, { body: { username: person.username } })
    const mails = await server.database.system().selectFrom('mails').select('user_id').execute()
    expect(mails.filter(({ user_id: user }) => user === person.id)).toEqual([])
  })

  it('is not made anew by a registration of its address', async () => {
    await disable(admin, person)
    const { completeRegistration } = await import('../users/service.ts')
    const wanted = {
      name: 'Somebody',
      username: `again-${number}`,
      email: person.auth.email,
      passwordHash: 'x',
      emailMarketing: false,
      maxNamespaces: 1,
    }
    const made = { ids: { user: () => person.id } as never, clock, origin: { source: '', userAgent: '' } }
    expect(await completeRegistration(server.database.system(), made, wanted)).toBeUndefined()
    expect((await admin.client.call(administration.getPerson, { params: { user: person.id } })).body.state).toBe(
      'disabled',
    )
  })
})

describe('the SSH keys of a disabled account', () => {
  let owner: Person
  let device: FakeDevice
  let login: string
  beforeEach(async () => {
    owner = await server.addPerson(`owner-${number}`)
    await server.addMember(owner.tenant, person.id, 'administrator')
    device = await fakeDevice(server, owner)
    login = device.login('root')
  })
  const kindOf = async (key: ReturnType<typeof ed25519Key>): Promise<string> =>
    (await answered(clock, await signing(server, login, key))).kind

  it('are refused, its own and those that it vouched for, and work again once it is enabled', async () => {
    const there = { ...person, client: await inNamespace(server, person, owner) }
    const [own, inNameOfOther, service, others, ended] = [
      ed25519Key(),
      ed25519Key(),
      ed25519Key(),
      ed25519Key(),
      ed25519Key(),
    ]
    await registerKey(there, own)
    await registerKey(there, inNameOfOther, owner.id)
    await registerKey(there, service, null)
    await registerKey(owner, others)
    // Of somebody who has left: enabling must not bring it back.
    const leaver = await server.addPerson(`leaver-${number}`)
    await server.addMember(owner.tenant, leaver.id, 'administrator')
    await registerKey({ ...leaver, client: await inNamespace(server, leaver, owner) }, ended)
    await owner.client.call(operations.members.remove, { params: { tenant: owner.tenant, uid: leaver.id } })
    const all = async () => {
      const kinds = []
      for (const key of [own, inNameOfOther, service, others, ended]) kinds.push(await kindOf(key))
      return kinds
    }
    expect(await all()).toEqual(['success', 'success', 'success', 'success', 'failure'])
    await disable(admin, person)
    expect(await all()).toEqual(['failure', 'failure', 'failure', 'success', 'failure'])
    const { body: listed } = await owner.client.call(publicKeys.list, { query: {} })
    expect(listed.filter(({ disabled }) => disabled)).toHaveLength(4)
    await enable(admin, person)
    expect(await all()).toEqual(['success', 'success', 'success', 'success', 'failure'])
  })

  it('end their sessions at once, and leave those of others', async () => {
    const there = { ...person, client: await inNamespace(server, person, owner) }
    const [own, others] = [await ownKey(there), await ownKey(owner)]
    const staying = await signing(server, login, others)
    expect((await answerOf(staying)).kind).toBe('success')
    const leaving = await signing(server, login, own)
    expect((await answerOf(leaving)).kind).toBe('success')
    await disable(admin, person)
    expect((await answerOf(leaving)).kind).toBe('disconnect')
    expect(await until(() => endOfSession(server, owner))).toBe('policy member-removed')
    const open = await server.database
      .system()
      .selectFrom('sessions')
      .select('uid')
      .where('tenant_id', '=', owner.tenant)
      .where('active', '=', true)
      .execute()
    expect(open).toHaveLength(1)
  })

  it('get no login that waits for the second factor of the account', async () => {
    await askForFactor(owner)
    const there = { ...person, client: await inNamespace(server, person, owner) }
    const key = await ownKey(there)
    const client = await signing(server, login, key, OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
    const { code } = await theHeldLogin(person)
    await disable(admin, person)
    expect(await outcome(person.client.call(operations.heldLogins.approve, { params: { code } }))).toBe(
      '401 UNAUTHORIZED',
    )
    // Approved before by somebody who got the row changed: the key itself is judged again.
    await server.database
      .system()
      .updateTable('held_logins')
      .set({ approved: true, decided_at: new Date(clock.now()), decided_by: person.id })
      .where('user_id', '=', person.id)
      .execute()
    clock.advance(LIMITS.heldLogin.seconds * 1_000)
    expect((await answerOf(client)).kind).not.toBe('success')
  })
})

describe('terminals and tunnels of a disabled account', () => {
  it('ends its web terminals, and a ticket from before opens none', async () => {
    const device = await fakeDevice(server, person)
    const uid = device.device.uid
    const { page } = await readyPage(server, person, uid)
    const late = await person.client.call(terminals.open, { params: { uid }, body: { username: 'root' } })
    await disable(admin, person)
    expect(await page.next('ended')).toMatchObject({ by: 'policy', reason: 'member-removed' })
    expect(late.body.ticket).not.toBe('')
    expect(await outcome(person.client.call(terminals.open, { params: { uid }, body: { username: 'root' } }))).toBe(
      '401 UNAUTHORIZED',
    )
  })

  it('ends a terminal whose page was open before its login', async () => {
    const device = await fakeDevice(server, person)
    const page = await greetedPage(server, person, device.device.uid)
    await page.next('welcome')
    await disable(admin, person)
    page.say({ type: 'password', password: 'right' })
    expect(await page.next('ended')).toMatchObject({ by: 'policy' })
  })

  it('is not let through the door of a tunnel any more, and what is under way ends at once', async () => {
    const owner = await server.addPerson(`host-${number}`)
    await server.addMember(owner.tenant, person.id, 'operator')
    const device = await tunnelDevice(server, owner)
    const port = await httpService((_, answer) => void answer.write('begun'))
    const tunnel = await openTunnel(owner, device, port, { door: 'namespace' })
    const link = await person.client.call(tunnels.visit, { params: { address: tunnel.address }, body: { path: '/' } })
    const unused = await person.client.call(tunnels.visit, { params: { address: tunnel.address }, body: { path: '/' } })
    const { pathname, search } = new URL(link.body.url)
    const { headers } = await ask(server, tunnel.full_address, { path: pathname + search })
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const streaming = await askEndless(server, tunnel.full_address, { cookie })
    await disable(admin, person)
    expect(await streaming.ended).toBe('ECONNRESET')
    expect((await ask(server, tunnel.full_address, { headers: { cookie } })).status).toBe(401)
    const late = new URL(unused.body.url)
    expect((await ask(server, tunnel.full_address, { path: late.pathname + late.search })).status).toBe(403)
  })
})

describe('disabling accounts', () => {
  it('leaves no token of a sign-in that is under way', async () => {
    const signIn = async (): Promise<string | undefined> => {
      const body = { username: person.username, password: PASSWORD }
      return server
        .client()
        .call(auth.login, { body })
        .then(
          (answer) => answer.body.token,
          () => undefined,
        )
    }
    const attempts = Array.from({ length: 8 }, signIn)
    await disable(admin, person)
    const tokens = (await Promise.all(attempts)).filter((token) => token !== undefined)
    expect(await Promise.all(tokens.map(statusOf))).toEqual(tokens.map(() => 401))
  })

  it('leaves one of two administrators who disable each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pair = [
        await newAdministrator(server, `a${number}-${round}`),
        await newAdministrator(server, `b${number}-${round}`),
      ] as const
      const outcomes = await Promise.all([outcome(disable(pair[0], pair[1])), outcome(disable(pair[1], pair[0]))])
      expect(outcomes.toSorted()).toEqual(['200', expect.stringMatching(/^40[13] /)])
    }
  })

  it('is refused for oneself, for accounts that nobody has confirmed, and to people who administer nothing', async () => {
    expect(await outcome(disable(admin, admin))).toBe('409 OWN_ACCOUNT')
    await server.database
      .system()
      .updateTable('users')
      .set({ status: 'not-confirmed' })
      .where('id', '=', person.id)
      .execute()
    expect(await outcome(disable(admin, person))).toBe('409 ACCOUNT_UNFINISHED')
    const other = await server.addPerson(`other-${number}`)
    expect(await outcome(disable(other, admin))).toBe('403 INSTANCE_ADMIN_REQUIRED')
    expect(await outcome(disable(admin, { id: 'nobody' as never }))).toBe('404 NOT_FOUND')
  })

  it('keeps the last administrator in office who is not disabled', async () => {
    const db = server.database.system()
    await db.updateTable('users').set({ is_instance_admin: false }).where('id', '<>', admin.id).execute()
    const { setInstanceAdmin } = await import('../users/administrators.ts')
    await expect(setInstanceAdmin(db, clock, admin.id, false)).rejects.toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    const second = await newAdministrator(server, `second-${number}`)
    await disable(admin, second)
    await expect(setInstanceAdmin(db, clock, admin.id, false)).rejects.toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    const params = { user: admin.id }
    expect(
      await outcome(admin.client.call(administration.setAdministrator, { params, body: { administrator: false } })),
    ).toBe('409 OWN_ACCOUNT')
  })

  it('is told in the log of the instance and in the activity of the account', async () => {
    await disable(admin, person)
    await enable(admin, person)
    const { body: entries } = await admin.client.call(administration.listAudit, {
      query: { namespace: 'server', person: admin.id },
    })
    expect(entries.map(({ action, target, actor, tenant_id }) => [action, target, actor.name, tenant_id])).toEqual([
      ['account.enable', person.id, admin.username, ''],
      ['account.disable', person.id, admin.username, ''],
    ])
    const { body: activity } = await admin.client.call(administration.listActivity, {
      params: { user: person.username },
    })
    expect(activity.slice(0, 2).map(({ kind }) => kind)).toEqual(['account.enable', 'account.disable'])
  })
})

describe('a person as administrators see them', () => {
  it('is found by name, address and filters, sorted and counted', async () => {
    const list = async (query: Parameters<typeof ids>[0]) => ids(query)
    async function ids(query: object) {
      const { body, total } = await admin.client.call(administration.listPeople, { query })
      return { names: body.map(({ username }) => username), total }
    }
    const other = await server.addPerson(`findme-${number}`)
    expect(await list({ search: `FINDME-${number}` })).toEqual({ names: [other.username], total: 1 })
    expect(await list({ search: `findme-${number}@example.com` })).toMatchObject({ total: 1 })
    expect(await list({ search: '%' })).toEqual({ names: [], total: 0 })
    await disable(admin, other)
    expect((await list({ state: 'disabled', search: 'findme' })).names).toContain(other.username)
    expect((await list({ state: 'administrators', search: admin.username })).names).toEqual([admin.username])
    expect((await list({ state: 'without-factor', search: 'findme' })).names).not.toContain(other.username)
    const sorted = (await list({ search: `-${number}`, order_by: 'desc', per_page: '2' })).names
    expect(sorted).toEqual(sorted.toSorted().toReversed())
    const second = await list({ search: `-${number}`, order_by: 'desc', per_page: '2', page: '2' })
    expect(second.names.some((name) => sorted.includes(name))).toBe(false)
  })

  it('is described with memberships, keys, factors and sign-ins', async () => {
    const owner = await server.addPerson(`team-${number}`)
    await server.addMember(owner.tenant, person.id, 'observer')
    await ownKey(person)
    await person.client.call(apiKeys.create, { body: { name: 'program', expires_at: -1 } })
    const { body } = await admin.client.call(administration.getPerson, { params: { user: person.auth.email } })
    expect(body).toMatchObject({
      id: person.id,
      ssh_keys: 1,
      api_keys: 1,
      sign_ins: 1,
      identities: 0,
      has_password: true,
    })
    expect(body.memberships.map(({ tenant_id: tenant, role }) => [tenant, role])).toEqual([
      [person.tenant, 'owner'],
      [owner.tenant, 'observer'],
    ])
    await admin.client.call(administration.endSignIns, { params: { user: person.id } })
    expect(await statusOf(person.auth.token)).toBe(401)
    expect((await admin.client.call(administration.listSignIns, { params: { user: person.id } })).total).toBe(0)
  })
})

describe('a fresh proof', () => {
  it.each<[string, (client: Person['client']) => Promise<unknown>]>([
    ['disabling', (client) => client.call(administration.disablePerson, { params: { user: 'x' } })],
    ['enabling', (client) => client.call(administration.enablePerson, { params: { user: 'x' } })],
    ['ending sign-ins', (client) => client.call(administration.endSignIns, { params: { user: 'x' } })],
    [
      'granting',
      (client) =>
        client.call(administration.setAdministrator, { params: { user: 'x' }, body: { administrator: true } }),
    ],
    [
      'more namespaces',
      (client) => client.call(administration.setMaxNamespaces, { params: { user: 'x' }, body: { max_namespaces: 1 } }),
    ],
    [
      'disabling a namespace',
      (client) => client.call(administration.disableNamespace, { params: { namespace: randomUUID() } }),
    ],
    [
      'enabling a namespace',
      (client) => client.call(administration.enableNamespace, { params: { namespace: randomUUID() } }),
    ],
    [
      'handing over',
      (client) => client.call(administration.handOver, { params: { namespace: randomUUID() }, body: { user: 'x' } }),
    ],
    ['limits', (client) => client.call(administration.setLimits, { params: { namespace: randomUUID() }, body: {} })],
    ['default limits', (client) => client.call(administration.setDefaults, { body: {} })],
    ['the export of the audit log', (client) => client.call(administration.exportAudit, {})],
  ])('is asked for before %s', async (_, call) => {
    clock.advance(11 * MINUTE)
    expect(await outcome(call(admin.client))).toBe('403 FRESH_PROOF_REQUIRED')
  })
})
