// Behaviours of the documentation's search in a real browser.
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import type { Behaviour } from './behaviour.ts'
import { ask, QUERIES, dialog, field, hits, search } from './search-dialog.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

interface SentQuery {
  readonly hitsPerPage: number
  readonly attributesToSnippet: readonly string[]
}
const sentQuery = (route: Route): SentQuery =>
  (JSON.parse(route.request().postData() ?? '{}') as { requests: [SentQuery] }).requests[0]

const snippetWords = (words: number, options: object): Behaviour => ({
  sentence: `snippets have ${words} words ${words === 5 ? 'on screens up to 768 px' : 'on wider screens'}, and 20 hits are asked for`,
  options,
  async check({ page, open }) {
    await open('')
    const sent: SentQuery[] = []
    await page.route(QUERIES, (route) => {
      sent.push(sentQuery(route))
      return route.continue()
    })
    await search(page, 'tag')
    expect(sent.at(-1)).toMatchObject({ hitsPerPage: 20 })
    expect(sent.at(-1)?.attributesToSnippet).toContain(`content:${words}`)
  },
})

export const SEARCH_BEHAVIOURS: readonly Behaviour[] = [
  {
    sentence: 'the dialog opens with Ctrl or Cmd plus K or the slash key, not in a text field, and closes with Escape',
    async check({ page, open }) {
      await open('developers/agent/installing')
      for (const key of ['Control+k', 'Meta+k', '/']) {
        await page.keyboard.press(key)
        await field(page).waitFor()
        await page.keyboard.press('Escape')
        await dialog(page).waitFor({ state: 'detached' })
      }
      await page.getByLabel('Device name').focus()
      await page.keyboard.press('/')
      expect(await page.getByLabel('Device name').inputValue()).toBe('/')
      expect(await dialog(page).count()).toBe(0)
    },
  },
  {
    sentence: 'what is typed while the dialog is on its way is in its field, in the place of what was selected',
    async check({ page, open }) {
      await open('')
      const { promise: typed, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/assets/js/*.js', async (route) => {
        await typed
        await route.continue()
      })
      await page.keyboard.press('/')
      await page.keyboard.type('lost')
      await page.keyboard.press('Escape')
      await page.locator('main h1').selectText()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('tage')
      await page.keyboard.press('Backspace')
      release()
      await hits(page).first().waitFor()
      await page.keyboard.type('s')
      expect(await field(page).inputValue()).toBe('tags')
    },
  },
  {
    sentence:
      'it has an input of at most 64 characters, a clear button, a cancel button, results and a footer with keys',
    async check({ page, open }) {
      await open('')
      await page.getByRole('button', { name: 'Search (Ctrl+K)' }).click()
      expect(await field(page).getAttribute('maxlength')).toBe('64')
      await dialog(page).getByText('No recent searches').waitFor()
      await dialog(page).getByText('to navigate').waitFor()
      await ask(page, 'tag')
      await dialog(page).getByRole('button', { name: 'Clear the query' }).click()
      expect(await field(page).inputValue()).toBe('')
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      await dialog(page).waitFor({ state: 'detached' })
    },
  },
  {
    sentence: "the search button reads 'Search' with the label Command+K on a Mac",
    async check({ page, open }) {
      await page.addInitScript("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })")
      await open('')
      expect(await page.getByRole('button', { name: 'Search (Command+K)' }).innerText()).toContain('Search')
    },
  },
  {
    sentence: 'search is loading, and stalled after 300 ms',
    async check({ page, open }) {
      await open('')
      await page.keyboard.press('Control+k')
      await field(page).waitFor()
      await page.clock.install()
      await page.clock.pauseAt(new Date(Date.now() + 60_000))
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route(QUERIES, async (route) => {
        await held
        await route.continue()
      })
      const status = () => dialog(page).locator('[data-status]').getAttribute('data-status')
      await field(page).fill('tag')
      await expect.poll(status).toBe('loading')
      await page.clock.runFor(290)
      expect(await status()).toBe('loading')
      await page.clock.runFor(20)
      await expect.poll(status).toBe('stalled')
      release()
      await page.clock.resume()
      await hits(page).first().waitFor()
      await expect.poll(status).toBe('idle')
    },
  },
  {
    sentence: "hits are grouped by lvl0, at most 5 in a group, with 'See all {count} results'",
    async check({ page, open }) {
      await open('')
      await search(page, 'tag')
      const groups = dialog(page).getByRole('listbox')
      expect(await groups.count()).toBeGreaterThan(1)
      for (const group of await groups.all()) {
        expect(await group.getByRole('option').count()).toBeLessThanOrEqual(5)
      }
      await dialog(page)
        .getByRole('link', { name: /^See all \d+ results$/ })
        .click()
      await page.getByRole('heading', { level: 1, name: 'Search results for “tag”' }).waitFor()
    },
  },
  snippetWords(10, {}),
  snippetWords(5, PHONE),
  {
    sentence: 'arrow keys move the active item with wrap-around, and Enter opens it',
    async check({ page, open }) {
      await open('')
      await search(page, 'tunnel')
      const count = await hits(page).count()
      const place = (): Promise<unknown> =>
        page.evaluate("[...document.querySelectorAll('[role=option]')].findIndex((one) => one.ariaSelected === 'true')")
      expect(await place()).toBe(0)
      await page.keyboard.press('ArrowUp')
      expect(await place()).toBe(count - 1)
      await page.keyboard.press('ArrowDown')
      expect(await place()).toBe(0)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Tunnels' }).waitFor()
      await dialog(page).waitFor({ state: 'detached' })
    },
  },
  {
    sentence: 'recent searches are 7, or 4 when favorites exist; one is promoted to favorite or removed',
    async check({ page, open }) {
      const recent = Array.from({ length: 9 }, (_, i) => ({
        objectID: `r${i}`,
        url: `/docs/overview/faq#${i}`,
        type: 'lvl1',
        content: null,
        hierarchy: { lvl0: 'Overview', lvl1: `Recent ${i}` },
      }))
      await page.addInitScript(`localStorage['docs-search-recent'] ??= ${JSON.stringify(JSON.stringify(recent))}`)
      await open('')
      await page.keyboard.press('Control+k')
      const rows = (name: string) => dialog(page).getByRole('grid', { name }).getByRole('row')
      await expect.poll(() => rows('Recent').count()).toBe(7)
      await dialog(page).getByRole('button', { name: 'Save Recent 2 as a favorite' }).click()
      await expect.poll(() => rows('Favorite').count()).toBe(1)
      expect(await rows('Recent').count()).toBe(4)
      expect(await rows('Recent').getByText('Recent 2').count()).toBe(0)
      await dialog(page).getByRole('button', { name: 'Remove Recent 0 from history' }).click()
      await rows('Recent').getByText('Recent 0').waitFor({ state: 'detached' })
      await dialog(page).getByRole('button', { name: 'Remove Recent 2 from favorites' }).click()
      await expect.poll(() => rows('Favorite').count()).toBe(0)
    },
  },
  {
    sentence: 'what was opened is among the recent searches',
    async check({ page, open }) {
      await open('')
      await search(page, 'tunnel')
      await hits(page).first().click()
      await page.getByRole('heading', { level: 1, name: 'Tunnels' }).waitFor()
      await page.keyboard.press('Control+k')
      await dialog(page).getByRole('grid', { name: 'Recent' }).getByText('Tunnels').waitFor()
    },
  },
  {
    sentence: 'insights events are debounced by 400 ms and batched by 20',
    async check({ page, open }) {
      await open('')
      await page.keyboard.press('Control+k')
      await field(page).waitFor()
      const sent: { events: { eventType: string; objectIDs: string[] }[] }[] = []
      page.on('request', (request) => {
        if (request.url().includes('/1/events')) sent.push(JSON.parse(request.postData() ?? '{}') as (typeof sent)[0])
      })
      await page.clock.install()
      await page.clock.pauseAt(new Date(Date.now() + 60_000))
      await field(page).fill('tu')
      await hits(page).first().waitFor()
      const answered = page.waitForResponse(QUERIES)
      await field(page).fill('tunnel')
      await answered
      await expect.poll(() => hits(page).first().innerText()).toContain('Tunnels')
      await page.clock.runFor(390)
      expect(sent).toEqual([])
      await page.clock.runFor(20)
      await expect.poll(() => sent.length).toBe(1)
      expect(sent[0]?.events.every(({ eventType, objectIDs }) => eventType === 'view' && objectIDs.length <= 20)).toBe(
        true,
      )
      await page.clock.resume()
      await hits(page).first().click()
      await expect.poll(() => sent.at(-1)?.events[0]?.eventType).toBe('click')
    },
  },
  {
    sentence: 'on the search page Escape closes the panel, again clears the query, and blur closes it',
    async check({ page, open }) {
      await open('search?q=tag')
      await page.getByText(/^\d+ results$/).waitFor()
      const input = page.getByRole('main').getByRole('combobox')
      const panel = page.getByRole('main').getByRole('listbox').first()
      await input.fill('tunnel')
      await panel.getByText('Tunnels').first().waitFor()
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      expect(await input.inputValue()).toBe('tunnel')
      await page.keyboard.press('Escape')
      expect(await input.inputValue()).toBe('')
      await input.fill('recording')
      await panel.getByText('Session recording').first().waitFor()
      await input.blur()
      await panel.waitFor({ state: 'detached' })
    },
  },
  {
    sentence: 'the search page shows the results of the query parameter q, more on demand',
    async check({ page, open }) {
      await open('search?q=tag')
      const results = page.getByRole('main').locator('ol > li')
      await expect.poll(() => results.count()).toBe(15)
      await page.getByRole('button', { name: 'More results' }).click()
      await expect.poll(() => results.count()).toBe(30)
    },
  },
  {
    sentence: 'markup in a query stays text',
    async check({ page, open }) {
      await open(`search?q=${encodeURIComponent('<img src=x onerror=document.title="broken">')}`)
      await page.getByRole('heading', { level: 1, name: '<img src=x' }).waitFor()
      expect(await page.title()).not.toBe('broken')
    },
  },
]
