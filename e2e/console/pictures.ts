// Takes screenshots of the screens in light, dark and on a phone, for the docs and for review: `node scripts/run.js
// e2e/console/pictures.ts <folder> [all | names…]`.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { screensToDraw } from './picture-screens.ts'
import { VIEWS } from './screens.ts'
import { liveMark, openSignedIn } from './steps.ts'
import { startWorld } from './world.ts'

const DOCS = 'overview devices device firewall public-keys sessions settings palette terminal player'.split(' ')

/** `PICTURES_LANGUAGE=de` draws the console in German; dialogs that no address opens are missing then. */
const language = process.env['PICTURES_LANGUAGE']

/** Screens are brought into their state in English, which is what their steps read. */
async function reloadIn(chosen: string, page: Page): Promise<void> {
  await page.evaluate(`localStorage.setItem('bowline.language', ${JSON.stringify(chosen)})`)
  await page.reload()
  await liveMark(page, 'live').waitFor()
  await page.locator('h1').first().waitFor()
}

/** A loader that is hidden from screen readers stands beside a text, and may wait for something that never comes. */
const BUSY = '.mantine-Skeleton-root, .mantine-Loader-root:not([aria-hidden=true]), [aria-busy=true]'

/** Waits until no part of the page shows that it waits for its data, and letters have their font. */
async function untilLoaded(page: Page): Promise<void> {
  await page.locator(BUSY).first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
}

const [folder = 'docs-media/console', ...asked] = process.argv.slice(2)
const names = asked.length ? asked : DOCS
await mkdir(folder, { recursive: true })
const [browser, world] = await Promise.all([launchBrowser(), startWorld()])
try {
  const screens = await screensToDraw(world)
  for (const { view, options } of VIEWS) {
    const context = await browser.newContext({
      baseURL: world.product.console,
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    // Terminals are drawn on a canvas; their text is read from the screen reader copy.
    await page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
    await openSignedIn(page, world.product, '/sign-in')
    for (const { name, path, ready } of screens) {
      if (!names.includes('all') && !names.includes(name)) continue
      await page.goto(path(world))
      await ready(page, world)
      if (language !== undefined) await reloadIn(language, page)
      await untilLoaded(page)
      await page.screenshot({ path: join(folder, `${name}-${view}.png`) })
      if (language !== undefined) await page.evaluate(`localStorage.setItem('bowline.language', 'en')`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  await world.close()
}
