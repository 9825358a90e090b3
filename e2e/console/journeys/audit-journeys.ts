// The audit log of a namespace in a browser, its filters, search and exports, and the export of its members.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import type { Site } from '../site.ts'
import { savedFile, violationsInBothThemes } from '../steps.ts'
import { OBSERVER } from '../world.ts'

const { audit, auditStreams } = operations

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

  describe('audit streams', () => {
    it('adds a stream, shows its secret once, changes, pauses and deletes it', async () => {
      const { page, world } = site
      await page.goto('/audit')
      await page
        .getByRole('navigation', { name: 'Parts of the audit log' })
        .getByRole('link', { name: 'Streams' })
        .click()
      await page.waitForURL(/\/audit\/streams$/)
      await page.getByRole('button', { name: 'Add stream' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Collector')
      await dialog.getByLabel('Format').selectOption('Splunk HEC')
      await dialog.getByLabel('Authorization header').fill('Splunk confidential')
      // No entry of this journey is of the kind: the server dials nothing.
      await dialog.getByLabel('Only entries about').first().fill('Tunn')
      await page.getByRole('option', { name: 'Tunnels' }).click()
      await page.keyboard.press('Escape')
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await dialog.getByRole('button', { name: 'Add stream' }).click()
      await dialog.getByText(/must be an address that begins with https/).waitFor()
      await dialog.getByLabel('Address').fill('https://10.1.2.3/in')
      await dialog.getByRole('button', { name: 'Add stream' }).click()
      await dialog.getByText(/whs-[\w-]{43}/).waitFor()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      const row = page.getByRole('row').filter({ hasText: 'Collector' })
      await row.getByText('10.1.2.3').waitFor()
      await row.getByText('Up to date').waitFor()
      await page.getByRole('button', { name: 'Change Collector' }).click()
      await dialog.getByLabel('Address').fill('https://10.1.2.4/in')
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await dialog.getByText(/must be given again for another host/).waitFor()
      await dialog.getByLabel('Send no authorization header').check()
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await row.getByText('10.1.2.4').waitFor()
      await page.getByRole('button', { name: 'Pause Collector' }).click()
      await row.getByText('Paused', { exact: true }).waitFor()
      const { body } = await world.client.call(auditStreams.list, {})
      expect(body.find(({ name }) => name === 'Collector')).toMatchObject({
        active: false,
        format: 'splunk-hec',
        nouns: ['tunnel'],
        has_authorization: false,
      })
      await page.getByRole('button', { name: 'Delete Collector' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await row.waitFor({ state: 'detached' })
    })

    it('tells why a stream is paused, and why a test entry did not arrive', async () => {
      const { page } = site
      await page.goto('/audit/streams')
      const row = page.getByRole('row').filter({ hasText: 'splunk.example.com:8088' })
      await row.getByText('Paused after a day without success: It answered 503.').waitFor()
      expect(await row.getByText(/\d+ entries behind/).count()).toBe(1)
      await page.getByRole('button', { name: 'Send a test entry by Splunk' }).click()
      await page.getByText('The receiver did not accept the test entry').first().waitFor()
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
