// The audit log of a namespace in a browser, its filters, search and exports, and the export of its members.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import type { Site } from '../site.ts'
import { savedFile } from '../steps.ts'
import { OBSERVER } from '../world.ts'

const { audit } = operations

export function auditJourneys(site: Site): void {
  describe('the audit log', () => {
    const exported = (button: string) =>
      savedFile(site.page, () => site.page.getByRole('button', { name: button }).click())

    it('exports the audit log as JSON lines', async () => {
      const { page, world } = site
      await page.goto('/audit')
      const { name, lines } = await exported('Export JSON lines')
      const { total } = await world.client.call(audit.list, {})
      expect([name, lines.length]).toEqual(['audit-log.jsonl', total])
    })

    it('narrows the audit log by kind, action, person and words, and exports what it shows', async () => {
      const { page, world } = site
      await page.goto('/audit')
      const table = page.getByRole('grid', { name: 'Entries of the audit log' })
      const filters = page.getByRole('group', { name: 'Filters of the audit log' })
      await filters.getByRole('button', { name: 'Changed' }).click()
      await page.getByRole('menuitemradio', { name: 'Devices', exact: true }).click()
      await page.waitForURL(/action=device$/)
      await table.getByRole('link', { name: 'Accepted a device' }).first().click()
      await page.waitForURL(/action=device\.accept/)
      const { total } = await world.client.call(audit.list, { query: { action: 'device.accept' } })
      const csv = await exported('Export CSV')
      expect([csv.name, csv.lines.length]).toEqual(['audit-log.csv', total + 1])
      await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('greenhouse')
      await page.waitForURL(/q=greenhouse/)
      await table.getByText('greenhouse-pi').first().waitFor()
      await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('no such word')
      await page.getByText('No matching entries').waitFor()
      await filters.getByRole('button', { name: 'Clear filters' }).click()
      await filters.getByRole('button', { name: 'Person' }).click()
      await page.getByRole('menuitemradio', { name: /@/ }).first().click()
      await page.waitForURL(/person=/)
      await table.getByRole('link').first().waitFor()
    })
  })

  describe('the members', () => {
    it('are exported as CSV', async () => {
      const { page } = site
      await page.goto('/team')
      const { name, lines } = await savedFile(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
      expect([name, lines[0]?.trim()]).toEqual(['members.csv', '"id","email","role","status","added_at"'])
      expect(lines.join()).toMatch(new RegExp(`"[0-9a-f]{24}","${OBSERVER.email}","observer","accepted",`))
    })
  })
}
