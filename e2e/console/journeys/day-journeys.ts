// The calendar of a list: ranges by name, by two days, and by keys.
import { describe, expect, it } from 'vitest'
import { accessibilityViolations, eventually, hasFocus } from '../steps.ts'
import type { Site } from '../site.ts'

const DAY_MS = 86_400_000

export function dayJourneys(site: Site): void {
  describe('days of a list', () => {
    it('filters by a range that has a name, and by no days again', async () => {
      const { page } = site
      await page.goto('/sessions')
      await page.getByRole('button', { name: 'Date' }).click()
      await page.getByRole('button', { name: 'Last 7 days' }).click()
      await page.waitForURL(/from=\d{4}-\d{2}-\d{2}&to=\d{4}-\d{2}-\d{2}|to=.*from=/)
      const { searchParams } = new URL(page.url())
      const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
      expect(((to ?? 0) - (from ?? 0)) / DAY_MS).toBe(6)
      await page.getByRole('button', { name: /^Date/ }).click()
      await page.getByRole('button', { name: 'Any date' }).click()
      await eventually(() => !page.url().includes('from='))
    })

    it('filters by two days of the calendar, which its own stylesheet draws, and is accessible', async () => {
      const { page } = site
      await page.goto('/sessions')
      await page.getByRole('button', { name: 'Date' }).click()
      await page.getByRole('button', { name: 'Previous month' }).click()
      const days = page.getByRole('dialog').getByRole('table').getByRole('button')
      const first = days.nth(9)
      // Square cells: without its stylesheet, a day is as narrow as its number.
      const box = await first.boundingBox()
      expect(box?.width).toBeCloseTo(box?.height ?? 0, 0)
      expect(await accessibilityViolations(page)).toEqual([])
      await first.click()
      await days.nth(11).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const { searchParams } = new URL(page.url())
      expect(searchParams.get('from')).toMatch(/-10$/)
      expect(searchParams.get('to')).toMatch(/-12$/)
    })

    it('moves among days by keys, and Escape returns to the button', async () => {
      const { page } = site
      await page.goto('/sessions')
      const button = page.getByRole('button', { name: 'Date' })
      await button.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Previous month' }).click()
      const days = page.getByRole('dialog').getByRole('table').getByRole('button')
      await days.nth(9).focus()
      await page.keyboard.press('ArrowRight')
      await eventually(() => hasFocus(days.nth(10)))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await eventually(() => hasFocus(button))
      expect(new URL(page.url()).search).toBe('')
    })
  })
}
