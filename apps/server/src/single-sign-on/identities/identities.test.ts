// The list of linked identities and the removal of one, through a running server.
import { operations } from '@bowline/contract/operations'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailsTo } from '../../mails/testing/outbox.ts'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { createIdentityProvider } from '../saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from '../saml/testing/sign-in.ts'
import { testBrowser, tokenOf } from '../testing/browser.ts'

const ISSUER = 'https://idp.example.org/metadata'
const { singleSignOn, users, mfa } = operations
const clock = new ManualClock(Date.UTC(2_026, 10, 23, 12))
let server: BootedServer
let saml: SamlSignIns
let admin: Person
beforeAll(async () => {
  const settings = { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  admin = await server.setUpAccount()
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(admin)
})
afterAll(() => server.close())

const parts = (name: string, nameId = `id-${name}`) => ({
  nameId,
  attributes: { emailAddress: `${name}@example.com`, displayName: name },
})

/** Somebody without a password, whom a first sign-in has made. */
async function newcomer(name: string): Promise<UserAuth> {
  const browser = testBrowser(server)
  return browser.signIn(await saml.signIn(browser, parts(name)))
}

/** Links an identity by the password of an account. */
async function link({ username }: Person, nameId?: string): Promise<void> {
  const browser = testBrowser(server)
  const token = tokenOf(await saml.signIn(browser, parts(username, nameId)))
  const linked = await browser.send(singleSignOn.link.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  })
  expect(linked.status).toBe(200)
}

const listOf = async (token: string) => (await server.client(token).call(users.listIdentities, {})).body
const remove = (token: string, id = '') => server.client(token).call(users.removeIdentity, { params: { id } })
const kindsOf = async (token: string) =>
  (await server.client(token).call(users.listActivity, {})).body.map(({ kind }) => kind)
const noticesTo = async (address: string) =>
  (await mailsTo(server, address, 'notice')).map(({ values: { event, subject } }) => ({ event, subject }))

it('names what linked each identity, and when it was last used', async () => {
  const grace = await server.addPerson('grace')
  expect(await listOf(grace.auth.token)).toEqual([])
  await link(grace)
  const linkedAt = new Date(clock.now()).toISOString()
  clock.advance(60_000)
  const browser = testBrowser(server)
  await browser.signIn(await saml.signIn(browser, parts('grace')))
  const [identity, ...others] = await listOf(grace.auth.token)
  expect(others).toEqual([])
  expect(identity).toMatchObject({
    kind: 'saml',
    provider: ISSUER,
    subject: 'id-grace',
    email: 'grace@example.com',
    linked_by: 'password',
    linked_at: linkedAt,
    last_used_at: new Date(clock.now()).toISOString(),
  })
  const { token } = await newcomer('mary')
  expect(await listOf(token)).toMatchObject([{ subject: 'id-mary', linked_by: 'sign-in' }])
})

it('tells the owner of a link and of a removal, by mail and in the activity', async () => {
  const ada = await server.addPerson('lovelace')
  await link(ada)
  const [identity] = await listOf(ada.auth.token)
  await remove(ada.auth.token, identity?.id)
  const subject = `lovelace@example.com at ${ISSUER}`
  const notices = await noticesTo('lovelace@example.com')
  expect(notices).toContainEqual({ event: 'identity-linked', subject })
  expect(notices).toContainEqual({ event: 'identity-removed', subject })
  expect(await kindsOf(ada.auth.token)).toEqual(expect.arrayContaining(['identity.link', 'identity.remove']))
})

it('signs nobody in by an identity that was removed, not by a one-use token that it had either', async () => {
  const linus = await server.addPerson('linus')
  await link(linus, 'id-of-somebody-else')
  const browser = testBrowser(server)
  const page = await saml.signIn(browser, parts('linus', 'id-of-somebody-else'))
  const [identity] = await listOf(linus.auth.token)
  await remove(linus.auth.token, identity?.id)
  expect((await browser.exchange(page)).status).toBe(401)
  const again = await saml.signIn(testBrowser(server), parts('linus', 'id-of-somebody-else'))
  expect(again).toMatch(/^\/sign-in\/link\?/)
  const own = await server.client(linus.auth.token).call(operations.auth.getUser, {})
  expect(own.body.auth_methods).toEqual(['local'])
})

it('keeps the only way to sign in, also under removals at once, until there is another', async () => {
  const { token, id } = await newcomer('single')
  const [only] = await listOf(token)
  expect(await outcome(remove(token, only?.id))).toBe('409 ONLY_WAY_IN')
  const db = server.database.system()
  const at = new Date(clock.now())
  const second = { kind: 'saml' as const, issuer: only?.issuer ?? '', subject: 'second', user_id: id as never }
  await db
    .insertInto('identities')
    .values({ ...second, created_at: at, last_used: at })
    .execute()
  const both = await listOf(token)
  const outcomes = await Promise.all(both.map((one) => outcome(remove(token, one.id))))
  expect(outcomes.toSorted()).toEqual(['200', '409 ONLY_WAY_IN'])
  expect(await listOf(token)).toHaveLength(1)
})

it('does not count a password while the server accepts none', async () => {
  const person = await server.addPerson('provided')
  await link(person)
  const [identity] = await listOf(person.auth.token)
  await admin.client.call(singleSignOn.update, { body: { local: false } })
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('409 ONLY_WAY_IN')
  await admin.client.call(singleSignOn.update, { body: { local: true } })
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('200')
})

it('asks for a proof of the last minutes', async () => {
  const person = await server.addPerson('stolen')
  await link(person)
  const [identity] = await listOf(person.auth.token)
  clock.advance(11 * 60_000)
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('403 FRESH_PROOF_REQUIRED')
  await person.client.call(mfa.prove, { body: { current_password: PASSWORD } })
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('200')
})

it('asks for the second factor of people who have one', async () => {
  const person = await server.addPerson('twofold')
  await link(person)
  const { secret } = await addFactor(person.client, clock)
  const [identity] = await listOf(person.auth.token)
  clock.advance(11 * 60_000)
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('403 FRESH_PROOF_REQUIRED')
  await person.client.call(mfa.prove, { body: { code: codeAt(secret, clock.now()) } })
  expect(await outcome(remove(person.auth.token, identity?.id))).toBe('200')
})

it('shows and removes nothing of others, except to administrators of the server', async () => {
  const [owner, other] = [await server.addPerson('owner-of-one'), await server.addPerson('curious')]
  await link(owner)
  const [identity] = await listOf(owner.auth.token)
  const params = { user: owner.username, id: identity?.id ?? '' }
  expect(await outcome(remove(other.auth.token, identity?.id))).toBe('404 NOT_FOUND')
  expect(await outcome(other.client.call(users.listIdentitiesOf, { params }))).toBe('403 INSTANCE_ADMIN_REQUIRED')
  expect(await outcome(other.client.call(users.removeIdentityOf, { params }))).toBe('403 INSTANCE_ADMIN_REQUIRED')
  await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
  for (const user of [owner.id, owner.username, 'owner-of-one@example.com']) {
    const { body } = await admin.client.call(users.listIdentitiesOf, { params: { user } })
    expect(body).toEqual([identity])
  }
  expect(await outcome(admin.client.call(users.listIdentitiesOf, { params: { user: 'nobody' } }))).toBe('404 NOT_FOUND')
  clock.advance(11 * 60_000)
  expect(await outcome(admin.client.call(users.removeIdentityOf, { params }))).toBe('403 FRESH_PROOF_REQUIRED')
  await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
  expect(await outcome(admin.client.call(users.removeIdentityOf, { params }))).toBe('200')
  expect(await listOf(owner.auth.token)).toEqual([])
  expect(await noticesTo('owner-of-one@example.com')).toContainEqual({
    event: 'identity-removed',
    subject: `owner-of-one@example.com at ${ISSUER}`,
  })
})
