// Approval of SSH logins over HTTP, and the settings that ask for a second factor: who may decide, once, in time.
import { operations } from '@bowline/contract/operations'
import { LIMITS } from '@bowline/contract/limits'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addFactor, codeAt, post } from '../mfa/testing.ts'
import { type BootedServer, type Person, bootServer, outcome, readUntil } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../testing/gateway.ts'
import { OPENSSH, answerOf, approve, askForFactor, heldLogins, ownKey, signing, theHeldLogin } from './testing.ts'

let clock: ManualClock
let server: BootedServer
let owner: Person
let device: FakeDevice
let login: string
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(3_600_000)
  owner = await server.addPerson(`person-${(number += 1)}`)
  device = await fakeDevice(server, owner)
  login = device.login('root')
})

describe('a waiting login', () => {
  beforeEach(() => askForFactor(owner))
  const { get, deny, list } = operations.heldLogins

  it('is neither shown to nor decided by another person, not even the namespace’s administrator', async () => {
    await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    const other = await server.addPerson(`other-${number}`)
    await server.addMember(owner.tenant, other.id, 'administrator')
    const { client } = other
    const params = { code }
    expect(await heldLogins(other)).toEqual([])
    expect(await outcome(client.call(get, { params }))).toContain('404')
    expect(await outcome(client.call(deny, { params }))).toContain('404')
    expect(await outcome(approve(other, code))).toContain('404')
    expect(await heldLogins(owner)).toHaveLength(1)
  })

  it('is approved once: a second approval by the same code is refused', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    const at = await Promise.all(Array.from({ length: 5 }, () => outcome(approve(owner, code))))
    expect(at.filter((one) => one === '200')).toHaveLength(1)
    expect(await outcome(approve(owner, code))).toContain('404')
    await answerOf(client)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })

  it('is approved by a person without a factor after their password only, when their sign-in is old', async () => {
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    await server.database
      .system()
      .updateTable('sign_ins')
      .set({ created_at: new Date(0) })
      .execute()
    expect(await outcome(approve(owner, code))).toBe('403 FRESH_PROOF_REQUIRED')
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    expect(await outcome(approve(owner, code))).toBe('200')
    await answerOf(client)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
  })

  it('takes its code with and without hyphen, in any case', async () => {
    await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    const params = { code: code.toLowerCase().replace('-', '') }
    expect((await owner.client.call(get, { params })).body.code).toBe(code)
  })

  it('is announced to listeners of the namespace, without its code', async () => {
    const stream = await server.fetch('/api/events', { headers: { authorization: `Bearer ${owner.auth.token}` } })
    await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    const heard = await readUntil(stream, 'held-logins.changed')
    expect(heard).toContain(`"user":"${owner.id}"`)
    expect(heard).not.toContain(code)
  })

  it('counts wrong codes: after some of them no code is looked up for the person', async () => {
    const guesses = LIMITS.heldLogin.guessesPerHour
    for (let i = 0; i < guesses; i += 1) {
      expect(await outcome(owner.client.call(get, { params: { code: 'BBBB-BBBB' } }))).toContain('404')
    }
    expect(await outcome(owner.client.call(get, { params: { code: 'BBBB-BBBB' } }))).toContain('429')
  })

  it('is not shown for its right code either, once the guesses are used up', async () => {
    await signing(server, login, await ownKey(owner), OPENSSH)
    const { code } = await theHeldLogin(owner)
    expect(await outcome(owner.client.call(get, { params: { code } }))).not.toContain('429')
    for (let i = 0; i < LIMITS.heldLogin.guessesPerHour; i += 1)
      await outcome(owner.client.call(get, { params: { code: 'BBBB-BBBB' } }))
    expect(await outcome(owner.client.call(get, { params: { code } }))).toContain('429')
  })

  it('is one of a few that wait for a person', async () => {
    const kinds: string[] = []
    for (let i = 0; i <= LIMITS.heldLogin.perPerson; i += 1) {
      const client = await signing(server, login, await ownKey(owner), OPENSSH)
      kinds.push((await answerOf(client)).kind)
    }
    expect(kinds.filter((kind) => kind === 'banner')).toHaveLength(LIMITS.heldLogin.perPerson)
    expect(kinds.at(-1)).toBe('disconnect')
    expect((await owner.client.call(list, {})).body).toHaveLength(LIMITS.heldLogin.perPerson)
  })

  it('lets nothing in from another source', async () => {
    const key = await ownKey(owner)
    await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await server.database
      .system()
      .updateTable('factor_windows')
      .set({ source: '192.0.2.1' })
      .where('tenant_id', '=', owner.tenant)
      .execute()
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'failure' })
  })

  it('is in the audit log of the namespace and in the activity of the person', async () => {
    await signing(server, login, await ownKey(owner), OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    const { body: entries } = await owner.client.call(operations.audit.list, {})
    expect(entries[0]).toMatchObject({
      action: 'held-login.approve',
      actor: { id: owner.id },
      target: device.device.uid,
    })
    const { body: activity } = await owner.client.call(operations.users.listActivity, { query: {} })
    expect(activity[0]).toMatchObject({ kind: 'ssh-login.approve' })
  })

  it.each([
    {
      what: 'a sign-in of its person that is ended',
      end: async () => {
        const body = { username: owner.username, password: owner.password }
        const { token } = (await server.client().call(operations.auth.login, { body })).body
        const [other] = (await owner.client.call(operations.users.listSignIns, {})).body.filter(
          ({ current }) => !current,
        )
        await owner.client.call(operations.users.endSignIn, { params: { id: other?.id ?? '' } })
        return token
      },
    },
    { what: 'the first factor of its person', end: () => addFactor(owner.client, clock) },
  ])('closes its window with $what', async ({ end }) => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(client)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    expect(await answerOf(await signing(server, login, key, OPENSSH))).toMatchObject({ kind: 'success' })
    await end()
    expect((await answerOf(await signing(server, login, key, OPENSSH))).kind).not.toBe('success')
  })

  it('goes with the membership of its person, and so does the window', async () => {
    const member = await server.addPerson(`leaver-${number}`)
    await server.addMember(owner.tenant, member.id, 'administrator')
    const inTenant = server.client(
      (await member.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } })).body.token,
    )
    await signing(server, login, await ownKey({ ...member, client: inTenant }), OPENSSH)
    const { code } = await theHeldLogin(member)
    await server.removeMember(owner.tenant, member.id)
    expect(await heldLogins(member)).toEqual([])
    expect(await outcome(approve(member, code))).toContain('404')
  })
})

describe('the settings of the second factor', () => {
  it('are off by default, and audited', async () => {
    const params = { tenant: owner.tenant }
    const { body } = await owner.client.call(operations.namespaces.get, { params })
    expect(body.settings).toMatchObject({
      ssh_second_factor: false,
      ssh_second_factor_hours: 12,
      ssh_second_factor_service_keys: false,
    })
    await askForFactor(owner, { ssh_second_factor_hours: 1 })
    const { body: entries } = await owner.client.call(operations.audit.list, {})
    expect(entries[0]).toMatchObject({
      action: 'namespace.update',
      details: { before: { ssh_second_factor: false }, after: { ssh_second_factor: true, ssh_second_factor_hours: 1 } },
    })
  })

  it('are switched by people only, with a fresh proof of those who have a factor', async () => {
    const params = { tenant: owner.tenant }
    const { body: apiKey } = await owner.client.call(operations.apiKeys.create, {
      body: { name: 'a-program', expires_at: -1, role: 'administrator' },
    })
    const update = (settings: object) =>
      server.fetch(`/api/namespaces/${owner.tenant}`, {
        method: 'PUT',
        headers: { 'x-api-key': apiKey.id, 'content-type': 'application/json' },
        body: JSON.stringify({ settings }),
      })
    expect((await update({ ssh_second_factor: true })).status).toBe(403)
    expect((await update({ ssh_second_factor: false, forwarding: false })).status).toBe(200)
    const { secret } = await addFactor(owner.client, clock)
    await server.database.system().deleteFrom('fresh_proofs').where('user_id', '=', owner.id).execute()
    clock.advance(60_000)
    expect(await outcome(askForFactor(owner))).toBe('403 FRESH_PROOF_REQUIRED')
    await owner.client.call(operations.mfa.prove, { body: { code: codeAt(secret, clock.now()) } })
    expect(await outcome(askForFactor(owner))).toBe('200')
    expect(await outcome(owner.client.call(operations.namespaces.get, { params }))).toBe('200')
  })

  it('take one hour to a week', async () => {
    expect(await outcome(askForFactor(owner, { ssh_second_factor_hours: 0 }))).toContain('400')
    expect(await outcome(askForFactor(owner, { ssh_second_factor_hours: 169 }))).toContain('400')
  })
})

describe('a web terminal in a namespace that asks for a second factor', () => {
  const open = (from = '203.0.113.5') =>
    post(server, `/api/devices/${device.device.uid}/terminal`, { username: 'root' }, { from, token: owner.auth.token })

  it('needs a fresh proof of a person who has a factor, once for the hours of the window and the network', async () => {
    await askForFactor(owner)
    const { secret } = await addFactor(owner.client, clock)
    await server.database.system().deleteFrom('fresh_proofs').where('user_id', '=', owner.id).execute()
    clock.advance(60_000)
    expect((await open()).status).toBe(403)
    await owner.client.call(operations.mfa.prove, { body: { code: codeAt(secret, clock.now()) } })
    expect((await open()).status).toBe(200)
    clock.advance(3_600_000)
    expect((await open()).status).toBe(200)
    expect((await open('198.51.100.9')).status).toBe(403)
    clock.advance(12 * 3_600_000)
    expect((await open()).status).toBe(403)
  })

  it('opens for a person without a factor after their password, once for the hours of the window', async () => {
    await askForFactor(owner)
    clock.advance(11 * 60_000)
    expect((await open()).status).toBe(403)
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    expect((await open()).status).toBe(200)
    clock.advance(3_600_000)
    expect((await open()).status).toBe(200)
    clock.advance(12 * 3_600_000)
    expect((await open()).status).toBe(403)
  })

  it('opens for nobody with an API key', async () => {
    await askForFactor(owner)
    const { body: apiKey } = await owner.client.call(operations.apiKeys.create, {
      body: { name: 'a-program', expires_at: -1, role: 'administrator' },
    })
    const response = await server.fetch(`/api/devices/${device.device.uid}/terminal`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey.id, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root' }),
    })
    expect(response.status).toBe(403)
  })
})
