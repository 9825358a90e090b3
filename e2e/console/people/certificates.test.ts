// Certificates of the server in the console, for its administrators.
import type { ServerCertificate } from '@bowline/contract/operations/instance'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type FakeBackend, startFakeBackend } from '../backend.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(), startFakeBackend()])
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})

const VALID: ServerCertificate = {
  use: 'console',
  source: 'acme',
  names: ['bowline.example.com'],
  state: 'valid',
  issuer: "C=US, O=Let's Encrypt, CN=E7",
  starts_at: '2026-10-01T00:00:00.000Z',
  ends_at: '2026-12-30T00:00:00.000Z',
  fingerprint: '0f'.repeat(32),
  renews_at: '2026-11-30T00:00:00.000Z',
  renewing: false,
  failures: 0,
  failure: '',
  failed_at: null,
}
const FAILURE = 'The authority could not verify tunnels.example.com by dns-01 (invalid): no TXT record (dns)'
const MISSING: ServerCertificate = {
  ...VALID,
  use: 'tunnels',
  names: ['*.tunnels.example.com'],
  state: 'missing',
  issuer: '',
  starts_at: null,
  ends_at: null,
  fingerprint: '',
  failures: 2,
  failure: FAILURE,
  failed_at: '2026-11-23T10:00:00.000Z',
}

// Against the fake server: the real one would need an authority that fails.
it('shows an administrator each certificate, its end, and why the last attempt failed', async () => {
  const { state } = backend.fake
  if (state.user) state.user.instanceAdmin = true
  state.certificates = {
    acme: true,
    directory: 'https://acme-v02.api.letsencrypt.org/directory',
    email: 'admin@example.com',
    challenge: 'http-01',
    certificates: [VALID, MISSING],
  }
  const { page, complaints, context } = await openPage(browser, { baseURL: backend.origin })
  await openSignedIn(page, backend, '/tags')
  await page.getByRole('navigation').getByRole('link', { name: 'Certificates', exact: true }).click()
  const ofConsole = page.getByRole('region', { name: 'Console and API' })
  await ofConsole.getByText("C=US, O=Let's Encrypt, CN=E7").waitFor()
  expect(await ofConsole.locator('time').first().getAttribute('datetime')).toBe(VALID.starts_at)
  expect(await ofConsole.getByText('2 attempts failed').count()).toBe(0)
  const ofTunnels = page.getByRole('region', { name: 'Tunnels' })
  await ofTunnels.getByText('The certificate authority has not issued the certificate yet').waitFor()
  await ofTunnels.getByText(`${FAILURE} 2 attempts failed.`).waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.setViewportSize({ width: 390, height: 844 })
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(await overflow()).toBeLessThanOrEqual(0)
  expect(complaints).toEqual([])
  await context.close()
})

it('warns administrators on the overview of what ends or is missing, and leads to it', async () => {
  const page = await overviewOfAdministrator()
  const warning = page.getByRole('link', {
    name: 'Tunnels: The certificate authority has not issued the certificate yet',
  })
  await warning.waitFor()
  expect(await page.getByText('Console and API:').count()).toBe(0)
  await warning.click()
  await page.getByRole('region', { name: 'Tunnels' }).getByText(`${FAILURE} 2 attempts failed.`).waitFor()
  await page.context().close()
})

it('says whose page it is to everybody else, and shows no way to it', async () => {
  const { user } = backend.fake.state
  if (user) user.instanceAdmin = false
  const { page, complaints, context } = await openPage(browser, { baseURL: backend.origin })
  await openSignedIn(page, backend, '/instance/certificates')
  await page.getByText('Only administrators of this server can manage its certificates').waitFor()
  expect(await page.getByRole('link', { name: 'Certificates', exact: true }).count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

/** The overview on a server where a certificate is missing. */
async function overviewOfAdministrator(): Promise<Page> {
  const { state } = backend.fake
  if (state.user) state.user.instanceAdmin = true
  const authority = { directory: 'https://acme-v02.api.letsencrypt.org/directory', email: 'admin@example.com' }
  state.certificates = { acme: true, ...authority, challenge: 'http-01', certificates: [VALID, MISSING] }
  const { page } = await openPage(browser, { baseURL: backend.origin })
  await openSignedIn(page, backend, '/')
  return page
}
