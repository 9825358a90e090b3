// Shared set-up of the journeys: the world, a browser, and one page signed in as the owner. A journey starts at its own
// URL and must leave no console errors behind.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../support/browser.ts'
import { openSignedIn } from './steps.ts'
import { type World, startWorld } from './world.ts'

export interface Site {
  readonly world: World
  readonly browser: Browser
  /** Signed in as the owner. */
  readonly page: Page
}

/** Boots it before the first test of a file. */
export function setUpSite(): Site {
  let started: { world: World; browser: Browser; watched: WatchedPage } | undefined
  let isClosing = false
  /** Every row after it would only say that nothing answers. */
  async function sayWhenItEnds({ product: { process: running } }: World): Promise<void> {
    const exit = await running.ended
    if (!isClosing) process.stderr.write(`The product has ended, ${JSON.stringify(exit)}:\n${running.output()}\n`)
  }
  const get = () => started ?? expect.unreachable('the site is used before it is there')
  beforeAll(async () => {
    const [browser, world] = await Promise.all([launchBrowser(), startWorld()])
    const watched = await openPage(browser, { baseURL: world.product.console }, /status of 4\d\d/)
    started = { world, browser, watched }
    void sayWhenItEnds(world)
    await openSignedIn(watched.page, world.product, '/devices')
  })
  afterEach(() => expect(get().watched.complaints.splice(0)).toEqual([]))
  afterAll(async () => {
    isClosing = true
    await started?.browser.close()
    await started?.world.close()
  })
  return {
    get world() {
      return get().world
    },
    get browser() {
      return get().browser
    },
    get page() {
      return get().watched.page
    },
  }
}
