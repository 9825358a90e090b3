// Steps shared by several journeys.
import { readFile } from 'node:fs/promises'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from 'playwright-core'
import { until } from '../support/wait.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Fills in and submits the visible sign-in form. */
export async function signIn(page: Page, { username, password }: Credentials): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens a URL as a signed-in person, signing in when asked to. Waits until the live stream is open. */
export async function openSignedIn(page: Page, backend: Credentials, path: string): Promise<void> {
  await page.goto(path)
  await signIn(page, backend)
  await liveMark(page, 'live').waitFor()
}

/** The visible badge with the state of the live stream. */
export function liveMark(page: Page, state: 'live' | 'reconnecting'): Locator {
  return page.locator(`output[data-state=${state}]:visible`)
}

/** The row of a device in the visible list. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
}

/** The file that the page saves after `act`. */
export async function savedFile(page: Page, act: () => Promise<void>): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.trim().split(/\r?\n/) }
}

/** True when an element has the focus. */
export async function hasFocus(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(':focus')).count()) === 1
}

const RULES = { sizes: ['target-size'], colours: ['color-contrast', 'link-in-text-block'] } as const

/**
 * Violations of WCAG 2.2 A and AA on the screen, one line each with rule and element.
 * @param rules `sizes`: only those that width can break; `colours`: those that the theme can break
 */
export async function accessibilityViolations(
  page: Page,
  rules: keyof typeof RULES | 'all' = 'all',
): Promise<string[]> {
  const builder = new AxeBuilder({ page })
    // There are no frames; by default axe opens another page to merge the results of frames.
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
  // The frame around every page is checked with the first one.
  if (new URL(page.url()).pathname !== '/') builder.exclude('nav[aria-label="Sections"]')
  const { violations } = await (
    rules === 'all'
      ? builder.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      : builder.withRules([...RULES[rules]])
  ).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => {
      const reasons = [...any, ...all, ...none].map(({ message, relatedNodes = [] }) =>
        [message, ...relatedNodes.map(({ html }) => html)].join(' '),
      )
      return `${id}: ${target.join(' ')}: ${reasons.join('; ')}`
    }),
  )
}

/** Violations in both themes: all rules in light, the colour rules in dark. */
export async function violationsInBothThemes(page: Page): Promise<{ light: string[]; dark: string[] }> {
  const light = await accessibilityViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await accessibilityViolations(page, 'colours')
  await page.emulateMedia({ colorScheme: 'light' })
  return { light, dark }
}

interface ListCase<Row> {
  /** Of the page; its list is what `/api` and this path answer. */
  readonly path: string
  readonly width: number
  /** `en` or `de`. */
  readonly language: string
  /** Replaces what the server answers, to make every text long. */
  readonly change: (row: Row) => object
  /** In a title of the list once it is there. */
  readonly title: string
}

/** Pixels by which a list with other rows is wider than its place. The page is left in English and at its former size. */
export async function listOverflow<Row>(page: Page, list: ListCase<Row>): Promise<number> {
  const size = page.viewportSize()
  const inLanguage = (language: string) =>
    page.evaluate(`localStorage.setItem('bowline.language', ${JSON.stringify(language)})`)
  const answers = `**/api${list.path}?**`
  await page.route(answers, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: ((await response.json()) as Row[]).map(list.change) })
  })
  try {
    await page.setViewportSize({ width: list.width, height: 900 })
    await page.goto(list.path)
    await inLanguage(list.language)
    await page.reload()
    await page.getByTitle(list.title).first().waitFor()
    return await page.evaluate<number>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('[data-scrolls]')
      return scrollWidth - clientWidth
    })()`)
  } finally {
    // An answer that nothing waits for may still be on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await inLanguage('en')
    if (size) await page.setViewportSize(size)
  }
}

/** Waits for a condition without sleeping in the test. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  await until('the page is as expected', check, 15_000)
}
