// The console in another language: chosen by the browser, changed by the person, with no English left on the screen.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogFile, readCatalog } from '../../apps/console/locales/catalog.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { type FakeBackend, startFakeBackend } from './backend.ts'
import { accessibilityViolations, liveMark } from './steps.ts'

const GERMAN = { locale: 'de-DE', viewport: { width: 390, height: 844 } }
/** The fake server has no data for some pages. */
const REFUSED = /status of 4\d\d/
const TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

/** Texts of the screen: what is written, and the names of elements. */
const SHOWN = `[...document.querySelectorAll('body *')].flatMap((element) => [
  ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent),
  ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name)),
]).filter((text) => text !== null).map((text) => text.trim())`

/** English texts that a German page cannot show: neither the same word in German nor with values in them. */
const catalog = readCatalog(catalogFile('de'))
const inGerman = new Set(catalog.map(({ translation }) => translation))
const english = new Set(
  catalog
    .filter(({ text, context }) => context === '' && !inGerman.has(text) && !text.includes('{'))
    .map(({ text }) => text),
)

async function englishOn(page: Page): Promise<string[]> {
  return (await page.evaluate<string[]>(SHOWN)).filter((text) => english.has(text))
}

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(), startFakeBackend()])
  for (let count = 0; count < 3; count += 1) backend.fake.state.addDevice()
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})

async function signInInGerman(page: Page): Promise<void> {
  await page.getByLabel('Benutzername oder E-Mail').fill(backend.username)
  await page.getByLabel('Passwort', { exact: true }).fill(backend.password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await liveMark(page, 'live').waitFor()
}

describe('a browser that prefers German', () => {
  it('gets the console in German, from the sign-in page on, accessible and within a phone', async () => {
    const { context, page, complaints } = await openPage(browser, { baseURL: backend.origin, ...GERMAN }, REFUSED)
    await page.goto('/sign-in')
    await page.getByRole('heading', { name: 'Bei Bowline anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await accessibilityViolations(page)).toEqual([])
    expect(await englishOn(page)).toEqual([])
    await signInInGerman(page)
    for (const [path, heading] of [
      ['/', 'Übersicht'],
      ['/devices', 'Geräte'],
      ['/sessions', 'Sitzungen'],
      ['/public-keys', 'Öffentliche Schlüssel'],
      ['/firewall', 'Firewall'],
      ['/team', 'Team'],
      ['/audit', 'Audit-Log'],
      ['/profile', 'Profil'],
      ['/profile/keys', 'Schlüssel in diesem Browser'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      expect({ path, english: await englishOn(page), tooWide: await page.evaluate(TOO_WIDE) }).toEqual({
        path,
        english: [],
        tooWide: false,
      })
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  it('explains a refused sign-in in German', async () => {
    const { context, page } = await openPage(browser, { baseURL: backend.origin, ...GERMAN }, REFUSED)
    await page.goto('/sign-in')
    await page.getByLabel('Benutzername oder E-Mail').fill(backend.username)
    await page.getByLabel('Passwort', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByText('Benutzername oder Passwort ist falsch.').waitFor()
    expect(await englishOn(page)).toEqual([])
    await context.close()
  })
})

describe('the choice of a language', () => {
  it('holds across reloads, until it is changed back', async () => {
    const { context, page, complaints } = await openPage(browser, { baseURL: backend.origin, ...GERMAN }, REFUSED)
    await page.goto('/sign-in')
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    // The comparison with the texts of a German page sees English.
    expect(await englishOn(page)).toContain('Sign in to Bowline')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { name: 'Bei Bowline anmelden' }).waitFor()
    await signInInGerman(page)
    await page.goto('/profile')
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('loads no catalog for English', async () => {
    const { context, page } = await openPage(browser, { baseURL: backend.origin, locale: 'en-GB' })
    const catalogs: string[] = []
    page.on('request', (request) => {
      if (/\/assets\/de-/.test(request.url())) catalogs.push(request.url())
    })
    await page.goto('/sign-in')
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    expect(catalogs).toEqual([])
    await context.close()
  })
})
