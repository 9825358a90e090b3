// Tests of signing in and of the browser session.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { type FakeBackend, startFakeBackend } from './backend.ts'
import { accessibilityViolations, eventually, hasFocus, liveMark, openSignedIn, signIn } from './steps.ts'

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(), startFakeBackend()])
  for (let count = 0; count < 30; count += 1) backend.fake.state.addDevice()
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})
const open = (allowed?: RegExp) => openPage(browser, { baseURL: backend.origin }, allowed)

describe('signing in', () => {
  it('leads from a deep link through the sign-in page back to the link', async () => {
    const { context, page, complaints } = await open()
    await page.goto('/devices?page=2&sort=name')
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    await signIn(page, backend)
    const devices = page.getByRole('grid', { name: 'Accepted devices' })
    await devices.getByRole('checkbox', { name: 'Select all rows of this page' }).waitFor()
    expect(new URL(page.url()).search).toBe('?page=2&sort=name')
    expect(await page.getByRole('row').count()).toBe(6)
    expect(await page.title()).toBe('Devices · Bowline')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('asks for no session where nobody has signed in, and for one after a reload', async () => {
    const { context, page, complaints } = await open(/$^/)
    const asked: string[] = []
    page.on('request', (request) => request.url().endsWith('/session/refresh') && asked.push(request.method()))
    await page.goto('/')
    await signIn(page, backend)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect([asked, complaints]).toEqual([[], []])
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect([asked, complaints]).toEqual([['POST'], []])
    await context.close()
  })

  it('never redirects to another origin, whatever the link requests', async () => {
    const { context, page, complaints } = await open()
    await page.goto('/sign-in?redirect=//evil.example/')
    await signIn(page, backend)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).origin).toBe(backend.origin)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows wrong credentials at the field and selects it for another attempt', async () => {
    const { context, page, complaints } = await open()
    await page.goto('/sign-in')
    await signIn(page, { username: 'grace', password: 'wrong' })
    await page.getByText('The username or password is wrong.').waitFor()
    const password = page.getByLabel('Password', { exact: true })
    expect(await password.getAttribute('aria-invalid')).toBe('true')
    await eventually(() => hasFocus(password))
    expect(complaints).toEqual([])
    await context.close()
  })

  // Against the fake server: the real server does not offer it yet.
  it('goes to the identity provider where the server offers one, and hides the password form where it is off', async () => {
    const { context, page, complaints } = await open(/status of 40[14]/)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    const sso = page.getByRole('button', { name: 'Sign in with single sign-on' })
    expect(await sso.count()).toBe(0)
    backend.fake.state.authentication = { local: false, saml: true, passkeys: false, openid: [] }
    await page.reload()
    await sso.waitFor()
    backend.fake.state.authentication = { local: true, saml: false, passkeys: false, openid: [] }
    expect(await page.getByLabel('Password').count()).toBe(0)
    expect(await accessibilityViolations(page)).toEqual([])
    await sso.click()
    await page.waitForURL(`${backend.origin}/identity-provider`)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('counts a lockout down and allows another attempt afterwards', async () => {
    const { context, page, complaints } = await open()
    await page.clock.install()
    await page.goto('/sign-in')
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await signIn(page, { username: 'mallory', password: `guess ${attempt}` })
      await page
        .getByText(/is wrong|Too many/)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Sign in' }).isEnabled()
    }
    await page.getByText(/You can try again in (1:00|0:5\d)/).waitFor()
    expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true)
    await page.clock.fastForward(30_000)
    await page.getByText(/You can try again in 0:[23]\d/).waitFor()
    await page.clock.fastForward(40_000)
    await eventually(() => page.getByRole('button', { name: 'Sign in' }).isEnabled())
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps the token out of all browser storage', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/')
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(stored, 'a hint alone').toBe('[{"bowline.session":"yes"},{},""]')
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('a session', () => {
  it('renews expired tokens in two tabs at once without interruption', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/devices')
    const second = await context.newPage()
    await second.goto('/sessions')
    await liveMark(second, 'live').waitFor()
    const before = backend.fake.credentials.refreshCount
    backend.fake.credentials.expireTokens()
    // No reload here: a page being left may still exchange its cookie, so the number of exchanges would depend on
    // timing.
    await Promise.all([
      page.getByRole('link', { name: 'Pending' }).click(),
      second.getByRole('link', { name: 'Public keys' }).click(),
    ])
    await page.getByText('No pending devices').waitFor()
    await second.getByText('No public keys yet').waitFor()
    await Promise.all([liveMark(page, 'live').waitFor(), liveMark(second, 'live').waitFor()])
    expect(backend.fake.credentials.refreshCount - before).toBe(2)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('asks to sign in again after an expired session, and returns to the same page', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/sessions')
    backend.fake.credentials.expireSessions()
    await page.getByText('Your session has ended.').waitFor()
    await signIn(page, backend)
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('signs out in every tab when one signs out', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/devices')
    const second = await context.newPage()
    await second.goto('/sessions')
    await liveMark(second, 'live').waitFor()
    await page.getByRole('button', { name: 'Account Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await Promise.all([page, second].map((tab) => tab.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()))
    expect((await context.cookies()).map(({ name }) => name)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('an unreachable server', () => {
  it('shows that the server is unreachable, retries, and recovers when it is back', async () => {
    const { context, page, complaints } = await open(/status of (401|503)/)
    await openSignedIn(page, backend, '/devices')
    backend.fake.setDown(true)
    await page.getByText('the database does not answer').waitFor()
    await liveMark(page, 'reconnecting').waitFor()
    backend.fake.setDown(false)
    // The page may retry by itself before the button can be pressed: then the button disappears.
    const live = liveMark(page, 'live').waitFor()
    await Promise.any([page.getByRole('button', { name: 'Try now' }).click(), live])
    await live
    expect(await page.getByRole('button', { name: 'Try now' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps the session when the page is loaded while the server is unreachable', async () => {
    const { context, page, complaints } = await open(/status of (401|503)|ApiError/)
    await openSignedIn(page, backend, '/devices')
    backend.fake.setDown(true)
    await page.goto('/sessions')
    await page.getByRole('heading', { name: 'The console could not start' }).waitFor()
    backend.fake.setDown(false)
    await page.getByText('No sessions yet').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('a fresh instance', () => {
  it('sets up a fresh instance with its link and signs the new account in', async () => {
    const fresh = await startFakeBackend()
    fresh.fake.state.user = undefined
    const { context, page, complaints } = await openPage(browser, { baseURL: fresh.origin })
    await page.goto('/sign-in')
    await page.getByText('This instance is not set up yet').first().waitFor()
    await page.goto(`/setup?sign=${fresh.fake.state.setupSign}`)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Name must have 3 to 20 characters.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByLabel('Username').fill('grace')
    await page.getByLabel('Password', { exact: true }).fill('nanoseconds')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('No devices yet').waitFor()
    await page.goto(`/setup?sign=${fresh.fake.state.setupSign}`)
    await page.getByText('This instance is set up already').waitFor()
    expect(complaints).toEqual([])
    await context.close()
    await fresh.close()
  })

  it('explains an incomplete set-up link', async () => {
    const fresh = await startFakeBackend()
    fresh.fake.state.user = undefined
    const { context, page, complaints } = await openPage(browser, { baseURL: fresh.origin })
    await page.goto('/setup')
    await page.getByText('This link is incomplete').waitFor()
    expect(complaints).toEqual([])
    await context.close()
    await fresh.close()
  })
})
