// The map of devices: clusters, zooming by mouse and keys, the devices of a place, filters, and a position set by hand.
import { operations } from '@bowline/contract/operations'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import type { Site } from '../site.ts'
import { eventually, hasFocus, openSignedIn, violationsInBothThemes } from '../steps.ts'

const PHONE = { width: 390, height: 844 }
const cluster = (page: Page, name: RegExp): Locator => page.getByRole('button', { name })
const map = (page: Page): Locator => page.getByRole('region', { name: 'Map', exact: true })
const zoom = async (page: Page): Promise<number> => Number(await map(page).getAttribute('data-zoom'))

export function mapJourneys(site: Site): void {
  describe('the map of devices', () => {
    it('leads from a cluster to the devices in it, and to the list of them', async () => {
      const { page } = site
      await page.goto('/devices')
      await page.getByRole('link', { name: 'Show on a map' }).click()
      await page.waitForURL('**/devices/map')
      await cluster(page, /^0\/1 online at 33\.45/).waitFor()
      await page.getByText(/devices? ha(s|ve) no known location/).waitFor()
      for (let presses = 0; presses < 8 && (await cluster(page, /^0\/2 online/).count()) > 0; presses += 1) {
        const before = await zoom(page)
        await cluster(page, /^0\/2 online/).click()
        await eventually(async () => (await zoom(page)) > before)
        await page.locator('section[aria-label=Map][aria-busy=false]').waitFor()
      }
      await cluster(page, /^0\/1 online at 52\.52/).click()
      const here = page.getByRole('region', { name: /^Devices at 52\.52/ })
      await here.getByRole('link', { name: 'greenhouse-pi' }).waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await here.getByRole('link', { name: 'Show in the list' }).click()
      await page.waitForURL('**/devices?cell=**')
      await page.getByRole('row').filter({ hasText: 'greenhouse-pi' }).waitFor()
      expect(await page.getByRole('row').filter({ hasText: 'lab-nas' }).count()).toBe(0)
      await page.getByRole('button', { name: 'At a place on the map' }).click()
      await page.getByRole('row').filter({ hasText: 'lab-nas' }).waitFor()
    })

    it('shows the devices that the search and the filters find', async () => {
      const { page } = site
      await page.goto('/devices/map?q=greenhouse-pi')
      await cluster(page, /^0\/1 online at 52\.52/).waitFor()
      expect(await cluster(page, /online at 33\.45/).count()).toBe(0)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await cluster(page, /online at 33\.45/).waitFor()
      await page.getByLabel('Search devices').fill('no-such-device')
      await page.getByText('No matching device has a known location').waitFor()
    })

    it('moves and zooms by keys and by the wheel, and has a table of the same', async () => {
      const { page } = site
      await page.goto('/devices/map')
      await cluster(page, /^0\/2 online/).waitFor()
      const whole = await zoom(page)
      await map(page).focus()
      await page.keyboard.press('+')
      await page.keyboard.press('+')
      await eventually(async () => (await zoom(page)) > whole * 3)
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('0')
      await eventually(async () => (await zoom(page)) === whole)
      await map(page).hover()
      await page.mouse.wheel(0, -400)
      await eventually(async () => (await zoom(page)) > whole)
      await page.getByRole('button', { name: 'Whole world' }).click()
      await eventually(async () => (await zoom(page)) === whole)
      const table = page.getByRole('region', { name: 'Locations' }).last()
      const open = table.getByRole('button', { name: /^Show devices at 33\.45/ })
      await open.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'kiosk-lobby' }).waitFor()
      expect(await hasFocus(open)).toBe(true)
    })

    it('is moved and pressed by fingers on a phone', async () => {
      const options = { baseURL: site.world.product.console, viewport: PHONE, hasTouch: true }
      const { context, page, complaints } = await openPage(site.browser, options)
      await openSignedIn(page, site.world.product, '/devices/map')
      await cluster(page, /^0\/2 online/).tap()
      await eventually(async () => (await zoom(page)) > 2)
      const before = await cluster(page, /^0\/[12] online/)
        .first()
        .boundingBox()
      const box = (await map(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      const cdp = await context.newCDPSession(page)
      const [x, y] = [box.x + box.width / 4, box.y + box.height / 4]
      const touch = (type: string, points: readonly { x: number; y: number; id?: number }[]) =>
        cdp.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: [...points] })
      await touch('touchStart', [{ x, y }])
      await touch('touchMove', [{ x: x + 20, y: y + 10 }])
      await touch('touchMove', [{ x: x + 40, y: y + 20 }])
      await touch('touchEnd', [])
      await eventually(async () => {
        const after = await cluster(page, /^0\/[12] online/)
          .first()
          .boundingBox()
        return before !== null && after !== null && Math.abs(after.x - before.x) > 10
      })
      const near = await zoom(page)
      const fingers = (distance: number) => [
        { x: x - distance, y, id: 0 },
        { x: x + distance, y, id: 1 },
      ]
      await touch('touchStart', fingers(20))
      await touch('touchMove', fingers(30))
      await touch('touchMove', fingers(40))
      await touch('touchEnd', [])
      await eventually(async () => (await zoom(page)) > near)
      expect(complaints).toEqual([])
      await context.close()
    })

    it('has a device where a person has set it, until the position is taken away again', async () => {
      const { page, world } = site
      const { uid } = world.own
      const position = async () => (await world.client.call(operations.devices.get, { params: { uid } })).body.position
      await page.goto(`/devices/${uid}`)
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Latitude').fill('59,91')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Enter both coordinates').waitFor()
      await dialog.getByLabel('Longitude').fill('10.75')
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/^59\.91.*10\.75.*, set by a person$/).waitFor()
      expect(await position()).toEqual({ latitude: 59.91, longitude: 10.75 })
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Latitude').fill('')
      await dialog.getByLabel('Longitude').fill('')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('set by a person').waitFor({ state: 'detached' })
      expect(await position()).toEqual({ latitude: 0, longitude: 0 })
    })
  })
}
