// Tips and menus of controls: mounted when they are wanted, by mouse, keyboard and finger.
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import type { Site } from '../site.ts'
import { accessibilityViolations, eventually, hasFocus, openSignedIn, rowOf } from '../steps.ts'

/** Of a row of the devices table with its usual columns: what 25 rows cost is what 25 times this costs. */
const ROW_ELEMENTS = 55

export function controlJourneys(site: Site): void {
  describe('tips', () => {
    it('say what a control does: one at a time, to a mouse and to the keyboard, until Escape', async () => {
      const { page, world } = site
      await page.goto('/devices')
      const row = rowOf(page, world.own.name)
      const files = row.getByRole('button', { name: `Files of ${world.own.name}` })
      const tip = page.getByRole('tooltip')
      await files.hover()
      await tip.waitFor()
      expect(await tip.textContent()).toBe('Files')
      const described = await files.getAttribute('aria-describedby')
      expect(described).toBe(await tip.getAttribute('id'))
      await row.getByRole('button', { name: /^Copy / }).hover()
      await page.getByRole('tooltip', { name: /^ssh / }).waitFor()
      expect(await tip.count()).toBe(1)
      expect(await files.getAttribute('aria-describedby')).toBeNull()
      await page.mouse.move(2, 2)
      await tip.waitFor({ state: 'detached' })

      await row.getByRole('link', { name: world.own.name, exact: true }).focus()
      while (!(await hasFocus(files))) await page.keyboard.press('ArrowRight')
      await page.getByRole('tooltip', { name: 'Files' }).waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await tip.waitFor({ state: 'detached' })
      expect(await hasFocus(files)).toBe(true)
    })

    it('say that something was copied', async () => {
      const { page, world } = site
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto('/devices')
      await rowOf(page, world.own.name)
        .getByRole('button', { name: /^Copy / })
        .click()
      await page.getByRole('tooltip', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^ssh /)
    })

    it('say to a finger why a control is refused', async () => {
      const { context, page, complaints } = await openPage(site.browser, {
        baseURL: site.world.product.console,
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      })
      await openSignedIn(page, site.world.product, '/devices')
      const connect = rowOf(page, 'kiosk-lobby').getByRole('button', { name: 'Connect to kiosk-lobby' })
      expect(await connect.isDisabled()).toBe(true)
      // Playwright waits for controls that are disabled, fingers do not.
      await connect.tap({ force: true })
      const tip = page.getByRole('tooltip', { name: 'The device is offline.' })
      await tip.waitFor()
      const { x = -1, width = 0 } = (await tip.boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(390)
      expect(new URL(page.url()).pathname).toBe('/devices')
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('keys of a row', () => {
    it('says of a device that is offline why the key c opens no terminal', async () => {
      const { page } = site
      await page.goto('/devices?sort=name')
      await page.getByRole('link', { name: 'edge-router-7' }).first().focus()
      await page.keyboard.press('c')
      await page.getByText('edge-router-7 is offline', { exact: true }).first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/devices')
    })
  })

  describe('menus', () => {
    it('are mounted when they are opened, and give the focus back to their button', async () => {
      const { page } = site
      await page.goto('/devices')
      await rowOf(page, 'kiosk-lobby').waitFor()
      const menu = page.getByRole('menu', { includeHidden: true })
      expect(await menu.count()).toBe(0)
      const display = page.getByRole('button', { name: 'Display', exact: true })
      expect(await display.getAttribute('aria-haspopup')).toBe('menu')
      for (const expanded of [1, 2]) {
        expect(await display.getAttribute('aria-expanded'), `opening ${expanded}`).toBe('false')
        await display.focus()
        await page.keyboard.press('Enter')
        await page.getByRole('menu', { name: 'Display' }).waitFor()
        await eventually(() => hasFocus(page.getByRole('menuitemcheckbox').first()))
        expect(await display.getAttribute('aria-expanded')).toBe('true')
        await page.keyboard.press('Escape')
        await page.getByRole('menu').waitFor({ state: 'detached' })
        await eventually(() => hasFocus(display))
      }
    })
  })

  describe('a row of the devices table', () => {
    it(`mounts at most ${ROW_ELEMENTS} elements`, async () => {
      const { page, world } = site
      await page.goto('/devices')
      await rowOf(page, world.own.name).waitFor()
      const counts = await page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.querySelectorAll('*').length))
      expect(Math.min(...counts)).toBeGreaterThan(10)
      expect(Math.max(...counts)).toBeLessThanOrEqual(ROW_ELEMENTS)
    })
  })
}
