// Leaving a namespace; the no-namespace screen; pages that fail to load.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'
import type { Site } from '../site.ts'

const LEAVER = { username: 'lennart', password: 'leaver-pass', email: 'lennart@example.com' }

const OWNER = { username: 'olivia', password: 'owner-pass', email: 'olivia@example.com' }

export function leavingJourneys(site: Site): void {
  describe('somebody who leaves the namespace', () => {
    it('explains namespaces to somebody who left their only one, and creates one', async () => {
      const { world, browser } = site
      await world.cli('user', 'create', LEAVER.username, LEAVER.password, LEAVER.email)
      const { body } = await world.client.call(operations.namespaces.get, { params: { tenant: world.product.tenant } })
      await world.cli('namespace', 'member', 'add', LEAVER.username, body.name, 'operator')
      const { context, page, complaints } = await openPage(browser, { baseURL: world.product.console })
      await openSignedIn(page, LEAVER, '/settings')
      await page.getByRole('button', { name: 'Leave the namespace' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Leave the namespace' }).click()
      await page.getByText('Devices live in namespaces.').waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      // Requests in flight while the membership ended were refused; from here on nothing may send one that would be.
      complaints.length = 0
      await page.goto('/')
      await page.getByText('Devices live in namespaces.').waitFor()
      await page.getByRole('button', { name: 'Create a namespace' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('homestead')
      await page.keyboard.press('Enter')
      await page.getByText('No devices yet').first().waitFor()
      await page.getByRole('button', { name: /^Namespace homestead/ }).waitFor()

      const steps = page.getByRole('region', { name: 'First steps' })
      await steps.getByText('0 of 4 done').waitFor()
      await steps.getByRole('button', { name: 'Hide' }).click()
      await steps.waitFor({ state: 'detached' })
      await page.reload()
      await page.getByText('No devices yet').first().waitFor()
      expect(await steps.count()).toBe(0)

      await page.goto('/profile')
      await page.getByRole('button', { name: 'Delete my account' }).waitFor()
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('the owner of a namespace', () => {
    it('exports it, deletes it by typing its name, and restores it from the profile', async () => {
      const { world, browser } = site
      await world.cli('user', 'create', OWNER.username, OWNER.password, OWNER.email)
      await world.cli('namespace', 'create', 'orchard', OWNER.username)
      const { context, page, complaints } = await openPage(browser, { baseURL: world.product.console })
      await openSignedIn(page, OWNER, '/settings')
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download', exact: true }).click()
      expect((await download).suggestedFilename()).toMatch(/^orchard-\d{4}-\d\d-\d\d\.tar\.gz$/)
      expect(await (await download).failure()).toBeNull()

      await page.getByRole('button', { name: 'Delete the namespace' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('You can restore it in your profile until').waitFor()
      const confirm = dialog.getByRole('button', { name: 'Delete the namespace' })
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByLabel('Type orchard to confirm').fill('orchard')
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await confirm.click()
      await page.getByText('Devices live in namespaces.').waitFor()
      // Requests in flight while the namespace was closed were refused.
      complaints.length = 0
      await page.goto('/profile')
      const data = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download my data' }).click()
      expect((await data).suggestedFilename()).toMatch(/^olivia-\d{4}-\d\d-\d\d\.tar\.gz$/)
      expect(await (await data).failure()).toBeNull()
      await page.getByText('Removed for good on').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.getByRole('button', { name: 'Restore orchard' }).click()
      await page.getByRole('button', { name: /^Namespace orchard/ }).waitFor()

      await world.cli('namespace', 'create', 'meadow', OWNER.username)
      await world.cli('namespace', 'delete', 'meadow')
      await page.getByRole('button', { name: /^Namespace orchard/ }).click()
      const item = page.getByRole('menuitem', { name: 'Restore meadow' })
      await item.getByText('Removed for good on').waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await item.click()
      await page.getByRole('button', { name: /^Namespace meadow/ }).waitFor()
      expect(await page.getByText('Recently deleted').count()).toBe(0)
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('a page that cannot be loaded', () => {
    it('shows a failed page load in the page’s place and loads it on retry', async () => {
      const { world, browser } = site
      const { context, page } = await openPage(browser, { baseURL: world.product.console })
      await openSignedIn(page, world.product, '/tags')
      await page.route('**/assets/audit-page*.js', (route) => route.abort())
      await page.getByRole('link', { name: 'Audit log', exact: true }).click()
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      // The rest of the console keeps working.
      await page.getByRole('link', { name: 'Tags' }).click()
      await page.getByText('garden').first().waitFor()
      await page.getByRole('link', { name: 'Audit log', exact: true }).click()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      // Only now: the click itself fetches the page once more.
      await page.unroute('**/assets/audit-page*.js')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('button', { name: 'Export CSV' }).waitFor()
      await context.close()
    })

    it('needs no stylesheet but the one that the console starts with', async () => {
      const { world, browser } = site
      const { context, page } = await openPage(browser, { baseURL: world.product.console })
      const styles: string[] = []
      page.on('request', (request) => {
        if (request.resourceType() === 'stylesheet') styles.push(request.url())
      })
      await openSignedIn(page, world.product, '/tags')
      await page.getByRole('link', { name: 'Firewall' }).click()
      await page.getByRole('button', { name: 'Add rule' }).waitFor()
      const linked = await page.locator('link[rel=stylesheet]').evaluateAll((links) => links.map((link) => link.href))
      expect(linked).toHaveLength(1)
      expect(new Set(styles)).toEqual(new Set(linked))
      await context.close()
    })

    it('reloads the whole console, once, when the server has another build of it', async () => {
      const { world, browser } = site
      const { context, page } = await openPage(browser, { baseURL: world.product.console })
      await page.route('**/assets/audit-page*.js', (route) => route.abort())
      await openSignedIn(page, world.product, '/tags')
      const another = '<script type="module" src="/assets/index-another.js"></script>'
      await page.route('/', (route) => route.fulfill({ contentType: 'text/html', body: another }), { times: 1 })
      const loaded = page.waitForEvent('load')
      await page.getByRole('link', { name: 'Audit log', exact: true }).click()
      await loaded
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
      await context.close()
    })
  })
}
