// Many pages of the console in one browser, on the product: all are live with one stream, and one that the browser restores
// from its back/forward cache is live again.
import { operations } from '@bowline/contract/operations'
import { type Request, chromium } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { CHROMIUM, QUIET, launchBrowser, openPage } from '../support/browser.ts'
import { cleanups } from '../support/cleanup.ts'
import { type Product, startProduct } from '../support/product.ts'
import { liveMark, openSignedIn, rowOf } from './steps.ts'

const PAGES = 10

const undo = cleanups()
let product: Product
let name: string
beforeAll(async () => {
  product = await startProduct()
  undo(() => product.stop())
  name = product.sshid.slice(product.sshid.indexOf('.') + 1)
}, 120_000)

it('loads ten pages at once, which are live with one stream', { timeout: 240_000 }, async () => {
  const browser = await launchBrowser()
  undo(() => browser.close())
  const { context, page: first, complaints } = await openPage(browser, { baseURL: product.console })
  await openSignedIn(first, product, '/devices')
  const streams = new Set<Request>()
  const isStream = (request: Request) => new URL(request.url()).pathname === '/api/events'
  context.on('request', (request) => isStream(request) && streams.add(request))
  context.on('requestfailed', (request) => void streams.delete(request))
  context.on('requestfinished', (request) => void streams.delete(request))
  const others = await Promise.all(Array.from({ length: PAGES - 1 }, () => context.newPage()))
  await Promise.all(
    others.map(async (page) => {
      await page.goto('/devices')
      await rowOf(page, name).waitFor()
    }),
  )
  await Promise.all(others.map((page) => liveMark(page, 'live').waitFor()))
  // The first page has had its stream since before.
  expect([...streams]).toEqual([])
  const client = await product.client()
  const [device] = (await client.call(operations.devices.list, {})).body
  const rename = (to: string) =>
    client.call(operations.devices.rename, { params: { uid: device?.uid ?? '' }, body: { name: to } })
  await rename('seen-everywhere')
  await Promise.all([first, ...others].map((page) => rowOf(page, 'seen-everywhere').waitFor()))
  await first.close()
  await expect.poll(() => streams.size, { timeout: 30_000 }).toBe(1)
  await rename('seen-after')
  await Promise.all(others.map((page) => rowOf(page, 'seen-after').waitFor()))
  await Promise.all(others.map((page) => liveMark(page, 'live').waitFor()))
  expect(streams.size).toBe(1)
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
