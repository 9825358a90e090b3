// Provisioning against those who misuse it: other namespaces, people without the role, absurd requests, races.
import { operations } from '@bowline/contract/operations'
import type { UserId } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unique } from '../registration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { freshKeyData } from '../testing/samples.ts'
import { type TestProvider, sendScim, startProvider } from './testing.ts'

const { scim, members, namespaces, audit, apiKeys, publicKeys, auth } = operations
let clock: ManualClock
let server: BootedServer
let provider: TestProvider
let other: TestProvider
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
  provider = await startProvider(server, await server.addPerson(unique()))
  other = await startProvider(server, await server.addPerson(unique()))
})
afterAll(() => server.close())
// Refills the rate limits.
beforeEach(() => clock.advance(20_000))

const newPerson = () => server.addPerson(unique())
const emailOf = ({ username }: Person) => `${username}@example.com`
const user = (userName = `${unique()}@example.com`, more: object = {}) => ({ userName, active: true, ...more })
const patch = (...Operations: object[]) => ({ Operations })
const create = async (from: TestProvider, body: object = user()) => (await from.send('POST', '/Users', body)).body
const paramsOf = ({ owner }: TestProvider) => ({ tenant: owner.tenant })
const memberOf = async ({ owner }: TestProvider, email: string) =>
  (await owner.client.call(namespaces.get, { params: { tenant: owner.tenant } })).body.members.find(
    (member) => member.email === email,
  )
/** Somebody of the namespace, with a client of it. */
async function memberWith(from: TestProvider, role: 'observer' | 'administrator'): Promise<Person> {
  const person = await newPerson()
  await server.addMember(from.owner.tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: paramsOf(from) })
  return { ...person, client: server.client(body.token) }
}
/** Somebody whom the provider has made a member, after acceptance. */
async function joined(from: TestProvider): Promise<Person & { readonly scim: string }> {
  const person = await newPerson()
  const { id } = await create(from, user(emailOf(person)))
  await person.client.call(members.acceptInvite, { params: paramsOf(from), body: {} })
  return { ...person, scim: id }
}
const setRole = (from: TestProvider, uid: UserId, role: 'observer' | 'operator' | 'administrator') =>
  outcome(from.owner.client.call(members.update, { params: { ...paramsOf(from), uid }, body: { role } }))

describe('token of SCIM', () => {
  it('opens its own namespace only, and nothing but SCIM', async () => {
    const at = (tenant: string, token: string) => sendScim(server, tenant, token, { method: 'GET', path: '/Users' })
    expect((await at(other.owner.tenant, provider.token)).body).toMatchObject({ status: '404' })
    expect((await at(provider.owner.tenant.toUpperCase(), provider.token)).status).toBe(200)
    for (const token of ['', 'scim_', `${provider.token}x`, provider.owner.auth.token]) {
      const answer = await at(provider.owner.tenant, token)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    const asUser = server.client(provider.token).call(namespaces.get, { params: paramsOf(provider) })
    expect(await outcome(asUser)).toBe('401 UNAUTHORIZED')
  })

  it('is made, listed and revoked by administrators, and stored as a hash', async () => {
    const observer = await memberWith(provider, 'observer')
    const calls = [
      observer.client.call(scim.get, { params: paramsOf(provider) }),
      observer.client.call(scim.createToken, { params: paramsOf(provider), body: { name: 'mine' } }),
      observer.client.call(scim.update, { params: paramsOf(provider), body: { enabled: false } }),
      observer.client.call(scim.removeToken, { params: { ...paramsOf(provider), id: provider.tokenId } }),
    ]
    expect(new Set(await Promise.all(calls.map((call) => outcome(call))))).toEqual(new Set(['403 FORBIDDEN']))
    const { client } = provider.owner
    const { body } = await client.call(scim.createToken, { params: paramsOf(provider), body: { name: 'second' } })
    const again = client.call(scim.createToken, { params: paramsOf(provider), body: { name: 'second' } })
    expect(await outcome(again)).toBe('409 CONFLICT name')
    const request = { method: 'GET', path: '/ServiceProviderConfig' }
    expect((await sendScim(server, provider.owner.tenant, body.token, request)).body.patch).toEqual({ supported: true })
    const { body: settings } = await client.call(scim.get, { params: paramsOf(provider) })
    expect(JSON.stringify(settings)).not.toContain(body.token)
    expect(settings.tokens.find(({ name }) => name === 'second')?.last_used_at).not.toBeNull()
    const rows = await server.database.system().selectFrom('scim_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(body.token)
    const params = { ...paramsOf(provider), id: body.id }
    expect(
      await outcome(other.owner.client.call(scim.removeToken, { params: { ...params, ...paramsOf(other) } })),
    ).toBe('404 NOT_FOUND')
    expect(await outcome(client.call(scim.removeToken, { params }))).toBe('200')
    expect((await sendScim(server, provider.owner.tenant, body.token, request)).status).toBe(401)
  })

  it('ends with the membership of its maker, and rests while they are no administrator', async () => {
    const maker = await memberWith(provider, 'administrator')
    const { body } = await maker.client.call(scim.createToken, {
      params: paramsOf(provider),
      body: { name: 'of another' },
    })
    const status = async () =>
      (await sendScim(server, provider.owner.tenant, body.token, { method: 'GET', path: '/Users' })).status
    expect(await status()).toBe(200)
    expect(await setRole(provider, maker.id, 'operator')).toBe('200')
    expect(await status()).toBe(401)
    expect(await setRole(provider, maker.id, 'administrator')).toBe('200')
    expect(await status()).toBe(200)
    await provider.owner.client.call(members.remove, { params: { ...paramsOf(provider), uid: maker.id } })
    expect(await status()).toBe(401)
  })

  it('is refused while provisioning is off', async () => {
    const { client } = other.owner
    await client.call(scim.update, { params: paramsOf(other), body: { enabled: false } })
    expect((await other.send('GET', '/Users')).status).toBe(403)
    await client.call(scim.update, { params: paramsOf(other), body: { enabled: true } })
    expect((await other.send('GET', '/Users')).status).toBe(200)
  })

  it('may send only so many requests', async () => {
    const answers: number[] = []
    const ask = async () => void answers.push((await other.send('GET', '/ServiceProviderConfig')).status)
    for (let i = 0; i < 13; i += 1) await Promise.all(Array.from({ length: 40 }, ask))
    expect([answers[0], answers.at(-1)]).toEqual([200, 429])
  })
})

describe('isolation of provisioning', () => {
  it('does not show, change or put into groups people of another namespace', async () => {
    const { id } = await create(other)
    expect((await provider.send('GET', `/Users/${id}`)).status).toBe(404)
    expect((await provider.send('DELETE', `/Users/${id}`)).status).toBe(404)
    expect((await provider.send('GET', `/Users?filter=id eq "${id}"`)).body.totalResults).toBe(0)
    const group = (name: string, value: string) => ({ displayName: name, members: [{ value }] })
    const foreign = await provider.send('POST', '/Groups', group('foreign', id))
    const unknown = await provider.send('POST', '/Groups', group('foreign', crypto.randomUUID()))
    expect([foreign.status, foreign.body]).toEqual([400, unknown.body])
    expect((await provider.send('GET', '/Groups?filter=displayName eq "foreign"')).body.totalResults).toBe(0)
  })

  it('invites by mail address and gains nothing over the account', async () => {
    const person = await newPerson()
    const before = server.database.system().selectFrom('users').selectAll().where('id', '=', person.id)
    const row = await before.executeTakeFirstOrThrow()
    const { id } = await create(provider, user(emailOf(person), { displayName: 'Mallory', password: 'chosen-by-scim' }))
    const changes = patch({ op: 'replace', value: { password: 'chosen-by-scim', userName: 'x@example.org' } })
    expect((await provider.send('PATCH', `/Users/${id}`, changes)).status).toBe(200)
    expect((await provider.send('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(await before.executeTakeFirstOrThrow()).toEqual(row)
    const enter = person.client.call(auth.switchNamespace, { params: paramsOf(provider) })
    expect(await outcome(enter)).toBe('404 NOT_FOUND')
  })

  it('lets nobody but the owner of the address accept', async () => {
    const [invited, stranger] = [await newPerson(), await newPerson()]
    await create(provider, user(emailOf(invited)))
    const accept = ({ client }: Person) =>
      outcome(client.call(members.acceptInvite, { params: paramsOf(provider), body: {} }))
    expect(await accept(stranger)).toBe('404 NOT_FOUND')
    expect(await accept(invited)).toBe('200')
  })

  it('refuses to remove, deactivate or demote the owner', async () => {
    const { id, active } = await create(provider, user(emailOf(provider.owner)))
    expect(active).toBe(true)
    const off = await provider.send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    expect([off.status, off.body.scimType]).toEqual([403, 'mutability'])
    expect((await provider.send('DELETE', `/Users/${id}`)).status).toBe(403)
    expect(await memberOf(provider, emailOf(provider.owner))).toMatchObject({ role: 'owner', status: 'accepted' })
  })
})

describe('membership by provisioning', () => {
  it('ends API keys and disables SSH keys with active false, and does not bring them back', async () => {
    const person = await joined(provider)
    await server.database
      .system()
      .updateTable('members')
      .set({ role: 'administrator' })
      .where('user_id', '=', person.id)
      .where('tenant_id', '=', provider.owner.tenant)
      .execute()
    const { body: session } = await person.client.call(auth.switchNamespace, { params: paramsOf(provider) })
    const client = server.client(session.token)
    const filter = { hostname: '.*' }
    const key = { data: freshKeyData(), name: 'laptop', username: 'root', filter }
    const { fingerprint } = (await client.call(publicKeys.create, { body: key })).body
    await client.call(apiKeys.create, { body: { name: 'robot', expires_at: 30, role: 'observer' } })
    const set = (value: boolean) =>
      provider.send('PATCH', `/Users/${person.scim}`, patch({ op: 'replace', path: 'active', value }))
    expect((await set(false)).body.active).toBe(false)
    expect(await outcome(client.call(namespaces.get, { params: paramsOf(provider) }))).toMatch(/^40[13]/)
    expect((await set(true)).body.active).toBe(true)
    expect(await memberOf(provider, emailOf(person))).toMatchObject({ status: 'accepted', role: 'observer' })
    const { body: keys } = await provider.owner.client.call(apiKeys.list, {})
    expect(keys.filter(({ name }) => name === 'robot')).toEqual([])
    const rows = server.database.system().selectFrom('public_keys').select(['owner', 'former_owner'])
    expect(await rows.where('fingerprint', '=', fingerprint).execute()).toEqual([
      { owner: null, former_owner: emailOf(person) },
    ])
  })

  it('does not come back by itself under another address', async () => {
    const [person, second] = [await joined(provider), await newPerson()]
    const set = (...steps: object[]) => provider.send('PATCH', `/Users/${person.scim}`, patch(...steps))
    await set({ op: 'replace', path: 'active', value: false })
    await set(
      { op: 'replace', path: 'userName', value: emailOf(second) },
      { op: 'replace', path: 'emails', value: emailOf(second) },
    )
    await set({ op: 'replace', path: 'active', value: true })
    expect(await memberOf(provider, emailOf(person))).toBeUndefined()
    expect(await memberOf(provider, emailOf(second))).toMatchObject({ status: 'pending' })
  })

  it('asks again whoever has left, or was removed by a member', async () => {
    const person = await joined(provider)
    await person.client.call(members.leave, { params: paramsOf(provider) })
    expect((await provider.send('GET', `/Users/${person.scim}`)).body.active).toBe(false)
    await provider.send('PATCH', `/Users/${person.scim}`, patch({ op: 'replace', path: 'active', value: true }))
    expect(await memberOf(provider, emailOf(person))).toMatchObject({ status: 'pending' })
  })

  it('owns the role while it is on, also against an invitation by hand', async () => {
    const person = await joined(provider)
    const marked = async () => [
      (await memberOf(provider, emailOf(person)))?.provisioned,
      (await memberOf(provider, emailOf(provider.owner)))?.provisioned,
    ]
    expect(await marked()).toEqual([true, false])
    expect(await setRole(provider, person.id, 'operator')).toBe('403 ROLE_PROVISIONED')
    const email = `${unique()}@example.com`
    await create(provider, user(email))
    const invite = provider.owner.client.call(members.invite, {
      params: paramsOf(provider),
      body: { email, role: 'administrator' },
    })
    expect(await outcome(invite)).toBe('403 ROLE_PROVISIONED')
    const { client } = provider.owner
    await client.call(scim.update, { params: paramsOf(provider), body: { enabled: false } })
    expect(await marked()).toEqual([false, false])
    expect(await setRole(provider, person.id, 'operator')).toBe('200')
    await client.call(scim.update, { params: paramsOf(provider), body: { enabled: true } })
    expect(await memberOf(provider, emailOf(person))).toMatchObject({ role: 'observer' })
  })

  it('invites to the new address when it changes before acceptance', async () => {
    const [first, second] = [await newPerson(), await newPerson()]
    const { id } = await create(provider, user(emailOf(first)))
    const steps = patch(
      { op: 'replace', path: 'userName', value: emailOf(second) },
      { op: 'replace', path: 'emails[type eq "work"].value', value: emailOf(second) },
    )
    expect((await provider.send('PATCH', `/Users/${id}`, steps)).status).toBe(200)
    expect(await memberOf(provider, emailOf(first))).toBeUndefined()
    expect(await memberOf(provider, emailOf(second))).toMatchObject({ status: 'pending' })
  })

  it('is in the audit log with the name of the token, and its refusals in the settings', async () => {
    const person = await joined(provider)
    await provider.send('DELETE', `/Users/${person.scim}`)
    const { body: entries } = await provider.owner.client.call(audit.list, { query: { per_page: '20' } })
    expect(entries.find(({ action }) => action === 'member.remove')).toMatchObject({
      target: person.id,
      actor: { type: 'system', id: 'SCIM token Entra ID' },
    })
    await provider.send('POST', '/Users', { active: true })
    const last = async () => (await provider.owner.client.call(scim.get, { params: paramsOf(provider) })).body.requests
    await expect
      .poll(async () => (await last())[0])
      .toMatchObject({
        method: 'POST',
        path: '/Users',
        status: 400,
        detail: 'userName: is required.',
      })
    expect((await last()).length).toBeLessThanOrEqual(20)
  })
})

describe('request of SCIM', () => {
  it('is refused with a filter that is too long, deep or of another kind', async () => {
    const filters = [
      `userName eq "${'x'.repeat(2_000)}"`,
      'userName eq "\\u0000"',
      'userName eq "a\0b"',
      'userName',
      'userName eq',
      'userName sw "a"',
      'userName eq "a" or userName eq "b"',
      'not (userName eq "a")',
      'userName eq "a',
      `${'('.repeat(500)}userName eq "a"${')'.repeat(500)}`,
      'password eq "x"',
      '[[[[[[',
      Array.from({ length: 20 }, () => 'active eq true').join(' and '),
    ]
    for (const filter of filters) {
      const { status, body } = await provider.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect([filter, status, body.scimType]).toEqual([filter, 400, 'invalidFilter'])
    }
  })

  it('compares names in a filter as texts, whatever they contain', async () => {
    const name = `o'neil" and active eq true %_\\ ${unique()}`
    const { id } = await create(provider, user(name, { emails: [{ value: `${unique()}@example.com` }] }))
    const filter = `userName eq ${JSON.stringify(name.toUpperCase())} and active eq True`
    const { body } = await provider.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(body.Resources.map((one: { id: string }) => one.id)).toEqual([id])
  })

  it('is refused when it is too deep, too large or has too many changes', async () => {
    const { id } = await create(provider)
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`
    expect((await provider.send('POST', '/Users', deep)).body).toMatchObject({
      status: '400',
      scimType: 'invalidSyntax',
    })
    expect((await provider.send('POST', '/Users', `{"userName":"${'x'.repeat(600_000)}"}`)).status).toBe(413)
    const change = { op: 'replace', path: 'active', value: true }
    const many = patch(...Array.from({ length: 10_000 }, () => change))
    expect((await provider.send('PATCH', `/Users/${id}`, many)).status).toBe(400)
    const some = patch(...Array.from({ length: 2_000 }, () => change))
    expect((await provider.send('PATCH', `/Users/${id}`, some)).body.detail).toContain('Operations')
    expect((await provider.send('POST', '/Users', '{"userName":"a","userName":"b"}')).status).toBe(400)
    expect((await provider.send('POST', '/Users', '{"__proto__":{"active":true}}')).status).toBe(400)
    expect((await provider.send('POST', '/Users', '{"userName":"a\\u0000@example.com"}')).status).toBe(400)
    const text = await provider.send('POST', '/Users', 'userName=a', { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
  })

  it('ignores unknown attributes and takes names of attributes in any case', async () => {
    const email = `${unique()}@example.com`
    const { status, body } = await provider.send('POST', '/Users', {
      USERNAME: email,
      DisplayName: 'Ada',
      'urn:example:params:scim:schemas:extension:Custom': { userName: 'evil' },
      nickName: 'A',
      title: ['x'],
    })
    expect([status, body.userName, body.displayName]).toEqual([201, email, 'Ada'])
    const steps = patch(
      { OP: 'ADD', Path: 'URN:ietf:params:scim:schemas:core:2.0:User:DisplayName', VALUE: 'Grace' },
      { op: 'add', path: 'x509Certificates', value: [] },
      { op: 'replace', path: 'urn:example:Custom:active', value: 'False' },
    )
    const changed = await provider.send('PATCH', `/Users/${body.id}`, steps)
    expect([changed.status, changed.body.displayName, changed.body.active]).toEqual([200, 'Grace', true])
  })

  it('names the attribute that is wrong', async () => {
    const { id } = await create(provider)
    const wrong: [object, string][] = [
      [patch({ op: 'move', path: 'active', value: true }), 'invalidSyntax'],
      [patch({ op: 'replace', path: 'active[', value: true }), 'invalidPath'],
      [patch({ op: 'remove' }), 'invalidPath'],
      [patch({ op: 'replace', path: 'active', value: 'maybe' }), 'invalidValue'],
      [patch({ op: 'replace', path: 'userName', value: null }), 'invalidValue'],
      [patch({ op: 'replace', path: 'emails', value: 'nobody' }), 'invalidValue'],
      [{ Operations: {} }, 'invalidSyntax'],
      [[], 'invalidSyntax'],
    ]
    for (const [body, scimType] of wrong) {
      const answer = await provider.send('PATCH', `/Users/${id}`, body)
      expect([body, answer.status, answer.body.scimType]).toEqual([body, 400, scimType])
    }
    expect((await provider.send('GET', '/Nothing')).body.status).toBe('404')
    expect((await provider.send('GET', '/Users?count=x')).status).toBe(400)
  })

  it('creates one of two users with the same name, or the same address, at once', async () => {
    const email = `${unique()}@example.com`
    const statuses = async (bodies: readonly object[]) =>
      (await Promise.all(bodies.map((body) => provider.send('POST', '/Users', body))))
        .map(({ status }) => status)
        .toSorted((a, b) => a - b)
    expect(await statuses([user(email), user(email.toUpperCase()), user(email)])).toEqual([201, 409, 409])
    const emails = [{ value: `${unique()}@example.com` }]
    expect(await statuses([user(unique(), { emails }), user(unique(), { emails })])).toEqual([201, 409])
    const groups = await Promise.all(
      ['Twins', 'TWINS'].map((displayName) => provider.send('POST', '/Groups', { displayName })),
    )
    expect(groups.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  it('reads long lists in pages without a gap', async () => {
    const fresh = await startProvider(server, await newPerson())
    const ids = []
    for (let i = 0; i < 5; i += 1) ids.push((await create(fresh)).id)
    const page = async (query: string) => (await fresh.send('GET', `/Users?${query}`)).body
    const first = await page('startIndex=1&count=2')
    const second = await page('startIndex=3&count=2')
    const last = await page('startIndex=5&count=2')
    const found = [first, second, last].flatMap((one) => one.Resources.map(({ id }: { id: string }) => id))
    expect(new Set(found)).toEqual(new Set(ids))
    expect(found).toHaveLength(5)
    expect([last.totalResults, last.startIndex, last.itemsPerPage]).toEqual([5, 5, 1])
    expect(await page('startIndex=-3&count=0')).toMatchObject({ totalResults: 5, startIndex: 1, itemsPerPage: 0 })
    expect((await page('startIndex=999999999&count=99999')).Resources).toEqual([])
  })
})
