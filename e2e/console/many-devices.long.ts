// A namespace with 100,000 devices in a browser: listing, searching and paging, without a long task that blocks typing.
// By command only: `npm test -- --project long e2e/console/many-devices`.
import { TenantId } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import { addDevices, withDatabase } from '../../bench/src/site/seed.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { cleanups } from '../support/cleanup.ts'
import { startProduct } from '../support/product.ts'
import { openSignedIn, rowOf } from './steps.ts'

const COUNT = 100_000
/** What people notice as a freeze: five times RAIL's limit for a response to input. */
const FREEZE_MS = 500
const MAX_TASK = `Math.max(0, ...window.longTasks)`
const WATCH = `window.longTasks = []; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration)
}).observe({ type: 'longtask' })`

const undo = cleanups()

it('lists, finds and pages 100,000 devices without a freeze', { timeout: 300_000 }, async () => {
  const product = await startProduct()
  undo(() => product.stop())
  await withDatabase(product.dataFolder, (database) => addDevices(database, TenantId.parse(product.tenant), COUNT))
  const browser = await launchBrowser()
  undo(() => browser.close())
  const { page, complaints } = await openPage(browser, { baseURL: product.console })
  await page.addInitScript(WATCH)
  await openSignedIn(page, product, '/devices?sort=name')
  await page.getByText('1–25 of 100,001').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(26)
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText('26–50 of 100,001').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('device-99999')
  await rowOf(page, 'device-99999').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Search devices,/ }).waitFor()
  await page.keyboard.type('device-4242')
  await page
    .getByRole('option', { name: /^device-4242/ })
    .first()
    .waitFor()
  expect(await page.evaluate(MAX_TASK)).toBeLessThan(FREEZE_MS)
  expect(complaints).toEqual([])
})
