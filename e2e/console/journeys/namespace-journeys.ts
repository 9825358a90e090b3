// Namespace journeys: settings, announcements; bulk actions on devices; the profile.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { eventually, hasFocus, openSignedIn, rowOf, violationsInBothThemes } from '../steps.ts'
import type { Site } from '../site.ts'
import { OBSERVER } from '../world.ts'

const { namespaces, devices } = operations

export function namespaceJourneys(site: Site): void {
  const settings = async () => {
    const { client, product } = site.world
    return (await client.call(namespaces.get, { params: { tenant: product.tenant } })).body.settings
  }

  describe('the settings', () => {
    it('changes a setting at once, and back by undo', async () => {
      const { page } = site
      await page.goto('/settings')
      await page.getByRole('switch', { name: 'Allow forwarding' }).click({ force: true })
      await eventually(async () => !(await settings()).forwarding)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(async () => (await settings()).forwarding).toBe(true)
    })

    it('sets the retention of recordings after a confirmation', async () => {
      const { page } = site
      const kept = async () => (await settings()).recording_retention_days
      await page.goto('/settings')
      await page.getByLabel('Days').fill('4000')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('Days must be 0 to 3650 days.').waitFor()
      await page.getByLabel('Days').fill('400')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('more than 400 days ago').waitFor()
      expect(await kept()).toBe(0)
      await page.getByRole('button', { name: 'Delete them' }).click()
      await expect.poll(kept).toBe(400)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(kept).toBe(0)
    })

    it('previews an announcement as a terminal will show it', async () => {
      const { page } = site
      await page.goto('/settings')
      await page.getByLabel('Text').fill('Mind the gap.\n<b>not bold</b>')
      await page.getByRole('figure').getByText('<b>not bold</b>').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await eventually(async () => (await settings()).connection_announcement.startsWith('Mind the gap.'))
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(async () => (await settings()).connection_announcement).toContain('Authorised use only.')
    })

    it('asks before a text that is not saved is left, whichever way', async () => {
      const { page } = site
      const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
      const answer = async (name: 'Keep editing' | 'Discard changes') => {
        await question.getByRole('button', { name }).click()
        await question.waitFor({ state: 'detached' })
      }
      const before = (await settings()).connection_announcement
      await page.goto('/devices')
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Text').fill('Half a sent')
      await page.getByRole('link', { name: 'Firewall' }).click()
      await question.waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await answer('Keep editing')
      expect([new URL(page.url()).pathname, await page.getByLabel('Text').inputValue()]).toEqual([
        '/settings',
        'Half a sent',
      ])
      // The step back of the browser.
      await page.goBack()
      await answer('Keep editing')
      expect(await page.getByLabel('Text').inputValue()).toBe('Half a sent')
      // The browser asks itself when the page unloads.
      const asked = page.waitForEvent('dialog')
      const reloaded = page.reload()
      const dialog = await asked
      expect(dialog.type()).toBe('beforeunload')
      await dialog.accept()
      await reloaded
      await page.getByLabel('Text').fill('Half a sent')
      await page.getByRole('link', { name: 'Firewall' }).click()
      await answer('Discard changes')
      await page.getByRole('heading', { name: 'Firewall', exact: true }).waitFor()
      expect((await settings()).connection_announcement).toBe(before)
    })

    it('asks nothing when nothing has changed, and when it has been saved', async () => {
      const { page } = site
      await page.goto('/settings')
      await page.getByLabel('Text').fill('Mind the step.')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Announcement saved.').first().waitFor()
      await page.getByRole('link', { name: 'Tags' }).click()
      await page.getByRole('heading', { name: 'Tags' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(async () => (await settings()).connection_announcement).toContain('Authorised use only.')
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Text').fill('Something')
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('link', { name: 'Tags' }).click()
      await page.getByRole('heading', { name: 'Tags' }).waitFor()
    })

    it('asks for the name before the namespace is deleted', async () => {
      const { page, world } = site
      const { body: made } = await world.client.call(namespaces.create, { body: { name: 'doomed' } })
      await page.goto('/')
      await page.getByRole('button', { name: /^Namespace/ }).click()
      await page.getByRole('menuitem', { name: /^doomed/ }).click()
      await page.getByText('No devices yet').waitFor()
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('button', { name: 'Delete the namespace' }).click()
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete the namespace' })
      expect(await confirm.isDisabled()).toBe(true)
      await page.getByLabel('Type doomed to confirm').fill('doomed')
      await confirm.click()
      await eventually(async () => {
        const { body } = await world.client.call(namespaces.list, {})
        return body.every(({ tenant_id: tenant }) => tenant !== made.tenant_id)
      })
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      // Back to where every other journey starts.
      await page.getByRole('button', { name: /^Namespace/ }).click()
      const own = (await world.client.call(namespaces.get, { params: { tenant: world.product.tenant } })).body.name
      await page.getByRole('menuitem', { name: new RegExp(`^${own}`) }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: world.own.name }).first().waitFor()
    })

    it('closes settings and audit log to an observer, with the reason', async () => {
      const { context, page, complaints } = await openPage(site.browser, { baseURL: site.world.product.console })
      await openSignedIn(page, OBSERVER, '/settings')
      expect(await page.getByRole('switch', { name: 'Record sessions' }).isDisabled()).toBe(true)
      await page.goto('/audit')
      await page.getByText('You need the Administrator role to read the audit log').waitFor()
      await page.goto('/firewall')
      await page.getByText('You need the Administrator role to test connections.').waitFor()
      const add = page.getByRole('button', { name: 'Add rule' })
      expect(await add.isDisabled()).toBe(true)
      await add.focus()
      await page.getByRole('tooltip', { name: 'You need the Administrator role to change rules' }).waitFor()
      await page.keyboard.press('Enter')
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(complaints).toEqual([])
      await context.close()
    })
  })

  describe('announcements', () => {
    it('renders announcements as Markdown', async () => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('link', { name: 'Maintenance on Saturday' }).click()
      await page.getByRole('heading', { name: 'What happens' }).waitFor()
      const link = page.getByRole('link', { name: 'Status' })
      expect(await link.getAttribute('rel')).toContain('noopener')
    })
  })

  describe('many devices', () => {
    it('tags selected devices at once, and back by undo', async () => {
      const { page, world } = site
      await page.goto('/devices?sort=name')
      await rowOf(page, 'edge-router-7').waitFor()
      await page.getByRole('link', { name: 'edge-router-7' }).focus()
      await page.keyboard.press('x')
      await page.getByRole('checkbox', { name: 'Select kiosk-lobby' }).check()
      const bar = page.getByRole('region', { name: 'Selected devices' })
      await bar.getByText('2 devices selected').waitFor()
      await bar.getByRole('button', { name: 'Add tags' }).click()
      await eventually(() => hasFocus(page.getByRole('dialog').getByLabel('Tags')))
      // A suggestion, chosen by keys, takes its place without anything else being added.
      await page.keyboard.type('gard')
      await page.getByRole('option', { name: 'garden' }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Remove the tag garden' }).click()
      await page.keyboard.type('winter')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
      const tagged = async () => {
        const { body } = await world.client.call(devices.list, {})
        return body.filter(({ tags }) => tags.includes('winter')).map(({ name }) => name)
      }
      await eventually(async () => (await tagged()).length === 2)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(tagged).toEqual([])
    })

    it('tags the selection by the key t, wherever the focus is', async () => {
      const { page, world } = site
      await page.goto('/devices?sort=name')
      await rowOf(page, 'edge-router-7').waitFor()
      await page.getByRole('checkbox', { name: 'Select edge-router-7' }).check()
      await page.getByRole('checkbox', { name: 'Select kiosk-lobby' }).check()
      await page.getByRole('link', { name: 'lab-nas' }).focus()
      await page.keyboard.press('t')
      const dialog = page.getByRole('dialog', { name: /2 devices/ })
      await eventually(() => hasFocus(dialog.getByLabel('Tags')))
      await page.keyboard.type('autumn')
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Add tags' }).click()
      const tagged = async () => {
        const { body } = await world.client.call(devices.list, {})
        return body.filter(({ tags }) => tags.includes('autumn')).map(({ name }) => name)
      }
      await expect.poll(async () => (await tagged()).toSorted()).toEqual(['edge-router-7', 'kiosk-lobby'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(tagged).toEqual([])
    })

    it('removes a tag from selected devices, and restores it by undo', async () => {
      const { page, world } = site
      await page.goto('/devices?sort=name')
      await page.getByRole('checkbox', { name: 'Select lab-nas' }).check()
      await page.getByRole('checkbox', { name: 'Select kiosk-lobby' }).check()
      await page.getByRole('button', { name: 'Remove tags' }).click()
      await page.getByRole('dialog').getByLabel('Tags').fill('storage')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Remove tags' }).click()
      const stored = async () => {
        const { body } = await world.client.call(devices.list, {})
        return body.filter(({ name }) => name === 'lab-nas' || name === 'kiosk-lobby').flatMap(({ tags }) => tags)
      }
      await expect.poll(stored).toEqual(['lab'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(stored).toEqual(['lab', 'storage'])
    })

    it('opens a terminal for each selected device that is online', async () => {
      const { page, world } = site
      await page.goto('/devices?sort=name')
      await page.getByRole('checkbox', { name: 'Select kiosk-lobby' }).check()
      const open = page.getByRole('button', { name: 'Open terminals' })
      expect(await open.isDisabled()).toBe(true)
      const bar = page.getByRole('region', { name: 'Selected devices' })
      await bar.getByText('None of the selected devices is online.').waitFor()
      await open.focus()
      await page.getByRole('tooltip', { name: 'None of the selected devices is online.' }).waitFor()
      await page.getByRole('checkbox', { name: `Select ${world.own.name}` }).check()
      await open.click()
      const dialog = page.getByRole('dialog', { name: 'Open terminals on 1 device' })
      await dialog.getByText('kiosk-lobby is offline and gets no terminal.').waitFor()
      await dialog.getByLabel('User on the device').fill('nobody-of-this-name')
      await dialog.getByLabel('Password on the device').fill('wrong')
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await page.getByRole('tab', { name: new RegExp(`^${world.own.name},`) }).waitFor()
      expect(await page.getByRole('tab').count()).toBe(1)
      await page.getByRole('button', { name: 'Close this pane' }).click()
      await page.getByRole('tab').waitFor({ state: 'detached' })
    })

    it('names the devices on which a bulk action failed, and retries only those', async () => {
      const { page, world } = site
      const waiting = [await world.register('twin-lamp'), await world.register('solo-lamp')]
      const twin = await world.register('twin-lamp')
      await world.client.call(devices.setStatus, { params: { uid: twin, status: 'accept' } })
      await page.goto('/devices?status=pending&q=lamp')
      await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
      await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Accept' }).click()
      const failure = page.getByRole('alert').filter({ hasText: '1 of 2 devices failed' })
      await failure.getByText(/twin-lamp: Another accepted device/).waitFor()
      await world.client.call(devices.remove, { params: { uid: twin } })
      await failure.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('No matching devices').waitFor()
      for (const uid of waiting) {
        expect((await world.client.call(devices.get, { params: { uid } })).body.status).toBe('accepted')
        await world.client.call(devices.remove, { params: { uid } })
      }
    })
  })

  describe('the profile', () => {
    it('changes the own name, and the password without being signed out', async () => {
      const { context, page, complaints } = await openPage(site.browser, { baseURL: site.world.product.console })
      await openSignedIn(page, OBSERVER, '/profile')
      await page.getByLabel('Name', { exact: true }).fill('Olga Observer')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: /Olga Observer/ }).waitFor()
      await page.getByLabel('Current password').fill('not the password')
      await page.getByLabel('New password').fill('another-pass')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page
        .getByText(/Current password/)
        .nth(1)
        .waitFor()
      await page.getByLabel('Current password').fill(OBSERVER.password)
      await page.getByRole('button', { name: 'Change password' }).click()
      await eventually(async () => (await page.getByLabel('Current password').inputValue()) === '')
      await page.reload()
      await page.getByRole('heading', { name: 'Profile' }).waitFor()
      expect(complaints.filter((text) => !text.includes('status of 4'))).toEqual([])
      await context.close()
    })
  })
}
