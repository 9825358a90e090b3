// Linking by a mailed link, through a running server with a real mail server.
import { operations } from '@bowline/contract/operations'
import { systemClock as clock } from '@bowline/base/clock'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestSmtp, startSmtp } from '../mails/testing/smtp.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from './saml/testing/sign-in.ts'
import { type TestBrowser, testBrowser, tokenOf } from './testing/browser.ts'

const { sendProof, linkByMail } = operations.singleSignOn
let server: BootedServer
let smtp: TestSmtp
let saml: SamlSignIns
beforeAll(async () => {
  smtp = await startSmtp()
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
      BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      BOWLINE_SMTP_FROM: 'bowline@example.com',
      BOWLINE_SMTP_STARTTLS: 'off',
    },
  })
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(await server.setUpAccount())
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

function post(browser: TestBrowser, { path }: { readonly path: string }, token: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return browser.send(path, { method: 'POST', headers, body: JSON.stringify({ token }) })
}

/** Signs somebody in at the provider, whose address has an account. @returns token of the page that links the two */
async function propose(browser: TestBrowser, { auth: { email, user: username } }: Person): Promise<string> {
  const attributes = { emailAddress: email, displayName: username }
  return tokenOf(await saml.signIn(browser, { nameId: `id-${username}`, attributes }))
}

/** Asks for the mail. @returns token of its link */
async function mailedProof(browser: TestBrowser, person: Person): Promise<string> {
  expect(await (await post(browser, sendProof, await propose(browser, person))).json()).toEqual({ sent: true })
  const proofIn = (text = '') => /proof=([\w-]+)/.exec(text)?.[1]
  // Others get theirs at the same time, and may get notices.
  const own = () => smtp.mails.filter(({ to }) => to.includes(person.auth.email))
  return until(() =>
    own()
      .map(({ parsed }) => proofIn(parsed.text))
      .find((proof) => proof !== undefined),
  )
}

const identitiesOf = async ({ id }: Person) =>
  server.database.system().selectFrom('identities').select('kind').where('user_id', '=', id).execute()

it('links once, in the browser that asked for the mail only', async () => {
  const person = await server.addPerson('byron')
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, person)
  const other = testBrowser(server)
  expect((await post(other, linkByMail, proof)).status).toBe(401)
  await saml.begin(other)
  expect((await post(other, linkByMail, proof)).status).toBe(401)
  const answers = await Promise.all([post(browser, linkByMail, proof), post(browser, linkByMail, proof)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
  const linked = answers.find(({ ok }) => ok)
  expect(await linked?.json()).toMatchObject({ id: person.id, auth_methods: ['local', 'saml'] })
  expect(await identitiesOf(person)).toEqual([{ kind: 'saml' }])
})

it('sends one mail for each sign-in at the provider, and none for another browser', async () => {
  const person = await server.addPerson('shelley')
  const browser = testBrowser(server)
  const token = await propose(browser, person)
  const other = testBrowser(server)
  expect((await post(other, sendProof, token)).status).toBe(401)
  await saml.begin(other)
  expect((await post(other, sendProof, token)).status).toBe(401)
  const answers = await Promise.all([post(browser, sendProof, token), post(browser, sendProof, token)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
})

it('refuses a link that has expired', async () => {
  const person = await server.addPerson('keats')
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, person)
  const at = new Date(clock.now())
  const db = server.database.system()
  await db.updateTable('identity_proposals').set({ expires_at: at }).where('user_id', '=', person.id).execute()
  expect((await post(browser, linkByMail, proof)).status).toBe(401)
  expect(await identitiesOf(person)).toEqual([])
})

it('leaves accounts with a second factor to their password', async () => {
  const person = await server.addPerson('careful')
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, person)
  const db = server.database.system()
  await db.updateTable('users').set({ mfa_enabled: true }).where('id', '=', person.id).execute()
  expect((await post(browser, linkByMail, proof)).status).toBe(401)
  const answer = await post(browser, sendProof, await propose(browser, person))
  expect(await answer.json()).toEqual({ sent: false })
  expect(await identitiesOf(person)).toEqual([])
})

it('leaves accounts without a password to their provider', async () => {
  const person = await server.addPerson('provided')
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, person)
  const db = server.database.system()
  await db
    .updateTable('users')
    .set({ auth_methods: ['openid'] })
    .where('id', '=', person.id)
    .execute()
  expect((await post(browser, linkByMail, proof)).status).toBe(401)
  const answer = await post(browser, sendProof, await propose(browser, person))
  expect(await answer.json()).toEqual({ sent: false })
})

it.each(['password', 'sign-out'] as const)('ends what was mailed with a change: %s', async (change) => {
  const person = await server.addPerson(`changing-${change}`)
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, person)
  const { client, password } = person
  if (change === 'password') {
    await client.call(operations.users.update, { body: { password: 'another one', current_password: password } })
  } else await client.call(operations.auth.endSessions, {})
  expect((await post(browser, linkByMail, proof)).status).toBe(401)
  expect(await identitiesOf(person)).toEqual([])
})

it('refuses what another site’s page sends', async () => {
  const browser = testBrowser(server)
  const proof = await mailedProof(browser, await server.addPerson('wordsworth'))
  for (const { path } of [sendProof, linkByMail]) {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }
    const answer = await browser.send(path, { method: 'POST', headers, body: JSON.stringify({ token: proof }) })
    expect(answer.status).toBe(403)
  }
})
