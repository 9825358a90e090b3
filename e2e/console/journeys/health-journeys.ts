// Presence of devices, incidents, and the rules that tell people about them.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import type { Site } from '../site.ts'
import { rowOf, violationsInBothThemes } from '../steps.ts'

export function healthJourneys(site: Site): void {
  describe('the health of devices', () => {
    it('shows devices online over a day and a month, with the numbers as a table', async () => {
      const { page } = site
      await page.goto('/')
      const panel = page.getByRole('region', { name: 'Devices online' })
      await panel.getByText(/of 5 devices online in the last 24 hours/).waitFor()
      await panel.getByRole('button', { name: '30 days' }).click()
      await panel.getByText(/of 5 devices online in the last 30 days/).waitFor()
      await panel.getByRole('button', { name: 'Show as a table' }).click()
      expect(await panel.getByRole('row').count()).toBe(121)
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    })

    it('leads from an incident to its devices, and to the absences of one', async () => {
      const { page } = site
      await page.goto('/')
      const incidents = page.getByRole('region', { name: 'Incidents' })
      await incidents
        .getByRole('link', { name: '5 devices went offline within 4 s from 203.0.113.0/24' })
        .first()
        .click()
      await page.getByText('4 still offline').waitFor()
      await rowOf(page, 'greenhouse-pi').getByText('still offline').waitFor()
      await page.getByRole('link', { name: 'Show in the list of devices' }).click()
      await rowOf(page, 'greenhouse-pi').waitFor()
      expect(await page.getByRole('button', { name: 'Of one incident' }).getAttribute('aria-pressed')).toBe('true')
      await page.goBack()
      await page.getByRole('link', { name: 'Back to all incidents' }).click()
      await page.getByRole('link', { name: 'Resolved' }).click()
      await page
        .getByText(/All back after/)
        .first()
        .waitFor()
      await page.getByText('4 still offline').waitFor({ state: 'detached' })
      await page.goBack()
      await page.getByText('4 still offline').waitFor()
      await page.goto(`/devices/${site.world.own.uid}`)
      const presence = page.getByRole('region', { name: 'Presence' })
      const summary = presence.getByText(/^Online [\d.]+% of the last 24 hours, offline .*, 3 short reconnects\.$/)
      await summary.waitFor()
      expect(await summary.count()).toBe(1)
      await presence.getByRole('row').filter({ hasText: '30 min' }).getByText('Connection timed out').waitFor()
    })

    it('adds an alert rule, shows its secret once, switches it off and deletes it', async () => {
      const { page, world } = site
      await page.goto('/alerts')
      await page.getByRole('button', { name: 'Add rule' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Site down')
      await dialog.getByLabel('When devices').selectOption('many-offline')
      await dialog.getByLabel('Devices at least').fill('20')
      await dialog.getByLabel('Only devices with these words').fill('greenhouse pi')
      await dialog.getByLabel('Architecture').first().click()
      await page.locator('[role=option]:visible').first().click()
      await page.keyboard.press('Escape')
      await dialog.getByLabel('Address').fill('http://10.1.2.3/hook')
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText(/must begin with https/).waitFor()
      await dialog.getByLabel('Address').fill('https://10.1.2.3/hook')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText('It is shown this once.').waitFor()
      await dialog.getByText(/whs-[\w-]{43}/).waitFor()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      const row = page.getByRole('row').filter({ hasText: 'Site down' })
      await row.getByText('20 or more go offline within 5 minutes').waitFor()
      await row.getByText('filtered').waitFor()
      await page.getByRole('button', { name: 'Replace the secret of Site down' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click()
      await page
        .getByRole('dialog')
        .getByText(/whs-[\w-]{43}/)
        .waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('button', { name: 'Change Site down' }).click()
      expect(await dialog.getByLabel('Only devices with these words').inputValue()).toBe('greenhouse pi')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Switch Site down off' }).click()
      await row.getByText('Off', { exact: true }).waitFor()
      const { body } = await world.client.call(operations.alerts.list, {})
      expect(body.find(({ name }) => name === 'Site down')).toMatchObject({ active: false, host: '10.1.2.3' })
      await page.getByRole('button', { name: 'Delete Site down' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await row.waitFor({ state: 'detached' })
    })

    it('adds a rule about slow connections, whose threshold can be changed', async () => {
      const { page } = site
      await page.goto('/alerts')
      await page.getByRole('button', { name: 'Add rule' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Slow sites')
      const threshold = dialog.getByLabel('Threshold')
      for (const [condition, value] of [
        ['disk', '90'],
        ['load', '2'],
        ['latency', '500'],
      ] as const) {
        await dialog.getByLabel('When devices').selectOption(condition)
        expect(await threshold.inputValue()).toBe(value)
      }
      await threshold.fill('0.5')
      await dialog.getByLabel('Address').fill('https://10.1.2.3/hook')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText(/must be a whole number/).waitFor()
      await threshold.fill('400')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      const row = page.getByRole('row').filter({ hasText: 'Slow sites' })
      await row.getByText('round trip of 400 ms for 5 minutes').waitFor()
      await page.getByRole('button', { name: 'Change Slow sites' }).click()
      await threshold.fill('800')
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await row.getByText('round trip of 800 ms for 5 minutes').waitFor()
      await page.getByRole('button', { name: 'Delete Slow sites' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await row.waitFor({ state: 'detached' })
    })
  })
}
