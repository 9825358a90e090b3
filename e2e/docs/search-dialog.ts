// The search dialog as a person finds it.
import type { Page } from 'playwright-core'

/** What the site asks the search service. */
export const QUERIES = '**/1/indexes/*/queries*'
export const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search the documentation' })
export const field = (page: Page) => dialog(page).getByPlaceholder('Search docs')
export const hits = (page: Page) => dialog(page).getByRole('option')

/** Opens the dialog and waits for the first hit. */
export async function search(page: Page, query: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await ask(page, query)
}

/** Types a query and waits for the first hit. Whoever is told that no answer came in time, on a busy machine, types it again. */
export async function ask(page: Page, query: string): Promise<void> {
  const tooLate = dialog(page).getByText('Unable to fetch results')
  await field(page).fill(query)
  await hits(page).or(tooLate).first().waitFor()
  if (!(await tooLate.isVisible())) return
  await field(page).fill('')
  await field(page).fill(query)
  await hits(page).first().waitFor()
}
