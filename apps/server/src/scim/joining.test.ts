// Joining a namespace that has been prepared by SCIM: at a sign-in by a provider that vouches for the address, by mail,
// and what everybody connected hears of it.
import { operations } from '@bowline/contract/operations'
import { UserId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { linkIn, unique } from '../registration/testing.ts'
import {
  CLIENT,
  type TestOpenidProvider,
  type TestPerson,
  startOpenidProvider,
} from '../single-sign-on/openid/testing/provider.ts'
import { testBrowser } from '../single-sign-on/testing/browser.ts'
import { type BootedServer, type Person, bootServer, readUntil } from '../testing/boot.ts'
import { type TestProvider, startProvider, trustProvider } from './testing.ts'

const { openid, namespaces, auth, events, members, scim } = operations
const ORIGIN = 'https://bowline.example.com'
let server: BootedServer
let idp: TestOpenidProvider
let signInProvider = ''
let provider: TestProvider

beforeAll(async () => {
  idp = await startOpenidProvider(`${ORIGIN}/api/user/openid/callback`)
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  const admin = await server.setUpAccount()
  const { body } = await admin.client.call(openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })
  signInProvider = body.id
  provider = await startProvider(server, await server.addPerson(unique()))
  await trustProvider(server, provider)
})
afterAll(async () => {
  await server.close()
  await idp.close()
})

const person = () => {
  const name = unique()
  return { sub: name, email: `${name}@example.org`, email_verified: true, name, groups: [] }
}
async function signIn(who: TestPerson) {
  const browser = testBrowser(server)
  const { url } = (await (await browser.send(`/api/user/openid/${signInProvider}/auth`)).json()) as { url: string }
  const back = await idp.authorize(new URL(url).href, who)
  return browser.signIn(await browser.open(back.pathname + back.search))
}
const memberOf = async ({ client, tenant }: Person, email: string) =>
  (await client.call(namespaces.get, { params: { tenant } })).body.members.find((member) => member.email === email)
const create = (email: string) => provider.send('POST', '/Users', { userName: email, active: true })

describe('sign-in by a provider', () => {
  it('makes people members who had no account before', async () => {
    const who = person()
    await create(who.email)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({ status: 'pending' })
    const signedIn = await signIn(who)
    expect(signedIn.tenant).toBe(provider.owner.tenant)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({
      id: signedIn.id,
      status: 'accepted',
      role: 'observer',
    })
  })

  it('makes people members who have signed in by it before', async () => {
    const who = person()
    const { id } = await signIn(who)
    await create(who.email)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({ id, status: 'pending' })
    await signIn(who)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({ id, status: 'accepted' })
  })

  it('makes nobody a member of a namespace that only its own people trust', async () => {
    const own = await startProvider(server, await server.addPerson(unique()))
    const who = person()
    await own.send('POST', '/Users', { userName: who.email, active: true })
    const signedIn = await signIn(who)
    expect([signedIn.tenant, await memberOf(own.owner, who.email)]).toEqual([
      '',
      expect.objectContaining({ id: signedIn.id, status: 'pending' }),
    ])
    const { client, tenant } = own.owner
    const body = { enabled: true, joins_at_sign_in: true }
    await client.call(scim.update, { params: { tenant }, body })
    expect((await signIn(who)).tenant).toBe('')
    await server.client(signedIn.token).call(members.acceptInvite, { params: { tenant }, body: {} })
    expect(await memberOf(own.owner, who.email)).toMatchObject({ status: 'accepted' })
  })

  it('makes nobody a member again who has left, until they accept', async () => {
    const who = person()
    const user = { userName: who.email, active: true }
    const { id: scimId } = (await provider.send('POST', '/Users', user)).body
    const params = { tenant: provider.owner.tenant }
    const joined = await signIn(who)
    await server.client(joined.token).call(members.leave, { params })
    const set = (active: boolean) => provider.send('PUT', `/Users/${scimId}`, { ...user, active })
    await set(false)
    await set(true)
    expect((await signIn(who)).tenant).toBe('')
    await provider.send('DELETE', `/Users/${scimId}`)
    await provider.send('POST', '/Users', user)
    const signedIn = await signIn(who)
    expect([signedIn.tenant, (await memberOf(provider.owner, who.email))?.status]).toEqual(['', 'pending'])
    await server.client(signedIn.token).call(members.acceptInvite, { params, body: {} })
    expect((await signIn(who)).tenant).toBe(params.tenant)
  })

  it('makes no namespace that people have just joined the one that they work in', async () => {
    const who = person()
    const { id } = await signIn(who)
    const first = await server.addPerson(unique())
    await server.addMember(first.tenant, UserId.parse(id), 'observer')
    await create(who.email)
    const signedIn = await signIn(who)
    expect(signedIn.tenant).toBe(first.tenant)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({ id, status: 'accepted' })
  })

  it('leaves the invitation alone when the provider does not vouch for the address, or for another', async () => {
    const [first, second] = [person(), person()]
    await signIn(first)
    await create(first.email)
    await signIn({ ...first, email_verified: false })
    await signIn({ ...first, email: second.email })
    expect(await memberOf(provider.owner, first.email)).toMatchObject({ status: 'pending' })
  })

  it('leaves the invitation alone while provisioning is off', async () => {
    const who = person()
    await create(who.email)
    const { client, tenant } = provider.owner
    await client.call(scim.update, { params: { tenant }, body: { enabled: false } })
    await signIn(who)
    expect(await memberOf(provider.owner, who.email)).toMatchObject({ status: 'pending' })
    await client.call(scim.update, { params: { tenant }, body: { enabled: true } })
  })
})

describe('people connected to the namespace', () => {
  it('hear of its beginning, its acceptance and its end, with which its own session is over', async () => {
    const who = person()
    const first = readUntil(await provider.owner.client.open(events.stream, {}), 'member.changed')
    await create(who.email)
    const signedIn = await signIn(who)
    expect(await first).toMatch(/member\.added[\s\S]*pending[\s\S]*member\.changed[\s\S]*accepted/)
    const client = server.client(signedIn.token)
    await client.call(namespaces.get, { params: { tenant: provider.owner.tenant } })
    const stream = await provider.owner.client.open(events.stream, {})
    const heard = readUntil(stream, 'member.removed')
    const { body } = await provider.send('GET', `/Users?filter=userName eq "${who.email}"`)
    await provider.send('DELETE', `/Users/${body.Resources[0].id}`)
    expect(await heard).toContain(signedIn.id)
    const again = client.call(auth.switchNamespace, { params: { tenant: provider.owner.tenant } })
    await expect(again).rejects.toMatchObject({ status: 401 })
  })
})

describe('invitation by mail', () => {
  let mailing: BootedServer
  beforeAll(async () => {
    mailing = await bootServer({
      settings: {
        BOWLINE_PUBLIC_URL: ORIGIN,
        BOWLINE_REGISTRATION: 'open',
        BOWLINE_SMTP_URL: 'smtp://127.0.0.1:9',
        BOWLINE_SMTP_FROM: 'bowline@example.com',
        BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
      },
    })
    await mailing.setUpAccount()
  })
  afterAll(() => mailing.close())

  it('goes out where the server sends mail, unless it is switched off', async () => {
    const from = await startProvider(mailing, await mailing.addPerson(unique()))
    const [first, second] = [`${unique()}@example.com`, `${unique()}@example.com`]
    await from.send('POST', '/Users', { userName: first, active: true })
    expect((await linkIn(mailing, first, 'invitation')).pathname).toBe('/accept-invite')
    const { client, tenant } = from.owner
    await client.call(scim.update, { params: { tenant }, body: { mails: false } })
    await from.send('POST', '/Users', { userName: second, active: true })
    expect(await mailsTo(mailing, second, 'invitation')).toEqual([])
  })
})

describe('large group', () => {
  it('is filled and emptied with thousands of people, whose roles follow', async () => {
    const filled = await startProvider(server, await server.addPerson(unique()))
    const { owner } = filled
    const { tenant, client } = owner
    const roles = [{ group: 'everybody', role: 'operator' as const }]
    await client.call(scim.update, { params: { tenant }, body: { roles } })
    const known = await filled.send('POST', '/Users', { userName: `${unique()}@example.org` })
    const ids = Array.from({ length: 3_000 }, () => crypto.randomUUID())
    const at = new Date()
    const row = (id: string) => ({
      tenant_id: tenant,
      id,
      user_name: id,
      user_name_key: id,
      email: `${id}@example.org`,
      created_at: at,
      changed_at: at,
    })
    await server.database
      .system()
      .insertInto('scim_people')
      .values(ids.map((id) => row(id)))
      .execute()
    const members = [known.body.id, ...ids].map((value) => ({ value }))
    const group = await filled.send('POST', '/Groups', { displayName: 'Everybody', members })
    expect([group.status, group.body.members.length]).toEqual([201, 3_001])
    expect(await memberOf(owner, known.body.userName)).toMatchObject({ role: 'operator' })
    const listed = await filled.send('GET', '/Groups')
    expect(listed.body.Resources[0].members).toHaveLength(3_001)
    const remove = { Operations: [{ op: 'Remove', path: 'members' }] }
    expect((await filled.send('PATCH', `/Groups/${group.body.id}`, remove)).status).toBe(204)
    expect((await filled.send('GET', `/Groups/${group.body.id}`)).body.members).toEqual([])
    expect(await memberOf(owner, known.body.userName)).toMatchObject({ role: 'observer' })
  })
})
