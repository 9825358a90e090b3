// Sessions: presets and filters in the address, the person behind each, columns and order, ending one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { Session } from '@bowline/contract/schemas/session'
import { describe, expect, it } from 'vitest'
import { registerKey } from '../../support/registered-key.ts'
import { ssh } from '../../support/ssh.ts'
import { eventually, listOverflow, savedFile } from '../steps.ts'
import type { Site } from '../site.ts'

const { sessions } = operations

export function sessionJourneys(site: Site): void {
  describe('sessions', () => {
    it('filters sessions through the URL and ends one of them', async () => {
      const { page, world } = site
      await page.goto('/sessions')
      await page.getByRole('navigation', { name: 'Presets' }).getByRole('link', { name: 'Failed' }).click()
      await page.waitForURL('**/sessions?state=refused')
      await page.getByRole('row').filter({ hasText: 'Running' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'State' }).click()
      await page.getByRole('menuitemradio', { name: 'Running' }).click()
      const device = page.getByRole('combobox', { name: 'Device' })
      await device.fill(world.own.name)
      await page.getByRole('option', { name: world.own.name, exact: true }).click()
      await page.waitForURL(`**device=${world.own.uid}**`)
      await page.reload()
      await eventually(async () => (await device.inputValue()) === world.own.name)
      await page.getByLabel('Search sessions').fill('nobody-like-this')
      await page.getByText('No matching sessions').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('row').filter({ hasText: 'Running' }).first().getByRole('link').first().click()
      await page.getByText('Command started').waitFor()
      await page.getByRole('button', { name: 'End session' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
      await page.getByRole('definition').filter({ hasText: 'An administrator ended the session.' }).waitFor()
      expect((await world.client.call(sessions.list, {})).body.some(({ closed }) => closed?.by === 'admin')).toBe(true)
    })

    it('names the person, the key as ssh-keygen -l does, and the command, and narrows the list to each', async () => {
      const { page, world } = site
      const folder = await mkdtemp(join(tmpdir(), 'bowline-key-'))
      const file = join(folder, 'key')
      await registerKey(world.client, file, 'deploy laptop')
      const login = `${userInfo().username}@${world.product.sshid}`
      const options = ['-i', file, '-o', 'IdentitiesOnly=yes', '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
      const { code } = await ssh({ ...world.product.ssh, login, password: 'none' }, ['uname -s'], { options })
      await rm(folder, { recursive: true })
      expect(code).toBe(0)
      await page.goto('/sessions')
      const row = page.getByRole('row').filter({ hasText: 'Key deploy laptop' })
      await row.getByText('uname -s').waitFor()
      await row.getByTitle('Show only sessions of').click()
      await page.waitForURL('**/sessions?person=**')
      await row.waitFor()
      await page.getByRole('row').filter({ hasText: 'Unknown' }).first().waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Key', exact: true }).click()
      await page.keyboard.press('Escape')
      const { body } = await world.client.call(sessions.list, {})
      const fingerprint = body.find(({ command }) => command === 'uname -s')?.key?.fingerprint ?? ''
      expect(fingerprint).toMatch(/^SHA256:/)
      await row.getByRole('link', { name: fingerprint }).click()
      await page.waitForURL('**/sessions?key=**')
      await page.getByRole('button', { name: `Key ${fingerprint}` }).waitFor()
      await row.getByRole('link').first().click()
      await page.getByText('Signed in with').waitFor()
      await page.getByText(fingerprint).first().waitFor()
      expect(await page.getByText('deploy laptop').count()).toBeGreaterThan(0)
    })

    it('says in which order the list is before anybody chooses one', async () => {
      const { page } = site
      await page.goto('/sessions')
      const started = page.getByRole('columnheader', { name: 'Started' })
      await started.waitFor()
      expect(await started.getAttribute('aria-sort')).toBe('descending')
    })

    it('shows the columns and the order that were chosen, also after a reload', async () => {
      const { page } = site
      await page.goto('/sessions')
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Address' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Client' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('columnheader', { name: 'Started' }).getByRole('button').click()
      await page.waitForURL('**sort=started_at**')
      await page.reload()
      await page.getByRole('columnheader', { name: 'Client' }).waitFor()
      expect(await page.getByRole('columnheader', { name: 'Address' }).count()).toBe(0)
      expect(await page.getByRole('columnheader', { name: 'Started' }).getAttribute('aria-sort')).toBe('ascending')
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitem', { name: 'Reset columns' }).click()
      await page.getByRole('columnheader', { name: 'Address' }).waitFor()
    })

    it('narrows the list to a client and to a source address, in a menu and from a row', async () => {
      const { page } = site
      await page.goto('/sessions')
      const filters = page.getByRole('group', { name: 'Filters' })
      await filters.getByRole('button', { name: 'Client' }).click()
      await page.getByRole('menuitemradio', { name: 'SSH', exact: true }).click()
      await page.waitForURL('**client=term**')
      await filters.getByRole('button', { name: 'Source address' }).click()
      const address = page.getByRole('menuitemradio').nth(1)
      await address.waitFor()
      const text = (await address.textContent()) ?? ''
      await address.click()
      await page.waitForURL((url) => url.searchParams.get('ip')?.includes(text) === true)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('row').nth(1).getByRole('link', { name: text, exact: true }).click()
      await page.waitForURL((url) => url.searchParams.get('ip') === text)
      expect(new URL(page.url()).searchParams.has('client')).toBe(false)
    })

    it('counts the running sessions on their tab', async () => {
      const { page, world } = site
      const running = async () => {
        const { body } = await world.client.call(sessions.list, { query: { per_page: '100', sort_by: 'active' } })
        return body.filter(({ active }) => active).length
      }
      await page.goto('/sessions')
      const tab = page.getByRole('navigation', { name: 'Presets' }).getByRole('link', { name: /^Active/ })
      await expect.poll(async () => (await tab.textContent()) === `Active${await running()}`).toBe(true)
    })

    it('shows times as date and time where people choose so, on all lists and after a reload', async () => {
      const { page } = site
      await page.goto('/sessions')
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemradio', { name: 'Absolute' }).click()
      await page.keyboard.press('Escape')
      const time = page.getByRole('row').nth(1).locator('time').first()
      await expect.poll(async () => time.textContent()).toMatch(/^[A-Z][a-z]{2} \d+, 20\d\d, /)
      await page.reload()
      await expect.poll(async () => time.textContent()).toMatch(/^[A-Z][a-z]{2} \d+, 20\d\d, /)
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemradio', { name: 'Relative' }).click()
      await page.keyboard.press('Escape')
      await expect.poll(async () => time.textContent()).not.toMatch(/20\d\d/)
    })

    it('shows times in the zone of the profile, and names it', async () => {
      const { page } = site
      const exact = async () => {
        await page.goto('/sessions')
        return page.getByRole('row').nth(1).locator('time').first().getAttribute('title')
      }
      const choose = async (words: string, zone: string) => {
        await page.goto('/profile#appearance')
        const field = page.getByRole('combobox', { name: 'Time zone' })
        await field.fill(words)
        await Promise.all([
          page.waitForEvent('load'),
          page.getByRole('option', { name: zone, exact: zone === 'UTC' }).click(),
        ])
        await expect.poll(() => field.inputValue()).toContain(zone)
      }
      await choose('tokyo', 'Asia/Tokyo')
      expect(await exact()).toMatch(/GMT\+9$/)
      await choose('utc', 'UTC')
      expect(await exact()).toMatch(/UTC$/)
      await choose('browser', 'Browser')
    })

    it('groups what the filters show by device and by person, and opens a group', async () => {
      const { page, world } = site
      await page.goto('/sessions?state=refused&sort=person')
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemradio', { name: 'Device' }).click()
      await page.waitForURL('**group=device**')
      expect(new URL(page.url()).searchParams.get('sort')).toBeNull()
      await page.goBack()
      await page.waitForURL('**state=refused&sort=person')
      await page.getByRole('grid', { name: 'SSH sessions' }).waitFor()
      await page.goForward()
      const table = page.getByRole('grid', { name: 'Sessions by device' })
      const failed = Buffer.from(
        JSON.stringify([
          { type: 'property', params: { name: 'closed', operator: 'bool', value: true } },
          { type: 'property', params: { name: 'authenticated', operator: 'bool', value: false } },
          { type: 'operator', params: { name: 'and' } },
        ]),
      ).toString('base64')
      const { body } = await world.client.call(sessions.groups, { query: { by: 'device', filter: failed } })
      const own = body.find(({ device }) => device?.uid === world.own.uid)
      const row = table.getByRole('row').filter({ hasText: world.own.name })
      await row.getByRole('gridcell', { name: String(own?.sessions), exact: true }).waitFor()
      await table.getByRole('columnheader', { name: 'Sessions' }).getByRole('button').click()
      await page.waitForURL('**rank=sessions**')
      await page.reload()
      await row.getByRole('link', { name: world.own.name }).click()
      await page.waitForURL(`**device=${world.own.uid}**`)
      expect([...new URL(page.url()).searchParams.keys()].toSorted()).toEqual(['device', 'of', 'rank', 'state'])
      await page.getByRole('grid', { name: 'SSH sessions' }).getByText('sign-in failed').first().waitFor()
      await page.getByRole('group', { name: 'Filters' }).getByRole('link', { name: 'Sessions by device' }).click()
      await page.waitForURL('**group=device**')
      expect([...new URL(page.url()).searchParams.keys()].toSorted()).toEqual(['group', 'rank', 'state'])
      await row.waitFor()
      await page.goto('/sessions?group=device')
      await page.getByRole('button', { name: 'Grouped by device' }).click()
      await page.waitForURL((url) => !url.searchParams.has('group'))
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemradio', { name: 'Person' }).click()
      await page.getByRole('grid', { name: 'Sessions by person' }).getByRole('link', { name: 'Unknown' }).click()
      await page.waitForURL('**person=unknown**')
      await page.getByRole('grid', { name: 'SSH sessions' }).getByText('Unknown').first().waitFor()
      await page.getByRole('button', { name: 'Person' }).filter({ hasText: 'Unknown' }).waitFor()
    })

    it.each([
      [1280, 'en'],
      [1440, 'en'],
      [1280, 'de'],
      [1440, 'de'],
    ])('shows its first columns whole at %i pixels in %s, however long their texts are', async (width, language) => {
      const change = (row: Session) => ({
        ...row,
        username: 'maintenance-account',
        device: row.device && { ...row.device, name: 'warehouse-north-gate-camera-0042' },
        person: { id: '11111111-1111-4111-8111-111111111111', name: 'maximiliane.mustermann@logistics.example.com' },
        ip_address: '2001:0db8:85a3:08d3:1319:8a2e:0370:7344',
        command: 'journalctl --since yesterday --unit warehouse-gateway.service',
      })
      const list = { path: '/sessions', width, language, change, title: 'maximiliane' }
      expect(await listOverflow<Session>(site.page, list)).toBeLessThanOrEqual(0)
    })

    it('exports what the filters show, and nothing else', async () => {
      const { page, world } = site
      await page.goto('/sessions?state=refused&sort=started_at&order=asc')
      await page.getByRole('row').filter({ hasText: 'sign-in failed' }).first().waitFor()
      const saved = (format: string) =>
        savedFile(page, async () => {
          await page.getByRole('button', { name: 'Display' }).click()
          await page.getByRole('menuitem', { name: format }).click()
        })
      const { body } = await world.client.call(sessions.list, {
        query: { sort_by: 'started_at', order_by: 'asc', per_page: '100' },
      })
      const failed = body.filter(({ authenticated, closed }) => closed && !authenticated).map(({ uid }) => uid)
      expect(failed.length).toBeGreaterThan(0)
      const csv = await saved('CSV')
      expect([csv.name, csv.lines[0]]).toEqual(['sessions.csv', expect.stringContaining('"started_at","ended_at"')])
      expect(csv.lines.slice(1).map((line) => failed.find((uid) => line.includes(uid)))).toEqual(failed)
      const json = await saved('JSON (one object per line)')
      expect([json.name, json.lines.map((line) => Session.parse(JSON.parse(line)).uid)]).toEqual([
        'sessions.jsonl',
        failed,
      ])
    })

    it('saves a view of the sessions, which the devices do not list, and opens it with its columns', async () => {
      const { page } = site
      await page.goto('/sessions?state=refused')
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Client' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Save this view …' }).click()
      const dialog = page.getByRole('dialog', { name: 'Save view' })
      await dialog.getByLabel('Name', { exact: true }).fill('Guesses')
      await dialog.getByRole('button', { name: 'Save view' }).click()
      await page.getByText('View “Guesses” saved.').first().waitFor()
      await page.getByRole('button', { name: 'Display' }).click()
      await page.getByRole('menuitem', { name: 'Reset columns' }).click()
      await page.getByRole('columnheader', { name: 'Client' }).waitFor({ state: 'detached' })
      await page.goto('/devices')
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Save this view …' }).waitFor()
      expect(await page.getByRole('menuitem', { name: 'Guesses' }).count()).toBe(0)
      await page.goto('/sessions')
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Guesses', exact: true }).click()
      await page.waitForURL('**state=refused**')
      await page.getByRole('columnheader', { name: 'Client' }).waitFor()
      await page.getByRole('button', { name: 'Guesses' }).waitFor()
    })
  })
}
