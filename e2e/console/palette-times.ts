// Measures the first opening of the command palette on a page that has become idle, from the key event to the frame that
// shows its field and its list: `node scripts/run.js e2e/console/palette-times.ts [loads]`.
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { startProduct } from '../support/product.ts'
import { until } from '../support/wait.ts'
import { spread } from './spread.ts'
import { openSignedIn } from './steps.ts'

const IS_LOADED = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/palette-'))`
const loads = Number(process.argv[2] ?? 20)

const [browser, product] = await Promise.all([launchBrowser(), startProduct()])
try {
  const page = await browser.newPage({ baseURL: product.console, viewport: { width: 1280, height: 800 } })
  await openSignedIn(page, product, '/devices')
  const first: number[] = []
  const again: number[] = []
  for (let load = 0; load < loads; load += 1) {
    await page.goto('/devices')
    await until('the idle page has loaded the palette', () => page.evaluate<boolean>(IS_LOADED))
    first.push(await openingOf(page))
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: /^Search devices,/ }).waitFor({ state: 'detached' })
    again.push(await openingOf(page))
  }
  process.stdout.write(`${loads} loads, from the key event to the palette on the screen\n`)
  process.stdout.write(`first opening: ${spread(first)}\nsecond opening: ${spread(again)}\n`)
} finally {
  await browser.close()
  await product.stop()
}

/** Milliseconds, measured in the page: the frame after the one that has drawn the list. */
async function openingOf(page: Page): Promise<number> {
  // Listens before the key is pressed, however slow the machine is.
  await page.evaluate(`void (globalThis.opening = new Promise((resolve) => {
    let pressed
    addEventListener('keydown', (event) => { if (event.key === 'k') pressed = event.timeStamp }, { capture: true, once: false })
    const look = () => pressed !== undefined && document.querySelector('[role=listbox] [role=option]')
      ? requestAnimationFrame(() => resolve(performance.now() - pressed)) : requestAnimationFrame(look)
    look()
  }))`)
  await page.keyboard.press('Control+k')
  return page.evaluate<number>('globalThis.opening')
}
