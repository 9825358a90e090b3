// Drives the search dialog as a person does.
import type { Page } from 'playwright-core'

/** The requests that the site sends to the search service. */
export const QUERIES = '**/1/indexes/*/queries*'
export const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search the documentation' })
export const field = (page: Page) => dialog(page).getByPlaceholder('Search docs')
export const hits = (page: Page) => dialog(page).getByRole('option')

/** Opens the dialog and waits for the first hit. */
export async function search(page: Page, query: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await ask(page, query)
}

/** Types a query and waits for the first hit; types it again after a timeout, as happens on a busy machine. */
export async function ask(page: Page, query: string): Promise<void> {
  const tooLate = dialog(page).getByText('Unable to fetch results')
  await field(page).fill(query)
  await hits(page).or(tooLate).first().waitFor()
  if (!(await tooLate.isVisible())) return
  await field(page).fill('')
  await field(page).fill(query)
  await hits(page).first().waitFor()
}
