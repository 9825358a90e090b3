// Measures the time from navigation to visible devices, with a cold and a warm browser cache, in a large namespace:
// `node scripts/run.js e2e/console/first-rows.ts [devices] [loads]`.
import { TenantId } from '@bowline/contract/schemas/common'
import type { Page } from 'playwright-core'
import { addDevices, withDatabase } from '../../bench/src/site/seed.ts'
import { launchBrowser } from '../support/browser.ts'
import { startProduct } from '../support/product.ts'
import { spread } from './spread.ts'
import { openSignedIn } from './steps.ts'

const devices = Number(process.argv[2] ?? 10_000)
const loads = Number(process.argv[3] ?? 20)

const [browser, product] = await Promise.all([launchBrowser(), startProduct()])
try {
  await withDatabase(product.dataFolder, (database) => addDevices(database, TenantId.parse(product.tenant), devices))
  const page = await browser.newPage({ baseURL: product.console, viewport: { width: 1280, height: 800 } })
  await openSignedIn(page, product, '/devices')
  const protocol = await page.context().newCDPSession(page)
  const empty: number[] = []
  const full: number[] = []
  for (let load = 0; load < loads; load += 1) {
    await protocol.send('Network.clearBrowserCache')
    empty.push(await firstRowsOf(page))
    full.push(await firstRowsOf(page))
  }
  print(
    `${devices} devices, ${loads} loads of each kind, from the start of the navigation to the first row on the screen`,
  )
  print(`with an empty cache: ${spread(empty)}`)
  print(`with a full one: ${spread(full)}`)
} finally {
  await browser.close()
  await product.stop()
}

/** Milliseconds, measured in the page. */
async function firstRowsOf(page: Page): Promise<number> {
  await page.goto('/devices', { waitUntil: 'commit' })
  return page.evaluate(`new Promise((resolve) => {
    const look = () =>
      document.querySelector('tbody tr a') ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
    look()
  })`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
