// Sign-ins, links and removals at once, through a running server. Where only one order is the dangerous one, a transaction
// of the test takes the steps of the other side and holds its locks.
import { operations } from '@bowline/contract/operations'
import { systemClock as clock } from '@bowline/base/clock'
import { until } from '@bowline/testkit/until'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Schema } from '../../db/schema.ts'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { lockUser } from '../../users/store.ts'
import { createIdentityProvider } from '../saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from '../saml/testing/sign-in.ts'
import { type TestBrowser, testBrowser, tokenOf } from '../testing/browser.ts'

const { auth, members, mfa, namespaces, singleSignOn, users } = operations
let server: BootedServer
let saml: SamlSignIns
let admin: Person
beforeAll(async () => {
  server = await bootServer({
    settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1', BOWLINE_REGISTRATION: 'open' },
  })
  admin = await server.setUpAccount()
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(admin)
})
afterAll(() => server.close())

const parts = (nameId: string, emailAddress = `${nameId}@example.org`, memberOf = '') => ({
  nameId,
  attributes: { emailAddress, displayName: nameId, memberOf },
})
const send = (browser: TestBrowser, { path }: { readonly path: string }, body: unknown): Promise<Response> =>
  browser.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
/** Whether somebody waits for a lock. */
const isBlocked = async (): Promise<boolean> => {
  const { rows } = await sql`select pid from pg_locks where not granted
    and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(server.database.system())
  return rows.length > 0
}
/** First sign-ins of several people or browsers at once. @returns the pages that they are sent to */
async function signInAtOnce(browsers: readonly TestBrowser[], people: readonly ReturnType<typeof parts>[]) {
  const ids = await Promise.all(browsers.map((browser) => saml.begin(browser)))
  return Promise.all(
    browsers.map((browser, nth) => browser.postForm('/api/user/saml/auth', saml.answer(ids[nth], people[nth]))),
  )
}
const identityOf = async (user: string): Promise<string> =>
  (await admin.client.call(users.listIdentitiesOf, { params: { user } })).body[0]?.id ?? ''
const inTransaction = (work: (db: Kysely<Schema>) => Promise<void>) =>
  server.database.system().transaction().execute(work)

it('refuses a sign-in by an identity that is removed meanwhile', async () => {
  const own = testBrowser(server)
  const { id } = await own.signIn(await saml.signIn(own, parts('removed')))
  const browser = testBrowser(server)
  const request = await saml.begin(browser)
  let page: Promise<string> | undefined
  await inTransaction(async (db) => {
    await lockUser(db, id as never)
    await db
      .deleteFrom('identities')
      .where('user_id', '=', id as never)
      .execute()
    page = browser.postForm('/api/user/saml/auth', saml.answer(request, parts('removed')))
    await until(isBlocked)
  })
  expect(await page).toMatch(/^\/sign-in\/link\?/)
})

it('ends a second step that waits when the identity is removed that began it', async () => {
  const person = await server.addPerson('halfway')
  const { secret } = await addFactor(person.client, clock)
  const browser = testBrowser(server)
  const email = person.auth.email
  const proposal = tokenOf(await saml.signIn(browser, parts('halfway', email)))
  const asked = await send(browser, singleSignOn.link, { token: proposal, password: PASSWORD })
  const first = { token: asked.headers.get('x-mfa-token') ?? '', code: codeAt(secret, clock.now() + 30_000) }
  expect((await send(browser, mfa.finishSession, first)).status).toBe(200)
  const waiting = await browser.exchange(await saml.signIn(browser, parts('halfway', email)))
  const token = waiting.headers.get('x-mfa-token') ?? ''
  expect([waiting.status, token === '']).toEqual([401, false])
  await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
  await admin.client.call(users.removeIdentityOf, { params: { user: person.id, id: await identityOf(person.id) } })
  const db = server.database.system()
  expect(await db.selectFrom('pending_sign_ins').select('user_id').where('user_id', '=', person.id).execute()).toEqual(
    [],
  )
})

it('gives one account to a person who signs in twice at once for the first time', async () => {
  for (let nth = 0; nth < 10; nth += 1) {
    const browsers = [testBrowser(server), testBrowser(server)]
    const person = parts(`twice-${nth}`)
    const pages = await signInAtOnce(browsers, [person, person])
    const signedIn = await Promise.all(browsers.map((browser, index) => browser.signIn(pages[index] ?? '')))
    expect(new Set(signedIn.map(({ id }) => id)).size).toBe(1)
  }
})

it('gives people whose addresses begin alike usernames of their own when they sign in at once', async () => {
  for (let nth = 0; nth < 4; nth += 1) {
    const browsers = Array.from({ length: 3 }, () => testBrowser(server))
    const people = browsers.map((_, index) => parts(`alike-${nth}-${index}`, `alike${nth}@d${index}.example.net`))
    const pages = await signInAtOnce(browsers, people)
    const signedIn = await Promise.all(browsers.map((browser, index) => browser.signIn(pages[index] ?? '')))
    expect(new Set(signedIn.map(({ user }) => user)).size).toBe(3)
  }
})

it('keeps the registration that somebody invited completes during their first sign-in', async () => {
  const owner = await server.addPerson('inviter')
  const email = 'invited@example.org'
  await owner.client.call(members.invite, { params: { tenant: owner.tenant }, body: { email, role: 'observer' } })
  const system = server.database.system()
  const { id } = await system.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  const browser = testBrowser(server)
  const request = await saml.begin(browser)
  let page: Promise<string> | undefined
  await inTransaction(async (db) => {
    await lockUser(db, id)
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', owner.id)
      .executeTakeFirstOrThrow()
    const names = { name: 'Chosen', username: 'chosen-name', auth_methods: ['local'] as const }
    await db
      .updateTable('users')
      .set({ ...names, password_hash, status: 'confirmed' })
      .where('id', '=', id)
      .execute()
    page = browser.postForm('/api/user/saml/auth', saml.answer(request, parts('invited')))
    await until(isBlocked)
  })
  expect(await page).toMatch(/^\/sign-in\/link\?/)
  const login = server.client().call(auth.login, { body: { username: 'chosen-name', password: PASSWORD } })
  expect(await outcome(login)).toBe('200')
})

it('takes the role that groups have given together with the identity, and none that was given by hand', async () => {
  const [owner, other] = [await server.addPerson('captain'), await server.addPerson('bosun')]
  const nameOf = async ({ client, tenant }: Person) =>
    (await client.call(namespaces.get, { params: { tenant } })).body.name
  const roles = [
    { group: 'crew', namespace: await nameOf(owner), role: 'administrator' as const },
    { group: 'crew', namespace: await nameOf(other), role: 'administrator' as const },
  ]
  await admin.client.call(singleSignOn.setProvider, { body: { group_attribute: 'memberOf', roles } })
  const person = await server.addPerson('mate')
  const { email } = person.auth
  await other.client.call(members.add, { params: { tenant: other.tenant }, body: { email, role: 'observer' } })
  const browser = testBrowser(server)
  const token = tokenOf(await saml.signIn(browser, parts('mate', email, 'crew')))
  expect((await send(browser, singleSignOn.link, { token, password: PASSWORD })).status).toBe(200)
  const roleIn = async ({ client, tenant }: Person) =>
    (await client.call(namespaces.get, { params: { tenant } })).body.members.find(({ id }) => id === person.id)?.role
  expect([await roleIn(owner), await roleIn(other)]).toEqual(['administrator', 'observer'])
  await person.client.call(users.removeIdentity, { params: { id: await identityOf(person.id) } })
  expect([await roleIn(owner), await roleIn(other)]).toEqual([undefined, 'observer'])
})

it('takes no password for a link while the server accepts none', async () => {
  const person = await server.addPerson('switched-off')
  const browser = testBrowser(server)
  const token = tokenOf(await saml.signIn(browser, parts('switched-off', person.auth.email)))
  await admin.client.call(singleSignOn.update, { body: { local: false } })
  const answers = [
    await send(browser, singleSignOn.link, { token, password: PASSWORD }),
    await send(browser, singleSignOn.sendProof, { token }),
    await send(browser, singleSignOn.linkByMail, { token }),
  ]
  await admin.client.call(singleSignOn.update, { body: { local: true } })
  expect(answers.map(({ status }) => status)).toEqual([501, 501, 501])
  expect((await send(browser, singleSignOn.link, { token, password: PASSWORD })).status).toBe(200)
})
