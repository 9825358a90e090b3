// Linking an identity to an account that has a second factor, through a running server: not before that was passed.
import { operations } from '@bowline/contract/operations'
import { systemClock as clock } from '@bowline/base/clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { addPasskey, requestOptions } from '../../passkeys/testing/people.ts'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../../testing/boot.ts'
import { createIdentityProvider } from '../saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from '../saml/testing/sign-in.ts'
import { type TestBrowser, testBrowser, tokenOf } from '../testing/browser.ts'

const { singleSignOn, mfa, passkeys } = operations
let server: BootedServer
let saml: SamlSignIns
let admin: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  admin = await server.setUpAccount()
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(admin)
})
afterAll(() => server.close())

const send = (browser: TestBrowser, { path }: { readonly path: string }, body: unknown): Promise<Response> =>
  browser.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const signIn = (browser: TestBrowser, { auth: { email, user } }: Person, memberOf = ''): Promise<string> =>
  saml.signIn(browser, { nameId: `id-${user}`, attributes: { emailAddress: email, displayName: user, memberOf } })

/** Gives the password for the link. @returns token of the second step, which is still to come */
async function passPassword(browser: TestBrowser, person: Person, group?: string): Promise<string> {
  const token = tokenOf(await signIn(browser, person, group))
  const answer = await send(browser, singleSignOn.link, { token, password: PASSWORD })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'MFA_REQUIRED'])
  return answer.headers.get('x-mfa-token') ?? ''
}

/** What a sign-in with the identity leads to: to the account once it is linked, or to the question whose it is. */
const pageOf = async (person: Person): Promise<string> =>
  new URL(await signIn(testBrowser(server), person), ORIGIN).pathname

it('links nothing while the second step is missing, has failed or has expired', async () => {
  const person = await server.addPerson('careful')
  const { secret } = await addFactor(person.client, clock)
  const browser = testBrowser(server)
  const token = await passPassword(browser, person)
  expect(await pageOf(person)).toBe('/sign-in/link')
  expect((await send(browser, mfa.finishSession, { token, code: '000000' })).ok).toBe(false)
  expect(await pageOf(person)).toBe('/sign-in/link')
  const db = server.database.system()
  const expires_at = new Date(clock.now())
  await db.updateTable('pending_sign_ins').set({ expires_at }).where('user_id', '=', person.id).execute()
  const late = await send(browser, mfa.finishSession, { token, code: codeAt(secret, clock.now() + 30_000) })
  expect(late.ok).toBe(false)
  expect(await pageOf(person)).toBe('/sign-in/link')
})

it('links when the code is right, once', async () => {
  const person = await server.addPerson('patient')
  const { secret } = await addFactor(person.client, clock)
  const browser = testBrowser(server)
  const token = await passPassword(browser, person)
  const body = { token, code: codeAt(secret, clock.now() + 30_000) }
  const answers = await Promise.all([send(browser, mfa.finishSession, body), send(browser, mfa.finishSession, body)])
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  const done = (await answers.find(({ ok }) => ok)?.json()) as { id: string; auth_methods: string[] }
  expect([done.id, done.auth_methods]).toEqual([person.id, ['local', 'saml']])
  expect(await pageOf(person)).toBe('/login')
})

it('links when a passkey is the second step', async () => {
  const person = await server.addPerson('modern')
  const { authenticator } = await addPasskey(person)
  const browser = testBrowser(server)
  const token = await passPassword(browser, person)
  expect(await pageOf(person)).toBe('/sign-in/link')
  const credential = authenticator.get(await requestOptions(server, token))
  const done = await send(browser, passkeys.createSession, { token, credential })
  expect(done.status).toBe(200)
  expect(((await done.json()) as { auth_methods: string[] }).auth_methods).toEqual(['local', 'saml'])
  expect(await pageOf(person)).toBe('/login')
})

it('gives the roles of the groups once the identity is linked', async () => {
  const owner = await server.addPerson('owner')
  const params = { tenant: owner.tenant }
  const { name: namespace } = (await owner.client.call(operations.namespaces.get, { params })).body
  const roles = [{ group: 'crew', namespace, role: 'operator' as const }]
  await admin.client.call(singleSignOn.setProvider, { body: { group_attribute: 'memberOf', roles } })
  const person = await server.addPerson('sailor')
  const roleHere = async () => {
    const { members } = (await owner.client.call(operations.namespaces.get, { params })).body
    return members.find(({ id }) => id === person.id)?.role
  }
  const { secret } = await addFactor(person.client, clock)
  const browser = testBrowser(server)
  const token = await passPassword(browser, person, 'crew')
  expect(await roleHere()).toBeUndefined()
  const done = await send(browser, mfa.finishSession, { token, code: codeAt(secret, clock.now() + 30_000) })
  expect([done.status, await roleHere()]).toEqual([200, 'operator'])
})

it('links nothing when the password has changed before the second step', async () => {
  const person = await server.addPerson('changing')
  const { secret } = await addFactor(person.client, clock)
  const browser = testBrowser(server)
  const token = await passPassword(browser, person)
  const body = { password: 'another-horse-1', current_password: PASSWORD }
  await person.client.call(operations.users.update, { body })
  const late = await send(browser, mfa.finishSession, { token, code: codeAt(secret, clock.now() + 30_000) })
  expect(late.ok).toBe(false)
  expect(await pageOf(person)).toBe('/sign-in/link')
})

it('does not let the password alone around the second factor where providers ask for it', async () => {
  const person = await server.addPerson('target')
  await addFactor(person.client, clock)
  await passPassword(testBrowser(server), person)
  await admin.client.call(singleSignOn.update, { body: { provider_second_factor: true } })
  const browser = testBrowser(server)
  const { status } = await browser.exchange(await signIn(browser, person))
  await admin.client.call(singleSignOn.update, { body: { provider_second_factor: false } })
  expect(status).toBe(401)
})
