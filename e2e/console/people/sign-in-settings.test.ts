// How people sign in to the server, set up by its administrator in the console, on a real server.
import { execFileSync } from 'node:child_process'
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT, startOpenidProvider } from '../../../apps/server/src/single-sign-on/openid/testing/provider.ts'
import { createIdentityProvider } from '../../../apps/server/src/single-sign-on/saml/testing/identity-provider.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type TestSmtp, startSmtp } from '../../../apps/server/src/mails/testing/smtp.ts'
import { until } from '../../support/wait.ts'
import { freePort } from '@bowline/testkit/free-port'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, openSignedIn, violationsInBothThemes } from '../steps.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
/** A certificate that ends within the time of the warning. */
const certificate = () =>
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=idp', '-days', '10'],
    { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' },
  )
let browser: Browser
let server: Server
let smtp: TestSmtp
beforeAll(async () => {
  smtp = await startSmtp()
  // Providers send browsers back to an address that is known before the server starts.
  const port = await freePort()
  const env = {
    BOWLINE_HTTP_PORT: String(port),
    BOWLINE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
    BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    BOWLINE_SMTP_FROM: 'bowline@example.com',
    BOWLINE_SMTP_STARTTLS: 'off',
  }
  ;[browser, server] = await Promise.all([launchBrowser(), startServer({ env })])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
  await smtp.close()
})
const settings = async () => (await (await server.client()).call(operations.singleSignOn.settings, {})).body

it('sets a SAML provider up by hand, with its options, and changes the own key', async () => {
  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, OPERATOR, '/tags')
  await page.getByRole('navigation').getByRole('link', { name: 'Sign-in', exact: true }).click()

  const form = page.getByRole('region', { name: 'Set the provider' })
  await form
    .getByRole('combobox', { name: 'Metadata from' })
    .selectOption({ label: 'Entity ID, address and certificates' })
  await form.getByRole('button', { name: 'Set provider' }).click()
  await form.getByText('Certificates are required').waitFor()
  await form.getByRole('textbox', { name: 'Entity ID' }).fill('https://idp.example.com')
  await form.getByRole('textbox', { name: 'Sign-in address' }).fill('https://idp.example.com/sso')
  await form.getByRole('textbox', { name: 'Certificates' }).fill(certificate())
  await form.getByRole('button', { name: 'Set provider' }).focus()
  await page.keyboard.press('Enter')
  const facts = page.getByRole('region', { name: 'SAML provider' })
  await facts.getByText('Provider: https://idp.example.com').waitFor()
  await facts.getByText('expires soon').waitFor()

  const options = page.getByRole('region', { name: 'SAML options' })
  await options.getByRole('switch', { name: 'Sign requests' }).focus()
  await page.keyboard.press('Space')
  await options.getByRole('switch', { name: 'Sign requests', checked: true }).waitFor()
  await options.getByRole('switch', { name: 'Provider-initiated sign-ins' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('dialog').getByRole('button', { name: 'Accept them' }).click()
  await options.getByText('they are not bound to a browser').waitFor()
  await options.getByRole('textbox', { name: 'Attribute with the e-mail address' }).fill('mail')
  await options.getByRole('button', { name: 'Save attributes' }).click()
  await page.getByText('The attributes are saved').waitFor()
  const { provider } = await settings()
  expect(provider).toMatchObject({ sign_requests: true, unsolicited: true, email_attribute: 'mail' })
  expect(provider.certificates.map(({ subject }) => subject)).toEqual(['CN=idp'])

  const keys = page.getByRole('region', { name: 'Keys of this server' })
  await keys.getByRole('button', { name: 'Change the key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change the key' }).click()
  await keys.getByText('Import the metadata of this server').waitFor()
  const [next] = (await settings()).own.certificates
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await keys.getByRole('button', { name: 'Finish the change' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Finish the change' }).click()
  await keys.getByText('In use').waitFor()
  expect((await settings()).own.certificates).toEqual([next])

  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await accessibilityViolations(page, 'sizes')).toEqual([])
  expect(complaints).toEqual([])
})

it('says what a pasted response would do, and why it refuses another', async () => {
  const client = await server.client()
  const idp = await createIdentityProvider()
  const proof = { current_password: server.account.password }
  await client.call(operations.mfa.prove, { body: proof })
  const names = { email_attribute: 'emailAddress', name_attribute: 'displayName' }
  await client.call(operations.singleSignOn.setProvider, { body: { metadata: idp.metadata(), ...names } })
  const { own } = await settings()
  const [recipient, audience] = [own.assertion_url, own.entity_id]
  const grace = { emailAddress: 'grace@example.org', displayName: 'Grace' }
  const said = { recipient, audience, now: Date.now(), requestId: '_any', nameId: 'grace-1', attributes: grace }
  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, OPERATOR, '/instance/sign-in')
  const card = page.getByRole('region', { name: 'Check a response' })
  const check = async (xml: string) => {
    await card.getByRole('textbox').fill(xml)
    await card.getByRole('button', { name: 'Check', exact: true }).click()
  }
  await check(idp.response(said))
  await card.getByText('Accepted: grace-1, grace@example.org.').waitFor()
  await card.getByText('It creates an account.').waitFor()
  await card.getByText('displayname: Grace').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await check(idp.response({ ...said, audience: 'https://elsewhere.example' }))
  await card.getByText('Refused: its audience is another.').waitFor()
  await check(idp.response({ ...said, attributes: { mail: 'grace@example.org', displayName: 'Grace' } }))
  await card.getByText('Refused: it lacks attributes that the mappings name: emailaddress.').waitFor()
  await card.getByText('mail: grace@example.org').waitFor()
  expect(complaints).toEqual([])
})

it('adds, changes and removes an OpenID provider', async () => {
  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, OPERATOR, '/instance/sign-in')
  const card = page.getByRole('region', { name: 'OpenID Connect providers' })
  await card.getByRole('textbox', { name: 'Name' }).fill('Directory')
  await card.getByRole('textbox', { name: 'Issuer' }).fill('https://idp.example.com')
  await card.getByRole('textbox', { name: 'Client ID' }).fill('bowline')
  await card.getByLabel('Client secret').fill('from-the-provider')
  await card.getByRole('button', { name: 'Add provider' }).click()
  await card.getByRole('button', { name: 'Change Directory' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/openid\/[0-9a-f-]{36}\/backchannel-logout$/).waitFor()
  await dialog.getByRole('textbox', { name: 'Groups claim' }).fill('roles')
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed Directory').waitFor()
  expect((await settings()).openid).toMatchObject([{ name: 'Directory', client_id: 'bowline', group_claim: 'roles' }])
  const client = await server.client()
  const { name } = (await client.call(operations.namespaces.get, { params: { tenant: server.tenant } })).body
  await card.getByRole('button', { name: 'Roles by group of Directory' }).click()
  const roles = page.getByRole('dialog', { name: 'Roles by group of Directory' })
  await roles.getByText('No group gives a role.').waitFor()
  await roles.getByRole('textbox', { name: 'Group' }).fill('Staff')
  await roles.getByRole('textbox', { name: 'Namespace' }).fill('nowhere')
  await roles.getByRole('button', { name: 'Add role' }).click()
  await page.getByText('must name namespaces of this server, unlike nowhere').waitFor()
  await roles.getByRole('textbox', { name: 'Namespace' }).fill(name)
  await roles.getByRole('combobox', { name: 'Role' }).selectOption({ label: 'Operator' })
  await roles.getByRole('button', { name: 'Add role' }).click()
  await roles.getByText(`Operator in ${name}`).waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  expect((await settings()).openid[0]?.roles).toEqual([{ group: 'Staff', namespace: name, role: 'operator' }])
  await roles.getByRole('button', { name: `Remove the role of Staff in ${name}` }).click()
  await roles.getByText('No group gives a role.').waitFor()
  await page.keyboard.press('Escape')
  await card.getByRole('button', { name: 'Remove Directory' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await card.getByText('There is no OpenID Connect provider.').waitFor()
  // The namespace that is not there.
  expect(complaints).toEqual([expect.stringContaining('400')])
})

it('offers whoever came by an OpenID provider to sign out there as well', async () => {
  const { own } = await settings()
  const ada = { sub: 'ada-1', email: 'ada@example.org', email_verified: true, name: 'Ada' }
  const idp = await startOpenidProvider(own.openid_redirect_url, ada)
  const client = await server.client()
  const body = { name: 'Directory', issuer: idp.issuer, ...CLIENT }
  await client.call(operations.openid.add, { body })
  const { origin } = server
  const { page } = await openPage(browser, { baseURL: origin })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with Directory' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /ada@example.org/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const there = page.getByRole('button', { name: 'Also sign out at Directory' })
  await there.waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await there.click()
  await page.waitForURL(`${idp.issuer}/session/end?*id_token_hint=*`)
  await page.getByRole('button', { name: /yes/i }).click()
  await page.waitForURL(`${origin}/sign-in**`)
  await page.getByRole('button', { name: 'Sign in with Directory' }).click()
  await page.getByRole('link', { name: 'Continue' }).waitFor()
  await page.context().close()
  await idp.close()
})

it('links an existing account by a mail that is opened in the same browser', async () => {
  const client = await server.client()
  const { body: person } = await client.call(operations.auth.getUser, {})
  const { own } = await settings()
  const subject = { sub: 'operator-1', email: person.email, email_verified: true, name: person.name }
  const idp = await startOpenidProvider(own.openid_redirect_url, subject)
  await client.call(operations.openid.add, { body: { name: 'Partner', issuer: idp.issuer, ...CLIENT } })
  const { page } = await openPage(browser, { baseURL: server.origin })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with Partner' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Send me a mail instead' }).click()
  await page.getByText('is on its way').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  // Notices of new browsers go to the same address.
  const linkOf = (text = '') => /http:\S+proof=[\w-]+/.exec(text)?.[0]
  const found = () => smtp.mails.map(({ parsed }) => linkOf(parsed.text)).find((link) => link !== undefined)
  await page.goto(await until('the mail has come', found, 15_000))
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.getByRole('button', { name: 'Link and sign in' }).click()
  await page.getByRole('button', { name: new RegExp(person.email) }).waitFor()
  await page.context().close()
  await idp.close()
})
