// Untrusted names and texts that contain markup: every page that shows them must show them as text.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { openSignedIn } from '../steps.ts'
import type { Site } from '../site.ts'
import { freshKey } from '../world.ts'

const HOSTILE = [
  '<img src=x onerror=trap()>',
  '"><script>trap()</script>',
  "';trap();//",
  '<svg/onload=trap()>',
  'javascript:trap()',
  '{{constructor.constructor("trap()")()}}',
  '\u202Etxt.exe\u202C',
  '👩‍👩‍👧‍👦 温室 حماية',
  'x'.repeat(60),
]

export function hostileJourneys(site: Site): void {
  describe('names that others choose', () => {
    it('shows untrusted names as text and never runs them', async () => {
      const { world, browser } = site
      const { call } = world.client
      for (const [index, text] of HOSTILE.entries()) {
        await call(operations.publicKeys.create, {
          body: { name: text, username: '.*', filter: { hostname: '.*' }, data: freshKey(text.slice(0, 20)) },
        })
        await world.register(`hostile-${index}`, text)
      }
      await world.cli(
        'announcement',
        'create',
        HOSTILE[0] ?? '',
        HOSTILE.map((text) => `[a](${text}) ${text}`).join('\n\n'),
      )
      const { context, page, complaints } = await openPage(browser, { baseURL: world.product.console })
      const sprung: string[] = []
      page.on('dialog', (dialog) => {
        sprung.push(dialog.message())
        void dialog.dismiss()
      })
      await context.exposeFunction('trap', () => sprung.push('called'))
      await openSignedIn(page, world.product, '/public-keys')
      for (const text of HOSTILE) await page.getByRole('link', { name: text, exact: true }).waitFor()
      await page.goto('/devices?status=pending&q=hostile')
      await page
        .getByText(HOSTILE[0] ?? '')
        .first()
        .waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.goto('/announcements')
      await page.getByRole('link', { name: HOSTILE[0] ?? '', exact: true }).click()
      await page.getByRole('heading', { name: HOSTILE[0] ?? '', exact: true }).waitFor()
      expect(await page.locator('main a[href^="javascript"], main img, main script, main svg[onload]').count()).toBe(0)
      await page.goto('/')
      await page.getByText('hostile-8').first().waitFor()
      // Pages that need a click: none of the names became a link to anything but a page of the console.
      expect(await page.evaluate('[...document.links].every(({ origin }) => origin === location.origin)')).toBe(true)
      expect(sprung).toEqual([])
      expect(complaints).toEqual([])
      await context.close()
    })
  })
}
