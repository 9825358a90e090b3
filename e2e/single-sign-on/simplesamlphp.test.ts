// Single sign-on by SAML with SimpleSAMLphp, in Chromium: signed and encrypted assertions, signed requests, and new keys
// on both sides.
import { operations } from '@bowline/contract/operations'
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { freePort } from '@bowline/testkit/free-port'
import { type Client, type Server, startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { type IdentityProvider, isInstalled, startIdentityProvider } from './simplesamlphp.ts'

const { singleSignOn } = operations
let browser: Browser
/** Where the console is. */
let origin: string
let server: Server
let provider: IdentityProvider
let client: Client

beforeAll(async () => {
  if (!isInstalled) return
  const port = String(await freePort())
  origin = `http://localhost:${port}`
  const env = { BOWLINE_HTTP_PORT: port, BOWLINE_PUBLIC_URL: origin }
  ;[browser, server, provider] = await Promise.all([launchBrowser(), startServer({ env }), startIdentityProvider()])
  client = await server.client()
  await client.call(singleSignOn.setProvider, {
    body: { metadata: await provider.metadata(), email_attribute: 'mail', name_attribute: 'displayName' },
  })
  provider.configure(await ownMetadata())
  await test()
  await client.call(singleSignOn.update, { body: { saml: true } })
})
afterAll(async () => {
  if (!isInstalled) return
  await browser.close()
  await server.remove()
  await provider.remove()
})
beforeEach((context) => {
  context.skip(!isInstalled, 'SimpleSAMLphp is not installed')
})

async function ownMetadata(): Promise<string> {
  const { own } = (await client.call(singleSignOn.settings, {})).body
  return (await fetch(own.metadata_url)).text()
}

/** Signs in at the provider's page. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=username]').fill(name)
  await page.locator('input[name=password]').fill(`password of ${name}`)
  await page.getByRole('button', { name: 'Login' }).click()
}

/** Runs the test that an administrator needs before SAML can be switched on. */
async function test(): Promise<void> {
  const { context, page } = await openPage(browser, { baseURL: origin })
  await page.goto('/sign-in')
  const { username, password } = server.account
  // The test belongs to the browser that begins it, by a cookie.
  const url = await page.evaluate(
    async (credentials) => {
      const post = async (path: string, headers: Record<string, string>, body?: object) => {
        const json = body === undefined ? {} : { 'content-type': 'application/json' }
        const response = await fetch(path, {
          method: 'POST',
          headers: { ...json, ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return (await response.json()) as Record<string, string>
      }
      const { token } = await post('/api/login', {}, credentials)
      return (await post('/api/instance/sign-in/saml/test', { authorization: `Bearer ${token}` }))['url']
    },
    { username, password },
  )
  await page.goto(url ?? '')
  await page.waitForURL(/loginuserpass/)
  await signInAtProvider(page, 'grace')
  await until('the test has passed', async () => {
    const { provider: current } = (await client.call(singleSignOn.settings, {})).body
    return current.tested_at !== null
  })
  await context.close()
}

interface SignedIn {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly origin: string
}

/**
 * Signs somebody in by the console's button.
 * @returns the account, or the text of the page that says why not
 */
async function signIn(name: string): Promise<SignedIn | string> {
  const { context, page, complaints } = await openPage(browser, { baseURL: origin })
  const answers: Response[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/auth/session/exchange')) answers.push(response)
  })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
  const refusal = page.getByText(/SimpleSAML\\Error|was not accepted/)
  // Its login page, or the page that refuses the request: both once their scripts have run.
  await page.waitForURL(/SSOService|loginuserpass/)
  if ((await refusal.count()) === 0) await signInAtProvider(page, name)
  await until('the sign-in ends', async () => answers.length > 0 || (await refusal.count()) > 0)
  const [answer] = answers
  const { token } = answer?.ok() ? ((await answer.json()) as { token: string }) : { token: '' }
  const response = await fetch(`${server.origin}/api/auth/user`, { headers: { authorization: `Bearer ${token}` } })
  const text = await page.locator('body').innerText()
  expect(complaints).toEqual([])
  await context.close()
  return token === '' ? text : ((await response.json()) as SignedIn)
}

/** Certificates of the provider that the server trusts, as many as it announces. */
async function readMetadata(): Promise<number> {
  const { body } = await client.call(singleSignOn.setProvider, { body: { metadata: await provider.metadata() } })
  return body.provider.certificates.length
}

const asGrace = () => signIn('grace')
const isGrace = expect.objectContaining({ email: 'grace@example.com' })

describe('SimpleSAMLphp', () => {
  it('signs people in, each into one account', async () => {
    const grace = await asGrace()
    expect(grace).toMatchObject({ email: 'grace@example.com', name: 'Grace at the IdP', origin: 'SAML' })
    expect(await asGrace()).toMatchObject({ id: (grace as SignedIn).id })
    expect(await signIn('mary')).toMatchObject({ email: 'mary@example.com' })
  })

  it('sends assertions that are encrypted for the server', async () => {
    provider.configure(await ownMetadata(), { encrypts: true })
    expect(await asGrace()).toEqual(isGrace)
  })

  it('takes signed requests, and no other ones once the metadata announce them', async () => {
    await client.call(singleSignOn.setProvider, { body: { sign_requests: true } })
    provider.configure(await ownMetadata())
    expect(await asGrace()).toEqual(isGrace)
    await client.call(singleSignOn.setProvider, { body: { sign_requests: false } })
    expect(await asGrace()).toContain('no signature found')
    await client.call(singleSignOn.setProvider, { body: { sign_requests: true } })
  })

  it('takes what the server signs while it changes its key, and encrypts for either', async () => {
    await client.call(singleSignOn.addKey, {})
    // Both keys are announced: the older one still signs.
    provider.configure(await ownMetadata(), { encrypts: true })
    expect(await asGrace()).toEqual(isGrace)
    await client.call(singleSignOn.removeKey, {})
    expect(await asGrace()).toEqual(isGrace)
    provider.configure(await ownMetadata(), { encrypts: true })
    expect(await asGrace()).toEqual(isGrace)
  })

  it('announces a key of its own before it signs by it', async () => {
    const own = await ownMetadata()
    provider.configure(own, { key: 'first', nextKey: 'second' })
    expect(await readMetadata()).toBe(2)
    expect(await asGrace()).toEqual(isGrace)
    provider.configure(own, { key: 'second' })
    expect(await asGrace()).toEqual(isGrace)
  })

  it('is refused when it signs by a key that it has not announced', async () => {
    const own = await ownMetadata()
    provider.configure(own, { key: 'second' })
    expect(await readMetadata()).toBe(1)
    provider.configure(own, { key: 'first' })
    expect(await asGrace()).toContain('was not accepted')
  })
})
