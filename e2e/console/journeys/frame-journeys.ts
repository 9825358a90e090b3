// The frame around every page: the side bar at unknown addresses and on low screens, and controls without motion.
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import type { Site } from '../site.ts'
import { openSignedIn } from '../steps.ts'

export function frameJourneys(site: Site): void {
  describe('the frame', () => {
    it('keeps the side bar at an unknown address, and has none for people who are not signed in', async () => {
      const { page, browser, world } = site
      await page.goto('/nowhere/at/all')
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Firewall' }).click()
      await page.getByRole('heading', { name: 'Firewall', exact: true }).waitFor()

      const stranger = await openPage(browser, { baseURL: world.product.console }, /status of 401/)
      await stranger.page.goto('/nowhere')
      await stranger.page.getByRole('heading', { name: 'Page not found' }).waitFor()
      expect(await stranger.page.getByRole('navigation', { name: 'Sections' }).count()).toBe(0)
      expect(new URL(stranger.page.url()).pathname).toBe('/nowhere')
      await stranger.context.close()
    })

    it('shows the current section above the edge at which the side bar fades', async () => {
      const viewport = { width: 1440, height: 900 }
      const { context, page } = await openPage(site.browser, { baseURL: site.world.product.console, viewport })
      await openSignedIn(page, site.world.product, '/instance/audit')
      await page.getByRole('heading', { name: 'Server audit log' }).waitFor()
      const isClear = (): Promise<boolean> =>
        page.evaluate(`(() => {
          const nav = document.querySelector('nav[aria-label="Sections"]')
          const { bottom, top } = nav.querySelector('[data-active]').getBoundingClientRect()
          const box = nav.getBoundingClientRect()
          // The last one is above nothing that could be scrolled to: the fade is behind it.
          const isAtEnd = nav.scrollTop + nav.clientHeight >= nav.scrollHeight - 1
          return top >= box.top && bottom <= box.bottom - (isAtEnd ? 0 : 24)
        })()`)
      await expect.poll(isClear).toBe(true)
      await page.getByRole('link', { name: 'Server announcements' }).click()
      await page.getByRole('heading', { name: 'Server announcements' }).waitFor()
      await expect.poll(isClear).toBe(true)
      await context.close()
    })

    it('keeps the spinner of a button whole where motion is reduced', async () => {
      const options = { baseURL: site.world.product.console, reducedMotion: 'reduce' as const }
      const { context, page } = await openPage(site.browser, options)
      await openSignedIn(page, site.world.product, '/firewall?edit=new')
      const answered = Promise.withResolvers<void>()
      await page.route('**/api/firewall/dry-run', async (route) => {
        await answered.promise
        await route.continue()
      })
      await page.getByRole('dialog').getByLabel('Action').selectOption('allow')
      const button = page.getByRole('button', { name: 'Preview effect' })
      await button.click()
      const loader = button.locator('.mantine-Loader-root')
      await loader.waitFor()
      const [inner, outer] = await Promise.all([loader.boundingBox(), button.boundingBox()])
      answered.resolve()
      const middle = (box: typeof inner): number => (box ? box.y + box.height / 2 : Number.NaN)
      expect(Math.abs(middle(inner) - middle(outer))).toBeLessThan(2)
      await context.close()
    })

    it('leaves the ground of disabled icon buttons clear', async () => {
      const { page } = site
      await page.goto('/devices')
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
      const ground = await page.evaluate<string>(`(() => {
        const button = document.querySelector('button[aria-label="Keyboard shortcuts"]')
        const shown = button.cloneNode(true)
        shown.disabled = true
        button.after(shown)
        const { backgroundColor } = getComputedStyle(shown)
        shown.remove()
        return backgroundColor
      })()`)
      expect(ground).toBe('rgba(0, 0, 0, 0)')
    })
  })
}
