// The documentation site in a browser: one row for each documented behaviour, in CI half of them, and accessibility
// checks of every kind of page.
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { type Server, startServer } from '../support/server.ts'
import { repeatedBy, shortForm } from '../../scripts/short-form.ts'
import type { Behaviour } from './behaviour.ts'
import { PAGE_BEHAVIOURS } from './page-behaviours.ts'
import { SEARCH_BEHAVIOURS } from './search-behaviours.ts'
import { SEARCH_SCREENS } from './search-screens.ts'
import { SITE_BEHAVIOURS } from './site-behaviours.ts'

let server: Server
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startServer({ env: { BOWLINE_DOCS_PAGE_VIEWS: 'on' } }), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

const NOTHING = /^$/
/** Far longer than any page of this site takes; what has not appeared by then never will. */
const TIMEOUT_MS = 8_000

/** @returns console errors that the row does not expect */
async function visit({ options = {}, complaints = NOTHING, announced, check }: Behaviour): Promise<string[]> {
  const docs = `${server.origin}/docs/`
  const { context, page, complaints: errors } = await openPage(browser, options, complaints)
  page.setDefaultTimeout(TIMEOUT_MS)
  try {
    if (!announced) await page.addInitScript(DISMISS_ANNOUNCEMENT)
    await check({ page, docs, errors, open: (path) => open(page, `${docs}${path}`) })
    return errors.filter((error) => !complaints.test(error))
  } finally {
    await context.close()
  }
}

const DISMISS_ANNOUNCEMENT = `
  localStorage.setItem('docusaurus.announcement.id', 'first-version')
  localStorage.setItem('docusaurus.announcement.dismiss', 'true')
`

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('html[data-has-hydrated=true]').waitFor()
}

describe(`the documentation site${repeatedBy}`, () => {
  it.each(shortForm(SITE_BEHAVIOURS, 2).map((row) => [row.sentence, row] as const))('%s', async (_, row) => {
    expect(await visit(row)).toEqual([])
  })
})

describe(`pages${repeatedBy}`, () => {
  it.each(shortForm(PAGE_BEHAVIOURS, 2).map((row) => [row.sentence, row] as const))('%s', async (_, row) => {
    expect(await visit(row)).toEqual([])
  })
})

describe(`search${repeatedBy}`, () => {
  it.each(shortForm([...SEARCH_BEHAVIOURS, ...SEARCH_SCREENS], 2).map((row) => [row.sentence, row] as const))(
    '%s',
    async (_, row) => {
      expect(await visit(row)).toEqual([])
    },
  )
})

/** Pages of each kind. */
const KINDS = [
  '',
  'overview/getting-started/',
  'overview/conformance',
  'overview/performance',
  'user-guides/devices/connecting',
  'user-guides/settings/account/mfa/configure-mfa',
  'self-hosted/configuring',
  'self-hosted/troubleshooting',
  'developers/openapi/community/devices-list',
  'search?q=tag',
]

describe('accessibility', () => {
  it.each(['dark', 'light'])('no violation of WCAG 2.2 AA on ten pages and in the dialog: %s', async (theme) => {
    const { context, page, complaints } = await openPage(browser, {})
    await page.addInitScript(`localStorage.theme = '${theme}'`)
    const found: string[] = []
    for (const path of KINDS) {
      await open(page, `${server.origin}/docs/${path}`)
      found.push(...(await violations(page, path, theme)))
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByPlaceholder('Search docs').fill('key')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    found.push(...(await violations(page, 'the dialog', theme)))
    await page.getByRole('dialog').getByRole('option').first().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The page of the results has a bar of its own, whose dialog goes with it.
    await page.getByRole('article').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('grid').first().waitFor()
    found.push(...(await violations(page, 'the dialog with its history', theme)))
    expect(found).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** All rules in light, in dark those that a theme can break. */
async function violations(page: Page, where: string, theme: string): Promise<string[]> {
  const builder = new AxeBuilder({ page })
    // There are no frames; by default axe opens another page to merge the results of frames.
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
  const { violations: found } = await (
    theme === 'dark'
      ? builder.withRules(['color-contrast', 'link-in-text-block'])
      : builder.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
  ).analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${where}: ${id}: ${target.join(' ')}`))
}
