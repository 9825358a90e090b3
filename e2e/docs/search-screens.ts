// Empty and error states of the search dialog.
import { expect } from 'vitest'
import type { Behaviour } from './behaviour.ts'
import { QUERIES, dialog, field, hits } from './search-dialog.ts'

export const SEARCH_SCREENS: readonly Behaviour[] = [
  {
    sentence: "without results it says 'No results for' the query and suggests up to three others",
    async check({ page, open }) {
      await open('')
      await page.keyboard.press('Control+k')
      await field(page).fill('zzqqxx')
      await dialog(page).getByText('No results for “zzqqxx”').waitFor()
      const suggestions = dialog(page).getByRole('listitem').getByRole('button')
      expect(await suggestions.count()).toBe(3)
      expect(await dialog(page).getByText('Let us know.').count()).toBe(0)
      await suggestions.first().click()
      await hits(page).first().waitFor()
    },
  },
  {
    sentence: "without results a site that knows its repository has the link 'Let us know.'",
    async check({ page, open }) {
      // As built with DOCS_REPOSITORY.
      await page.route('**/assets/js/main*.js', async (route) => {
        const response = await route.fetch()
        const built = 'missingResultsUrl:"https://code.example.com/bowline/issues/new?title="'
        await route.fulfill({ response, body: (await response.text()).replace('missingResultsUrl:""', built) })
      })
      await open('')
      await page.keyboard.press('Control+k')
      await field(page).fill('zzqqxx')
      const link = dialog(page).getByRole('link', { name: 'Let us know.' })
      expect(await link.getAttribute('href')).toBe('https://code.example.com/bowline/issues/new?title=zzqqxx')
    },
  },
  {
    sentence: "unreachable search hosts put search in the error state: 'Unable to fetch results'",
    complaints: /ERR_|Failed to load/,
    async check({ page, open }) {
      await open('')
      await page.route(QUERIES, (route) => route.abort())
      await page.keyboard.press('Control+k')
      await field(page).fill('tag')
      await dialog(page).getByText('Unable to fetch results').waitFor()
      await dialog(page).getByText('You might want to check your network connection.').waitFor()
      await page.unroute(QUERIES)
      expect(await dialog(page).locator('[data-status=error]').count()).toBe(1)
    },
  },
  {
    sentence: 'an answer that search understands is not the error state, whatever its status',
    complaints: /status of 403/,
    async check({ page, open }) {
      await open('')
      const refused = { status: 403, json: { message: 'no' } }
      await page.route(QUERIES, (route) => route.fulfill(refused))
      await page.keyboard.press('Control+k')
      const answered = page.waitForResponse(QUERIES)
      await field(page).fill('t')
      await answered
      expect(await dialog(page).getByText('Unable to fetch results').count()).toBe(0)
    },
  },
]
