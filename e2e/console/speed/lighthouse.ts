// Runs Lighthouse on the sign-in page and on the devices page with 10,000 devices:
// `node scripts/run.js e2e/console/speed/lighthouse.ts [words of a row]`. Exits with 1 when performance is below 0.9.
import { TenantId } from '@bowline/contract/schemas/common'
import { addDevices, withDatabase } from '../../../bench/src/site/seed.ts'
import { PRESETS, startLighthouse } from '../../support/lighthouse.ts'
import { startProduct } from '../../support/product.ts'
import { openSignedIn } from '../steps.ts'

const LEAST = 0.9
const DEVICES = 10_000
const words = process.argv.slice(2)
let low = 0

const product = await startProduct()
try {
  await withDatabase(product.dataFolder, (database) => addDevices(database, TenantId.parse(product.tenant), DEVICES))
  await using chromium = await startLighthouse()
  for (const path of ['/sign-in', '/devices']) {
    // The first page is judged before anybody is signed in.
    if (path === '/devices') {
      const page = await chromium.context.newPage()
      await openSignedIn(page, product, `${product.console}/devices`)
      await page.close()
    }
    for (const [preset, config] of PRESETS) {
      const row = `${preset} ${path}`
      if (!words.every((word) => row.includes(word))) continue
      const { categories, audits } = await chromium.judge(`${product.console}${path}`, config)
      const score = categories['performance']?.score ?? 0
      low += score < LEAST ? 1 : 0
      const value = (id: string): string => (audits[id]?.numericValue ?? 0).toFixed(0)
      const kib = ((audits['total-byte-weight']?.numericValue ?? 0) / 1024).toFixed(0)
      process.stdout.write(
        `${row}: performance ${score.toFixed(2)}, LCP ${value('largest-contentful-paint')} ms, ` +
          `blocked ${value('total-blocking-time')} ms, ${kib} KiB\n`,
      )
    }
  }
} finally {
  await product.stop()
}
process.exitCode = low > 0 ? 1 : 0
