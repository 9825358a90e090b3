// Behaviours of the documentation site, except for search.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Behaviour, scrollTo, scrollTop } from './behaviour.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const theme = (page: Page): Promise<unknown> =>
  page.evaluate('[document.documentElement.dataset.theme, localStorage.theme ?? null]')
const stored = (page: Page, key: string): Promise<unknown> => page.evaluate(`localStorage.getItem('${key}')`)
const follow = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).click()

const prefetching = (connection: string, happens: boolean): Behaviour => ({
  sentence: `prefetching of linked pages ${happens ? 'happens' : 'is skipped'} on a connection that is ${connection}`,
  async check({ page, open }) {
    await page.addInitScript(`Object.defineProperty(navigator, 'connection', { value: ${connection} })`)
    await open('overview/faq')
    const prefetched = page.locator('link[rel=prefetch]')
    // Scroll linked pages into view.
    await page.getByRole('link', { name: 'Next' }).scrollIntoViewIfNeeded()
    // Links in view are noticed after a frame, and prefetched when the browser is idle.
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestIdleCallback(done))))',
    )
    if (happens) await prefetched.first().waitFor({ state: 'attached' })
    // oxlint-disable-next-line vitest/no-standalone-expect -- a row of the table
    expect((await prefetched.count()) > 0).toBe(happens)
  },
})

export const SITE_BEHAVIOURS: readonly Behaviour[] = [
  {
    sentence: 'index and .html suffixes are stripped from paths',
    async check({ page, docs }) {
      await page.goto(`${docs}overview/faq.html`)
      expect(page.url()).toBe(`${docs}overview/faq`)
      await page.goto(`${docs}user-guides/index.html`)
      expect(page.url()).toBe(`${docs}user-guides/`)
    },
  },
  {
    sentence: 'on navigation the page scrolls to the hash anchor, or to the top when there is none',
    async check({ page, open }) {
      await open('self-hosted/troubleshooting')
      await scrollTo(page, 900)
      await page.getByRole('link', { name: 'not registered' }).click()
      await page.waitForURL('**/publickey-authentication#when-the-key-is-not-taken')
      await expect.poll(() => scrollTop(page)).toBeGreaterThan(0)
      expect(
        await page.locator('#when-the-key-is-not-taken').evaluate((one) => one.getBoundingClientRect().top < 800),
      ).toBe(true)
      await page.getByRole('link', { name: 'Next' }).click()
      await page.getByRole('heading', { level: 1, name: 'Keys in the browser' }).waitFor()
      await expect.poll(() => scrollTop(page)).toBe(0)
    },
  },
  {
    sentence: 'a failed route chunk reloads the page',
    complaints: /ERR_FAILED|ChunkLoadError|Loading chunk|loading chunk/,
    async check({ page, open }) {
      await open('')
      let broken = true
      await page.route('**/assets/js/*.js', (route) => (broken ? route.abort() : route.continue()))
      const reloaded = page.waitForRequest((request) => request.isNavigationRequest())
      await page.getByRole('link', { name: 'recorded' }).click()
      broken = false
      expect((await reloaded).url()).toContain('/user-guides/sessions/session-recording')
      await page.getByRole('heading', { level: 1, name: 'Session recording' }).waitFor()
    },
  },
  {
    sentence: "a crashed page shows 'This page crashed.' with a 'Try again' button",
    complaints: /provoked|onCaughtError|Error/,
    async check({ page, open }) {
      await open('')
      // Make the module of the install command fail to load, and with it its page.
      await page.evaluate(`
        const real = String.prototype.replaceAll
        String.prototype.replaceAll = function (...args) {
          if (this.includes('install.sh?')) throw new Error('provoked')
          return real.apply(this, args)
        }
        repair = () => { String.prototype.replaceAll = real }
      `)
      await page.locator('.cards a', { hasText: 'Get started' }).click()
      await page.getByText('This page crashed.').waitFor()
      await page.evaluate('repair()')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
    },
  },
  prefetching('{"effectiveType":"2g"}', false),
  prefetching('{"effectiveType":"4g","saveData":true}', false),
  prefetching('{"effectiveType":"4g"}', true),
  {
    sentence: 'pages carry alternate-language links, canonical and social metadata',
    async check({ page, open }) {
      await open('overview/faq')
      const { origin } = new URL(page.url())
      const head = (selector: string, name: string) => page.locator(`head ${selector}`).first().getAttribute(name)
      expect(await head('link[rel=canonical]', 'href')).toBe(`${origin}/docs/overview/faq`)
      expect(await head('link[rel=alternate][hreflang=en]', 'href')).toBe(`${origin}/docs/overview/faq`)
      expect(await head('link[rel=alternate][hreflang=x-default]', 'href')).toBe(`${origin}/docs/overview/faq`)
      expect(await head('meta[property="og:title"]', 'content')).toContain('Questions and answers')
      expect(await head('meta[property="og:image"]', 'content')).toContain('/docs/img/card.png')
      expect(await head('meta[name="twitter:card"]', 'content')).toBe('summary_large_image')
    },
  },
  {
    sentence: 'a base-URL misconfiguration banner can show on the home page',
    complaints: /ERR_FAILED|Failed to load/,
    async check({ page, docs }) {
      await page.route('**/assets/**', (route) => route.abort())
      await page.goto(docs)
      await page.getByRole('alert').getByText('it was built for the base address /docs/').waitFor()
      await page.goto(`${docs}overview/faq`)
      expect(await page.locator('#base-url-banner').count()).toBe(0)
    },
  },
  {
    sentence: 'the locale is English only, and the theme follows the system',
    options: { colorScheme: 'light' },
    async check({ page, open }) {
      await open('')
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      expect(await theme(page)).toEqual(['light', null])
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => theme(page)).toEqual(['dark', null])
    },
  },
  {
    sentence: 'the colour mode cycles light, dark, system, and the choice is stored locally',
    options: { colorScheme: 'light' },
    async check({ page, open }) {
      await open('')
      const toggle = page.getByRole('button', { name: /dark and light mode/ })
      const seen = []
      for (let clicks = 0; clicks < 3; clicks += 1) {
        await toggle.click()
        seen.push(await theme(page))
      }
      expect(seen).toEqual([
        ['light', 'light'],
        ['dark', 'dark'],
        ['light', null],
      ])
      await toggle.click()
      await toggle.click()
      await page.reload()
      expect(await theme(page)).toEqual(['dark', 'dark'])
    },
  },
  {
    sentence: "on a phone the navigation has a sidebar with a 'Back to main menu' link",
    options: PHONE,
    async check({ page, open }) {
      await open('overview/faq')
      await page.getByRole('button', { name: 'Toggle navigation bar' }).click()
      await page.getByRole('button', { name: 'Back to main menu' }).click()
      await page.locator('.navbar-sidebar').getByRole('link', { name: 'Get started' }).waitFor()
    },
  },
  {
    sentence: 'the navigation bar has language, version, colour mode and search',
    async check({ page, open }) {
      await open('')
      const bar = page.getByRole('navigation', { name: 'Main' })
      await bar.getByRole('button', { name: 'English' }).waitFor()
      await bar.getByRole('link', { name: '0.1.0' }).waitFor()
      await bar.getByRole('button', { name: /dark and light mode/ }).waitFor()
      await bar.getByRole('button', { name: 'Search (Ctrl+K)' }).waitFor()
    },
  },
  {
    sentence: 'the first stop of the keyboard skips to the main content',
    async check({ page, open }) {
      await open('overview/faq')
      await page.keyboard.press('Tab')
      const link = page.getByRole('link', { name: 'Skip to main content' })
      expect(await link.and(page.locator(':focus')).count()).toBe(1)
      await page.keyboard.press('Enter')
      expect(await page.evaluate("document.activeElement.matches('main, :has(main)')")).toBe(true)
    },
  },
  {
    sentence: 'the navigation bar hides on scroll down and reappears on scroll up',
    async check({ page, open }) {
      await open('self-hosted/configuring')
      const bottom = () => page.locator('.navbar').evaluate((bar) => bar.getBoundingClientRect().bottom)
      const top = await scrollTop(page)
      await page.mouse.wheel(0, 700)
      await expect.poll(() => scrollTop(page)).toBeGreaterThan(top)
      await page.mouse.wheel(0, 700)
      await expect.poll(bottom).toBeLessThanOrEqual(0)
      await page.mouse.wheel(0, -400)
      await expect.poll(bottom).toBeGreaterThan(50)
    },
  },
  {
    sentence: 'desktop and mobile switch at a width of 996 px',
    async check({ page, open }) {
      await open('overview/faq')
      const menu = page.getByRole('button', { name: 'Toggle navigation bar' })
      await page.setViewportSize({ width: 996, height: 800 })
      await menu.waitFor()
      await page.setViewportSize({ width: 997, height: 800 })
      await menu.waitFor({ state: 'hidden' })
    },
  },
  {
    sentence: 'a stored docs version that no longer exists is cleared',
    async check({ page, open }) {
      await page.addInitScript(`
        if (!sessionStorage.seeded) localStorage.setItem('docs-preferred-version-default', '9.9')
        sessionStorage.seeded = 'yes'
      `)
      await open('')
      await expect.poll(() => stored(page, 'docs-preferred-version-default')).not.toBe('9.9')
    },
  },
  {
    sentence: 'the announcement bar stays away when it was dismissed, until its id changes',
    announced: true,
    async check({ page, open }) {
      await open('')
      const bar = page.getByText('This describes the first version.')
      await bar.waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await bar.waitFor({ state: 'hidden' })
      await page.reload()
      await bar.waitFor({ state: 'hidden' })
      await page.evaluate("localStorage.setItem('docusaurus.announcement.id', 'an-earlier-one')")
      await page.reload()
      await bar.waitFor()
    },
  },
  {
    sentence: 'page views are sent on every route change',
    async check({ page, open, docs }) {
      const views: string[] = []
      page.on('request', (request) => {
        if (!request.url().endsWith('/docs-events/page-views')) return
        views.push((JSON.parse(request.postData() ?? '{}') as { path: string }).path)
      })
      await open('')
      await follow(page, 'session')
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
      const base = new URL(docs).pathname
      await expect.poll(() => views).toEqual([base, `${base}user-guides/sessions/introduction`])
    },
  },
  {
    sentence: 'a failed analytics script load logs an error to the console',
    complaints: /ERR_FAILED/,
    async check({ page, open, errors }) {
      await page.route('**/page-views.js', (route) => route.abort())
      await open('')
      await follow(page, 'session')
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
      await expect.poll(() => errors).toEqual([expect.stringContaining('page-views.js could not be loaded')])
      ;(errors as string[]).length = 0
    },
  },
  {
    sentence: 'the progress bar starts 200 ms after the navigation',
    async check({ page, open }) {
      await open('')
      await page.clock.install()
      await page.clock.pauseAt(new Date(Date.now() + 60_000))
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/assets/js/*.js', async (route) => {
        await held
        await route.continue()
      })
      const asked = page.waitForRequest('**/assets/js/*.js')
      await page.getByRole('main').getByRole('link', { name: 'recorded' }).click()
      await asked
      await page.clock.runFor(190)
      expect(await page.locator('#nprogress').count()).toBe(0)
      await page.clock.runFor(20)
      expect(await page.locator('#nprogress').count()).toBe(1)
      release()
      await page.clock.resume()
      await page.getByRole('heading', { level: 1, name: 'Session recording' }).waitFor()
    },
  },
]
