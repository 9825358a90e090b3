// Many pages of the console in one browser, on the product: none waits for the streams of the others, and one that the
// browser restores from its back/forward cache is live again.
import { operations } from '@bowline/contract/operations'
import { type Page, chromium } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { CHROMIUM, QUIET, launchBrowser, openPage } from '../support/browser.ts'
import { cleanups } from '../support/cleanup.ts'
import { type Product, startProduct } from '../support/product.ts'
import { liveMark, openSignedIn, rowOf } from './steps.ts'

const PAGES = 10
/** As many pages of a browser have a stream. */
const STREAMS = 3
/** The longest pause before the next attempt, and time for it. */
const RETRIED_MS = 60_000

const undo = cleanups()
let product: Product
let name: string
beforeAll(async () => {
  product = await startProduct()
  undo(() => product.stop())
  name = product.sshid.slice(product.sshid.indexOf('.') + 1)
}, 120_000)

const states = (pages: readonly Page[]) =>
  Promise.all(pages.map((page) => page.evaluate<string>(`document.querySelector('output[data-state]').dataset.state`)))

it('loads ten pages at once, of which each shows what another has changed', { timeout: 240_000 }, async () => {
  const browser = await launchBrowser()
  undo(() => browser.close())
  const { context, page: first, complaints } = await openPage(browser, { baseURL: product.console })
  await openSignedIn(first, product, '/devices')
  const others = await Promise.all(Array.from({ length: PAGES - 1 }, () => context.newPage()))
  await Promise.all(
    others.map(async (page) => {
      await page.goto('/devices')
      await rowOf(page, name).waitFor()
    }),
  )
  const pages = [first, ...others]
  await expect.poll(async () => (await states(pages)).filter((state) => state === 'live').length).toBe(STREAMS)
  const client = await product.client()
  const [device] = (await client.call(operations.devices.list, {})).body
  await client.call(operations.devices.rename, {
    params: { uid: device?.uid ?? '' },
    body: { name: 'seen-everywhere' },
  })
  await Promise.all(pages.map((page) => rowOf(page, 'seen-everywhere').waitFor({ timeout: RETRIED_MS })))
  // A place that becomes free is taken.
  for (const [at, state] of (await states(pages)).entries()) if (state === 'live') await pages[at]?.close()
  const left = pages.filter((page) => !page.isClosed())
  expect(left).toHaveLength(PAGES - STREAMS)
  await expect
    .poll(async () => (await states(left)).filter((state) => state === 'live').length, { timeout: RETRIED_MS })
    .toBe(STREAMS)
  expect(complaints).toEqual([])
})

it('is live again when the browser goes back to a page that it had kept', { timeout: 120_000 }, async () => {
  // Playwright switches the cache off.
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...QUIET],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  undo(() => browser.close())
  const { page, complaints } = await openPage(browser, { baseURL: product.console })
  await page.addInitScript(`addEventListener('pageshow', ({ persisted }) => (globalThis.persisted = persisted))`)
  await openSignedIn(page, product, '/devices')
  await page.goto('/docs/')
  await page.goBack({ waitUntil: 'commit' })
  await liveMark(page, 'live').waitFor()
  expect(await page.evaluate('globalThis.persisted')).toBe(true)
  const client = await product.client()
  const [device] = (await client.call(operations.devices.list, {})).body
  await client.call(operations.devices.rename, { params: { uid: device?.uid ?? '' }, body: { name: 'after-back' } })
  await rowOf(page, 'after-back').waitFor()
  expect(complaints).toEqual([])
})
