// Linked identities on a person's profile, on a real server with a real OpenID provider.
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT, startOpenidProvider } from '../../../apps/server/src/single-sign-on/openid/testing/provider.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { freePort } from '@bowline/testkit/free-port'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, violationsInBothThemes } from '../steps.ts'

const PASSWORD = 'correct horse'
let browser: Browser
let server: Server
beforeAll(async () => {
  // Providers send browsers back to an address that is known before the server starts.
  const port = await freePort()
  const env = {
    BOWLINE_HTTP_PORT: String(port),
    BOWLINE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
  }
  ;[browser, server] = await Promise.all([launchBrowser(), startServer({ env })])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

it('shows the identity that the password has linked, and removes it by keyboard', async () => {
  const client = await server.client()
  const { body: person } = await client.call(operations.auth.getUser, {})
  const { own } = (await client.call(operations.singleSignOn.settings, {})).body
  const subject = { sub: 'operator-1', email: person.email, email_verified: true, name: person.name }
  const idp = await startOpenidProvider(own.openid_redirect_url, subject)
  await client.call(operations.openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })
  // Nobody is signed in at first, and the provider has no icon.
  const { page, complaints } = await openPage(browser, { baseURL: server.origin }, /status of 40[14]/)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with Directory' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Link and sign in' }).click()
  await page.getByRole('button', { name: new RegExp(person.email) }).waitFor()

  await page.goto('/profile')
  const card = page.getByRole('region', { name: 'Linked sign-in providers' })
  await card.getByText('by your password').waitFor()
  const offers = page.getByRole('link', { name: 'Check that all of them are yours' })
  await page
    .getByRole('region', { name: 'Where you are signed in' })
    .getByText('Linked sign-in providers can still sign in.')
    .waitFor()
  expect(await offers.count()).toBe(2)
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await offers.last().click()
  await page.waitForURL('**/profile#linked-identities')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await accessibilityViolations(page, 'sizes')).toEqual([])

  await card.getByRole('button', { name: `Remove ${person.email} at Directory` }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The identity at Directory is removed.').waitFor()
  await card.getByText('No sign-in provider is linked to your account.').waitFor()
  await offers.first().waitFor({ state: 'detached' })
  expect((await client.call(operations.users.listIdentities, {})).body).toEqual([])
  expect(complaints).toEqual([])
  await page.context().close()
  await idp.close()
})
