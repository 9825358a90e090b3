// The overview and notifications: what needs attention, announcements, the bell; and containers, which register by
// themselves.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { rowOf } from '../steps.ts'
import type { Site } from '../site.ts'

const { announcements, connectors, containers, devices } = operations

export function overviewJourneys(site: Site): void {
  describe('the overview', () => {
    it('shows what needs attention, with links', async () => {
      const { page, world } = site
      await page.goto('/')
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByRole('link', { name: /failed sign-ins? in the last 24 hours/ }).click()
      await page.waitForURL('**/sessions?state=refused&from=**')
      await page.getByRole('row').filter({ hasText: 'sign-in failed' }).first().waitFor()
      await page.goBack()
      await attention.getByRole('link', { name: /went offline in the last 24 hours/ }).click()
      await rowOf(page, 'kiosk-lobby').waitFor()
      expect(await rowOf(page, world.own.name).count()).toBe(0)
      await page.getByRole('button', { name: 'Status Offline' }).click()
      await page.getByRole('menuitemradio', { name: 'Online', exact: true }).click()
      await page.waitForURL('**/devices?presence=online')
      await rowOf(page, world.own.name).waitFor()
      expect(await rowOf(page, 'kiosk-lobby').count()).toBe(0)
    })

    it('counts containers apart from devices', async () => {
      const { page, world } = site
      const { body } = await world.client.call(operations.stats.get, {})
      await page.goto('/')
      const counters = page.getByRole('region', { name: 'Counters' })
      const { online, registered } = body.containers
      await counters.getByText(`and ${online} of ${registered} containers`, { exact: true }).waitFor()
      expect(registered).toBeGreaterThan(0)
    })

    it('shows the newest announcement until it is dismissed', async () => {
      const { page, world } = site
      const body = { title: 'Maintenance on Sunday', content: 'At night.' }
      await world.client.call(announcements.create, { body })
      await page.goto('/')
      const news = page.getByRole('region', { name: 'Announcements of this server' })
      await news.getByRole('link', { name: 'Maintenance on Sunday' }).waitFor()
      // It is hidden at once, and the server told meanwhile.
      const told = page.waitForResponse(/\/api\/announcements\/[^/]+\/read$/)
      await news.getByRole('button', { name: 'Dismiss: Maintenance on Sunday' }).click()
      await news.waitFor({ state: 'detached' })
      await told
      await page.reload()
      await page.getByRole('region', { name: 'Recently seen' }).getByRole('link').nth(1).waitFor()
      expect(await news.count()).toBe(0)
    })
  })

  describe('the bell', () => {
    it('links from the bell to the ended sessions, with their causes', async () => {
      const { page } = site
      await page.goto('/tags')
      await page.getByRole('button', { name: /devices are waiting/ }).click()
      const ended = page.getByRole('region', { name: 'Recently ended sessions' })
      await ended.getByText('The client closed the connection.').first().waitFor()
      const name = await ended.getByRole('link').first().textContent()
      await ended.getByRole('link').first().click()
      await page.getByText('Session id').waitFor()
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
      await ended.waitFor({ state: 'detached' })
    })
  })

  describe('a container', () => {
    it('accepts a container, shows its page, keeps it out of the device lists, and removes it', async () => {
      const { page, world } = site
      await page.goto('/containers')
      await rowOf(page, 'web-frontend').waitFor()
      await page.getByRole('link', { name: 'Pending' }).click()
      await page.getByText('No containers yet').waitFor()
      const uid = await world.register('cache-redis', undefined, 'connector')
      await page.getByRole('button', { name: 'Accept cache-redis' }).click()
      await rowOf(page, 'cache-redis').waitFor({ state: 'detached' })
      expect((await world.client.call(containers.get, { params: { uid } })).body.status).toBe('accepted')
      await page.getByRole('link', { name: 'Accepted' }).click()
      await page.getByLabel('Search containers').fill('redis')
      await rowOf(page, 'web-frontend').waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'cache-redis', exact: true }).click()
      await page.getByRole('heading', { name: 'cache-redis' }).waitFor()
      await page.getByText('connector', { exact: true }).waitFor()
      await page.goto('/devices?q=redis')
      await page.getByText('No matching devices').waitFor()
      await page.goto('/containers')
      await page.getByRole('button', { name: 'Remove cache-redis' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await rowOf(page, 'cache-redis').waitFor({ state: 'detached' })
      expect((await world.client.call(containers.list, {})).body.map(({ name }) => name)).toEqual(['web-frontend'])
    })

    it('counts containers apart from devices in tabs, bell, section and overview', async () => {
      const { page, world } = site
      const uid = await world.register('queue-rabbit', undefined, 'connector')
      const waiting = (await world.client.call(devices.list, { query: { status: 'pending' } })).body.length
      const accepted = (await world.client.call(devices.list, {})).body
      await page.goto('/devices')
      const tabs = page.getByRole('navigation', { name: 'Devices by status' })
      await tabs.getByRole('link', { name: new RegExp(`^Accepted ?${accepted.length}$`) }).waitFor()
      await tabs.getByRole('link', { name: new RegExp(`^Pending ?${waiting}$`) }).waitFor()
      await page.getByRole('button', { name: new RegExp(`^${waiting} devices? (is|are) waiting`) }).waitFor()
      const section = page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Devices' })
      expect(await section.textContent()).toBe(`Devices${waiting}`)
      // Counts that follow the search.
      const found = accepted.filter(({ name }) => name.includes('kiosk')).length
      await page.goto('/devices?q=kiosk')
      await tabs.getByRole('link', { name: new RegExp(`^Accepted ?${found} found by the search`) }).waitFor()
      await page.goto('/')
      await page.getByRole('link', { name: new RegExp(`of ${accepted.length}`) }).waitFor()
      await page.goto('/containers')
      await page.getByRole('link', { name: /^Pending ?1$/ }).waitFor()
      await world.client.call(containers.remove, { params: { uid } })
    })
  })

  describe('a connector', () => {
    it('adds a connector, shows why it is not connected, switches it off and removes it', async () => {
      const { page, world } = site
      await page.goto('/containers')
      const card = page.getByRole('region', { name: 'Connectors' })
      await card.getByText('No connectors yet.').waitFor()
      await card.getByRole('button', { name: 'Add connector' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Address of the engine').fill('engine.invalid')
      await dialog.getByLabel('TLS with a client certificate').selectOption('no')
      await dialog.getByLabel('Port').fill('2375')
      await dialog.getByRole('button', { name: 'Add connector' }).click()
      await dialog.waitFor({ state: 'detached' })
      await card.getByText('not connected: engine.invalid cannot be resolved.').waitFor()
      await card.getByRole('button', { name: 'Switch engine.invalid:2375 off' }).click()
      await card.getByText('switched off').waitFor()
      const { body } = await world.client.call(connectors.list, {})
      expect(body).toMatchObject([{ enable: false, address: 'engine.invalid', port: 2_375, secure: false }])
      await card.getByRole('button', { name: 'Remove engine.invalid:2375' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove connector' }).click()
      await card.getByText('No connectors yet.').waitFor()
    })

    it('adds the engine of a device, which says that it offers none', async () => {
      const { page, world } = site
      const { body: known } = await world.client.call(devices.list, { query: { status: 'accepted', per_page: '1' } })
      const name = known[0]?.name ?? ''
      await page.goto('/containers')
      const card = page.getByRole('region', { name: 'Connectors' })
      await card.getByRole('button', { name: 'Add connector' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('The engine is reached').selectOption('device')
      await dialog.getByRole('button', { name: 'Add connector' }).click()
      await dialog.getByText(/^Device .+/).waitFor()
      await dialog.getByRole('combobox', { name: 'Device' }).fill(name)
      await page.getByRole('option', { name, exact: true }).click()
      await dialog.getByRole('button', { name: 'Add connector' }).click()
      await dialog.waitFor({ state: 'detached' })
      await card.getByText(/^not connected: /).waitFor()
      const { body } = await world.client.call(connectors.list, {})
      expect(body).toMatchObject([{ enable: true, device: known[0]?.uid, device_name: name, address: '' }])
      await card.getByRole('button', { name: `Remove ${name}` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove connector' }).click()
      await card.getByText('No connectors yet.').waitFor()
    })
  })
}
