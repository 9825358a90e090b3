// The second factor on the ssh path, over real connections: what is held, who may let it in, and for how long.
import { operations } from '@bowline/contract/operations'
import { LIMITS } from '@bowline/contract/limits'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { TOUCHED, VERIFIED, ed25519Key, fidoKey } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  OPENSSH,
  answerOf,
  approve,
  askForFactor,
  askedInteractively,
  heldLogins,
  ownKey,
  registerKey,
  reply,
  signing,
  theHeldLogin,
} from '../../held-logins/testing.ts'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { type BootedServer, type Person, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { DEVICE_PASSWORD, type FakeDevice, fakeDevice, rawClient } from '../../testing/gateway.ts'
import { openSocket, readyPage } from '../web/testing.ts'

const HOUR = 3_600_000
/** `OFFERED_KEYS=10000` takes a minute and a half. */
const OFFERS = Number(process.env['OFFERED_KEYS'] ?? 1_000)
let clock: ManualClock
let server: BootedServer
let other: BootedServer
let owner: Person
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  await server.setUpAccount()
  const reach = () => Promise.resolve(databaseUrl(server.owner))
  other = await bootServer({ clock, reach, settings: { ...settings, BOWLINE_SECRET_KEY: server.secretKey } })
})
afterAll(async () => {
  await other.close()
  await server.close()
})
let device: FakeDevice
let login: string
beforeEach(async () => {
  clock.advance(HOUR)
  owner = await server.addPerson(`person-${(number += 1)}`)
  device = await fakeDevice(server, owner)
  login = device.login('root')
})

const system = () => server.database.system()
const count = async (table: 'sessions' | 'held_logins' | 'factor_windows'): Promise<number> => {
  const query = system()
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
  return (await query.where('tenant_id', '=', owner.tenant).executeTakeFirstOrThrow()).rows
}

describe('a namespace that asks for no second factor', () => {
  it('lets a key in as before', async () => {
    const client = await signing(server, login, await ownKey(owner))
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })
})

describe('a login by key', () => {
  beforeEach(() => askForFactor(owner))

  it('is held for OpenSSH with a banner that names device, source, code, link and seconds, until it is approved', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    const { kind, text } = await answerOf(client)
    const { code, ...held } = await theHeldLogin(owner)
    expect(kind).toBe('banner')
    expect(text).toContain(`${owner.namespace}.${held.device_name} from 127.0.0.1`)
    expect(text).toContain(`/approve/${code}`)
    expect(text).toContain(`within ${LIMITS.heldLogin.seconds} seconds`)
    expect(held).toMatchObject({
      username: 'root',
      key: 'a key',
      source: '127.0.0.1',
      device: device.device.uid,
      hours: 12,
    })
    expect(device.asked).toEqual([])
    await approve(owner, code)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })

  it('is shown to other clients as a question without prompts', async () => {
    const client = await signing(server, login, await ownKey(owner))
    expect(await answerOf(client)).toMatchObject({ kind: 'failure', text: 'keyboard-interactive' })
    expect(await count('held_logins')).toBe(0)
    askedInteractively(client, login)
    const question = await answerOf(client)
    const { code } = await theHeldLogin(owner)
    expect(question).toMatchObject({ kind: 'question', prompts: 0 })
    expect(question.text).toContain(code)
    reply(client)
    await approve(owner, code)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })

  it('opens a window for the same key and source: later logins pass, until the hours are over', async () => {
    const key = await ownKey(owner)
    const first = await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(first)
    expect(await answerOf(first)).toMatchObject({ kind: 'success' })
    clock.advance(11 * HOUR)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'success' })
    clock.advance(2 * HOUR)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
  })

  it('asks again after the namespace has stopped to ask and asks anew', async () => {
    const key = await ownKey(owner)
    const first = await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(first)
    expect(await answerOf(first)).toMatchObject({ kind: 'success' })
    await askForFactor(owner, { ssh_second_factor_hours: 24 })
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'success' })
    const params = { tenant: owner.tenant }
    const body = { settings: { ssh_second_factor: false } }
    await owner.client.call(operations.namespaces.update, { params, body })
    expect(await count('factor_windows')).toBe(0)
    await askForFactor(owner)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
  })

  it('asks again for another key of the same person', async () => {
    const first = await signing(server, login, await ownKey(owner), OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(first)
    expect(await answerOf(await signing(server, login, await ownKey(owner)))).toMatchObject({ kind: 'failure' })
  })

  it('passes by itself with a FIDO key that was touched and verified its user', async () => {
    const key = fidoKey('ed25519', TOUCHED | VERIFIED)
    await registerKey(owner, key)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'success' })
  })

  it('is held with a FIDO key that another person registered for its owner: it may be a program', async () => {
    const member = await server.addPerson(`member-${(number += 1)}`)
    await server.addMember(owner.tenant, member.id, 'observer')
    const key = fidoKey('ed25519', TOUCHED | VERIFIED)
    await registerKey(owner, key, member.id)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
    const service = fidoKey('ed25519', TOUCHED | VERIFIED)
    await registerKey(owner, service, null)
    expect(await answerOf(await signing(server, login, service))).toMatchObject({ kind: 'disconnect' })
  })

  it('gets no key and no member without a recent proof', async () => {
    const { client } = owner
    const member = await server.addPerson(`member-${(number += 1)}`)
    clock.advance(11 * 60_000)
    const refused = '403 FRESH_PROOF_REQUIRED'
    const key = async () => outcome(registerKey(owner, ed25519Key()))
    const body = { email: `${member.username}@example.com`, role: 'observer' as const }
    const add = () => outcome(client.call(operations.members.add, { params: { tenant: owner.tenant }, body }))
    expect([await key(), await add()]).toEqual([refused, refused])
    await client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    expect([await key(), await add()]).toEqual(['200', '200'])
  })

  it('is held with a FIDO key that was only touched', async () => {
    const key = fidoKey('ecdsa', TOUCHED)
    await registerKey(owner, key)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
  })

  it('is refused when it is denied, and so is the next one for some minutes', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key, OPENSSH)
    const { code } = await theHeldLogin(owner)
    await answerOf(client)
    await owner.client.call(operations.heldLogins.deny, { params: { code } })
    const denied = { kind: 'disconnect', text: 'Bowline: the login was denied.' }
    expect(await answerOf(client)).toMatchObject(denied)
    expect(await answerOf(await signing(server, login, key, OPENSSH))).toMatchObject(denied)
    expect(await heldLogins(owner)).toEqual([])
  })

  it('is refused when nobody approves it in time, and its row says why', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    await answerOf(client)
    clock.advance(LIMITS.heldLogin.seconds * 1_000)
    expect(await answerOf(client)).toMatchObject({ kind: 'disconnect', text: expect.stringContaining('in time') })
    expect(await outcome(approve(owner, code))).toContain('404')
    const row = () =>
      system().selectFrom('sessions').selectAll().where('tenant_id', '=', owner.tenant).executeTakeFirst()
    expect(await until(async () => ((await row())?.closed_at ? row() : undefined))).toMatchObject({
      authenticated: false,
      cause_by: 'policy',
      cause_reason: 'second-factor',
    })
  })

  it(
    `takes no row, no stream and no approval for ${OFFERS} keys that are only offered`,
    { timeout: 30_000 + OFFERS * 30 },
    async () => {
      const key = await ownKey(owner)
      for (let round = 0; round < OFFERS / 10; round += 1) {
        const client = await rawClient(server)
        await client.startAuthentication()
        for (let i = 0; i < 10; i += 1) {
          client.send(client.publicKeyRequest({ user: login, algorithm: key.algorithm, blob: key.blob }))
          await client.authAnswer()
        }
        client.socket.destroy()
      }
      expect([await count('sessions'), await count('held_logins'), device.asked.length]).toEqual([0, 0, 0])
    },
  )

  it('takes no row for a signature by another key', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, { ...key, sign: ed25519Key().sign })
    expect(await answerOf(client)).toMatchObject({ kind: 'failure' })
    expect([await count('sessions'), await count('held_logins')]).toEqual([0, 0])
  })

  it('asks once for fifty connections at once, over two servers, and all pass once it is approved', async () => {
    const key = await ownKey(owner)
    const clients = await Promise.all(Array.from({ length: 50 }, () => signing(server, login, key, OPENSSH)))
    const elsewhere = await signing(other, login, key, OPENSSH)
    const banners = await Promise.all(clients.map(answerOf))
    expect(new Set(banners.map(({ text }) => /approve\/(\S+)/.exec(text)?.[1])).size).toBe(1)
    await approve(owner, (await theHeldLogin(owner)).code)
    const answers = await Promise.all(clients.map(answerOf))
    expect(answers.filter(({ kind }) => kind === 'success')).toHaveLength(50)
    expect(await count('held_logins')).toBe(1)
    elsewhere.socket.destroy()
  })

  it('waits for a decision of another server', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    await answerOf(client)
    const { code } = await theHeldLogin(owner)
    await other.client(owner.auth.token).call(operations.heldLogins.approve, { params: { code } })
    clock.advance(1_000)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })

  it('is forgotten when its client leaves', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    await theHeldLogin(owner)
    client.socket.destroy()
    expect(await until(async () => (await heldLogins(owner)).length === 0)).toBe(true)
  })

  it('is forgotten when its client has typed a wrong code and leaves', async () => {
    const key = await ownKey(owner)
    await addFactor(owner.client, clock)
    const client = await signing(server, login, key)
    await answerOf(client)
    askedInteractively(client, login)
    await answerOf(client)
    reply(client, '000000')
    await answerOf(client)
    expect(await heldLogins(owner)).toHaveLength(1)
    client.socket.destroy()
    expect(await until(async () => (await heldLogins(owner)).length === 0)).toBe(true)
  })

  it('asks anew after a person’s password was changed', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(client)
    await answerOf(client)
    await system()
      .updateTable('users')
      .set(({ eb }) => ({ token_epoch: eb('token_epoch', '+', 1) }))
      .where('id', '=', owner.id)
      .execute()
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
  })
})

describe('a service key', () => {
  it('is refused unless the namespace lets service keys pass', async () => {
    const key = ed25519Key()
    await askForFactor(owner)
    await registerKey(owner, key, null)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'disconnect' })
    await askForFactor(owner, { ssh_second_factor_service_keys: true })
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'success' })
  })
})

describe('a person with an authenticator', () => {
  let secret: string
  beforeEach(async () => {
    await askForFactor(owner)
    secret = (await addFactor(owner.client, clock)).secret
    clock.advance(60_000)
  })

  it('types its code, which opens the window for what waits already', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key, OPENSSH)
    expect(await answerOf(client)).toMatchObject({ kind: 'failure', text: 'keyboard-interactive' })
    askedInteractively(client, login)
    expect(await answerOf(client)).toMatchObject({ kind: 'question', prompts: 1 })
    const second = await signing(server, login, key, OPENSSH)
    expect(await answerOf(second)).toMatchObject({ kind: 'banner' })
    reply(client, codeAt(secret, clock.now()))
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    expect(await answerOf(second)).toMatchObject({ kind: 'success' })
    expect(await heldLogins(owner)).toEqual([])
  })

  it('is not let in by a wrong code, nor by one that was used', async () => {
    const code = codeAt(secret, clock.now())
    const tryCode = async (typed: string, from = ownKey(owner)) => {
      const client = await signing(server, login, await from, OPENSSH)
      await answerOf(client)
      askedInteractively(client, login)
      await answerOf(client)
      reply(client, typed)
      return (await answerOf(client)).kind
    }
    expect(await tryCode('000000')).toBe('banner')
    expect(await tryCode(code)).toBe('success')
    expect(await tryCode(code)).toBe('banner')
  })

  it('is asked for no more codes after five wrong ones', async () => {
    for (let i = 0; i < 5; i += 1) {
      const client = await signing(server, login, await ownKey(owner), OPENSSH)
      await answerOf(client)
      askedInteractively(client, login)
      await answerOf(client)
      reply(client, '000000')
      await answerOf(client)
      client.socket.destroy()
    }
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    await answerOf(client)
    askedInteractively(client, login)
    await answerOf(client)
    reply(client, codeAt(secret, clock.now()))
    expect(await answerOf(client)).toMatchObject({ kind: 'disconnect', text: expect.stringContaining('wrong codes') })
  })

  it('proves it in the console before they approve', async () => {
    const client = await signing(server, login, await ownKey(owner))
    await answerOf(client)
    askedInteractively(client, login)
    await answerOf(client)
    reply(client, '')
    const { code } = await theHeldLogin(owner)
    await system().deleteFrom('fresh_proofs').where('user_id', '=', owner.id).execute()
    expect(await outcome(approve(owner, code))).toBe('403 FRESH_PROOF_REQUIRED')
    await owner.client.call(operations.mfa.prove, { body: { code: codeAt(secret, clock.now()) } })
    await approve(owner, code)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })
})

describe('a login by password', () => {
  beforeEach(() => askForFactor(owner))

  it('is held after the device has accepted it, and any member with the code may approve it', async () => {
    const member = await server.addPerson(`member-${number}`)
    await server.addMember(owner.tenant, member.id, 'observer')
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, DEVICE_PASSWORD)
    const { kind, text } = await answerOf(client)
    const code = /approve\/(\S+)/.exec(text)?.[1] ?? ''
    expect(kind).toBe('banner')
    expect(await outcome(approve(await server.addPerson(`stranger-${number}`), code))).toContain('404')
    await approve(member, code)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    const again = await rawClient(server)
    await again.startAuthentication()
    again.sendPassword(login, DEVICE_PASSWORD)
    expect(await answerOf(again)).toMatchObject({ kind: 'success' })
  })

  it('shows nothing for a wrong password', async () => {
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, 'wrong')
    // The refusal is sent after a whole second.
    const beat = setInterval(() => clock.advance(1_000), 20)
    onTestFinished(() => clearInterval(beat))
    for (let answer = await answerOf(client); answer.kind !== 'failure'; answer = await answerOf(client)) {
      expect(answer.text).not.toContain('approve')
    }
    expect(await count('held_logins')).toBe(0)
  })
})

describe('a terminal in a browser', () => {
  beforeEach(() => askForFactor(owner))

  it('opens for the person of its ticket', async () => {
    const { page } = await readyPage(server, owner, device.device.uid)
    expect(page.messages.some(({ type }) => type === 'ready')).toBe(true)
    expect(await count('held_logins')).toBe(0)
  })

  it('is refused to a page without a person, whose password the device accepts', async () => {
    const body = { device: device.device.uid, username: 'root', password: DEVICE_PASSWORD }
    const { token } = (await server.client().call(operations.terminals.openLegacy, { body })).body
    const socket = await openSocket(server, `/ws/ssh?${new URLSearchParams({ token, cols: '80', rows: '24' })}`)
    let text = ''
    socket.on('message', (data: Buffer) => (text += data.toString()))
    await until(() => text.includes('second factor'))
    expect(device.asked.filter(({ kind }) => kind === 'session')).toEqual([])
    expect(await count('held_logins')).toBe(0)
  })
})
