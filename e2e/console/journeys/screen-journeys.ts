// Every screen in light, dark and on a phone: accessible, without overflow or console errors; the size of what a
// browser loads; the theme before the first paint; the navigation on a phone.
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repeatedBy, shortForm } from '../../../scripts/short-form.ts'
import { type WatchedPage, openPage } from '../../support/browser.ts'
import { SCREENS } from '../screens.ts'
import type { Site } from '../site.ts'
import { accessibilityViolations, listOverflow, liveMark, openSignedIn, violationsInBothThemes } from '../steps.ts'

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

export function screenJourneys(site: Site): void {
  describe(`every screen${repeatedBy}`, () => {
    let watched: WatchedPage
    beforeAll(async () => {
      watched = await openPage(site.browser, { baseURL: site.world.product.console, viewport: WIDE })
      await watched.page.goto('/sign-in')
    })
    afterAll(() => watched.context.close())

    it('passes accessibility rules where people sign in', async () => {
      await watched.page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
      expect(await violationsInBothThemes(watched.page)).toEqual({ light: [], dark: [] })
      await openSignedIn(watched.page, site.world.product, '/sign-in')
      expect(watched.complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
    })

    // On a narrow page only the rules that width can break.
    it.each(shortForm(SCREENS, 4))(
      '$name passes accessibility rules in both themes, and fits a phone',
      async ({ name, path, ready }) => {
        const { page, complaints } = watched
        await page.goto(path(site.world))
        await ready(page, site.world)
        // By its attribute: behind an open dialog it has no role.
        const help = page.locator('a[aria-label="Documentation of this page"]')
        const helps = await help.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
        const wide = await violationsInBothThemes(page)
        await page.setViewportSize(PHONE)
        // A page that was scrolled has a control half under its header.
        await page.evaluate('scrollTo(0, 0)')
        const tooWide = await page.evaluate(TOO_WIDE)
        const phone = await accessibilityViolations(page, 'sizes')
        await page.setViewportSize(WIDE)
        expect({ ...wide, phone, tooWide }).toEqual({ light: [], dark: [], phone: [], tooWide: false })
        expect(helps.map((href) => href?.startsWith('/docs/'))).toEqual(name === 'not-found' ? [] : [true])
        // Violations of the content security policy are among them.
        expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
      },
    )
  })

  describe('a card of a list on a phone', () => {
    it('has its buttons with words below its name', async () => {
      const { page } = site
      await page.setViewportSize(PHONE)
      await page.goto('/access-requests')
      const card = page.locator('tr', { hasText: 'The disk is full, ticket 4711' })
      const name = await card.locator('td[data-primary]').boundingBox()
      const button = await card.locator('button').first().boundingBox()
      expect(button?.y).toBeGreaterThan((name?.y ?? 0) + (name?.height ?? 0))
      expect(name?.width).toBeGreaterThan(PHONE.width / 2)
      await page.setViewportSize(WIDE)
    })
  })

  describe('the end of a page', () => {
    it('can be scrolled above a notification that stays', async () => {
      const { page } = site
      await page.setViewportSize(PHONE)
      await page.goto('/devices')
      await page.route('**/api/favorites/*', (route) => route.fulfill({ status: 403, json: { message: 'Not now.' } }))
      await page.getByRole('button', { name: 'Add kiosk-lobby to favorites' }).click()
      const notice = page.getByRole('alert').filter({ hasText: 'Not now.' })
      await notice.waitFor()
      await page.evaluate('scrollTo(0, 1e6)')
      const [above, below] = [await page.getByRole('row').last().boundingBox(), await notice.boundingBox()]
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
      await notice.getByRole('button', { name: 'Close' }).click()
      await page.unroute('**/api/favorites/*')
      await page.setViewportSize(WIDE)
    })
  })

  describe('the list of devices', () => {
    it.each(['en', 'de'])('is whole at 1,280 pixels in %s, however long its texts are', async (language) => {
      const change = (row: Device) => ({
        ...row,
        name: `warehouse-north-gate-camera-${row.name}`,
        remote_addr: '192.168.100.200',
        info: { ...row.info, pretty_name: 'Ubuntu 24.04.3 LTS (Noble Numbat) for Raspberry Pi' },
      })
      const list = { path: '/devices', width: 1280, language, change, title: 'warehouse-north' }
      expect(await listOverflow<Device>(site.page, list)).toBeLessThanOrEqual(0)
    })
  })

  describe('the fingerprints of device keys', () => {
    it('are a column that can be chosen, as ssh-keygen prints them', async () => {
      const { page } = site
      await page.goto('/devices')
      await page.getByRole('grid').waitFor()
      expect(await page.getByRole('columnheader', { name: 'Key fingerprint' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Key fingerprint' }).click()
      await page.keyboard.press('Escape')
      const cell = page
        .getByRole('gridcell')
        .filter({ hasText: /SHA256:[A-Za-z0-9+/]{43}$/ })
        .first()
      await cell.getByRole('button', { name: 'Copy the key fingerprint' }).waitFor()
      expect(await cell.textContent()).toMatch(/^SHA256:/)
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitem', { name: 'Reset columns' }).click()
      await page.getByRole('columnheader', { name: 'Key fingerprint' }).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
    })
  })

  describe('the content security policy', () => {
    it('reports what it refuses', async () => {
      const { context, page, complaints } = await openPage(site.browser, { baseURL: site.world.product.console })
      // Otherwise the screens' empty lists would mean nothing.
      await page.goto('/sign-in')
      await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'alert()' }))")
      await expect
        .poll(() => complaints.join())
        .toContain('the content security policy refused script-src-elem: inline')
      await context.close()
    })
  })

  describe('the theme', () => {
    it('applies the theme before the first paint and remembers it', async () => {
      const options = { baseURL: site.world.product.console, colorScheme: 'light' } as const
      const { context, page, complaints } = await openPage(site.browser, options, /401|ERR_FAILED/)
      await openSignedIn(page, site.world.product, '/devices')
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      // The module is blocked: what is visible until then comes from the script in the head alone.
      await page.route('**/assets/*.js', (route) => route.abort())
      await page.reload({ waitUntil: 'commit' })
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('the navigation on a phone', () => {
    it('shows the navigation of a phone in a drawer that closes when a section is chosen', async () => {
      const options = { baseURL: site.world.product.console, viewport: PHONE, hasTouch: true }
      const { context, page, complaints } = await openPage(site.browser, options)
      await openSignedIn(page, site.world.product, '/devices')
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Open navigation' }).tap()
      const drawer = page.getByRole('dialog', { name: 'Sections' })
      await drawer.getByRole('link', { name: 'Firewall' }).waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await drawer.getByRole('button', { name: 'Close navigation' }).tap()
      await drawer.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Open navigation' }).tap()
      await drawer.getByRole('link', { name: 'Firewall' }).tap()
      await page.getByRole('heading', { name: 'Firewall', exact: true }).waitFor()
      await drawer.waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('lists on a phone', () => {
    it('has targets for fingers, whole names, no empty lines, and edges that show that they scroll', async () => {
      const options = { baseURL: site.world.product.console, viewport: PHONE, hasTouch: true, isMobile: true }
      const { context, page } = await openPage(site.browser, options)
      await openSignedIn(page, site.world.product, '/devices')
      const card = page.getByRole('row').filter({ hasText: 'kiosk-lobby' })
      await card.waitFor()
      const check = card.getByRole('checkbox')
      const box = await check.boundingBox()
      if (!box) throw new Error('The checkbox is not shown.')
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24)
      await page.touchscreen.tap(box.x + box.width / 2, box.y - 8)
      await expect.poll(() => check.isChecked()).toBe(true)
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height + 8)
      await expect.poll(() => check.isChecked()).toBe(false)
      expect(await card.locator('td:empty').evaluateAll((all) => all.every((cell) => !cell.checkVisibility()))).toBe(
        true,
      )
      const name = await card.getByRole('link', { name: 'kiosk-lobby' }).boundingBox()
      expect(name?.height).toBeLessThan(40)
      const edgeOf = (selector: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('--edge-end')`)
      await expect.poll(() => edgeOf('thead tr')).toBe('32px')
      await expect.poll(() => edgeOf('fieldset')).toBe('32px')
      await page
        .locator('fieldset')
        .first()
        .evaluate((line) => line.scrollTo(line.scrollWidth, 0))
      await expect.poll(() => edgeOf('fieldset')).toBe('0px')
      await page.goto('/profile')
      await page.getByRole('heading', { name: 'Profile' }).first().waitFor()
      const heights = await page
        .getByRole('button')
        .filter({ visible: true })
        .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().height))
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(24)
      await context.close()
    })
  })

  describe('the weight', () => {
    it('loads the devices table with at most 240 kB of scripts on the wire, and fetches no list twice', async () => {
      const { context, page } = await openPage(site.browser, { baseURL: site.world.product.console })
      // Other pages' modules are preloaded when the browser is idle: by the page before the reload too.
      await page.addInitScript('globalThis.requestIdleCallback = () => 0')
      // The first row has the focus on arrival, which preloads the page of its device: here, and before the reload.
      const measured = Promise.withResolvers<void>()
      await page.route('**/api/devices?**', async (route) => {
        await measured.promise
        await route.continue()
      })
      await openSignedIn(page, site.world.product, '/devices')
      const cdp = await context.newCDPSession(page)
      const scripts = new Set<string>()
      let bytes = 0
      cdp.on('Network.responseReceived', ({ requestId, response }) => {
        if (new URL(response.url).pathname.endsWith('.js')) scripts.add(requestId)
      })
      cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (scripts.has(requestId)) bytes += encodedDataLength
      })
      await cdp.send('Network.enable')
      await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
      const lists: string[] = []
      page.on('request', (request) => {
        if (/\/api\/(devices|sessions)\?/.test(request.url())) lists.push(request.url())
      })
      await page.reload()
      await liveMark(page, 'live').waitFor()
      await page.getByRole('grid').waitFor()
      expect(bytes).toBeGreaterThan(100_000)
      expect(bytes).toBeLessThanOrEqual(240_000)
      measured.resolve()
      // By now, every request triggered by the opening of the stream has been sent.
      await page.getByRole('link', { name: 'Tags' }).click()
      await page.getByText('garden').first().waitFor()
      expect(lists.length).toBeGreaterThan(0)
      expect(lists).toEqual([...new Set(lists)])
      await context.close()
    })
  })
}
