// Journeys of the team and of namespaces: members, roles, API keys; each change is verified through the API.
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { eventually, openSignedIn, rowOf } from '../steps.ts'
import type { Site } from '../site.ts'
import { OBSERVER } from '../world.ts'

const { apiKeys, namespaces, members, auth } = operations

export function teamJourneys(site: Site): void {
  describe('the team', () => {
    it('changes the role of a member, and back by undo', async () => {
      const { page, world } = site
      await page.goto('/team')
      const role = page.getByLabel(`Role of ${OBSERVER.email}`)
      await role.selectOption('Operator')
      const stored = async () => {
        const { body } = await world.client.call(namespaces.get, { params: { tenant: world.product.tenant } })
        return body.members.find(({ email }) => email === OBSERVER.email)?.role
      }
      await eventually(async () => (await stored()) === 'operator')
      await page.getByRole('button', { name: 'Undo' }).click()
      await eventually(async () => (await stored()) === 'observer')
      expect(await role.inputValue()).toBe('observer')
    })

    it('finds members by their address, and orders them by a column', async () => {
      const { page, world } = site
      await page.goto('/team')
      const table = page.getByRole('table', { name: 'Members' })
      const addresses = () => table.locator('tbody tr td:first-child').allInnerTexts()
      await table.getByText(OBSERVER.email).waitFor()
      const all = await addresses()
      await table.getByRole('button', { name: 'E-mail' }).click()
      await eventually(async () => (await addresses()).join() === all.toReversed().join())
      await page.getByRole('searchbox', { name: 'Search by e-mail or role' }).fill('observer')
      await eventually(async () => (await addresses()).length < all.length)
      expect(new URL(page.url()).searchParams.get('q')).toBe('observer')
      await table.getByText(OBSERVER.email).waitFor()
      await page.getByRole('searchbox', { name: 'Search by e-mail or role' }).fill('nobody')
      await page.getByText('No matching members').waitFor()
      const { body } = await world.client.call(namespaces.get, { params: { tenant: world.product.tenant } })
      expect(all).toHaveLength(body.members.length)
    })

    it('applies a changed role at once for a member who is signed in', async () => {
      const { world, browser } = site
      const { context, page, complaints } = await openPage(browser, { baseURL: world.product.console })
      await openSignedIn(page, OBSERVER, '/tags')
      await page.getByRole('button', { name: 'Rename garden', disabled: true }).waitFor()
      const tenant = world.product.tenant
      const { body } = await world.client.call(namespaces.get, { params: { tenant } })
      const uid = body.members.find(({ email }) => email === OBSERVER.email)?.id ?? ''
      const setRole = (role: 'operator' | 'observer') =>
        world.client.call(members.update, { params: { tenant, uid }, body: { role } })
      await setRole('operator')
      await page.getByRole('button', { name: 'Rename garden', disabled: false }).waitFor()
      await setRole('observer')
      await page.getByRole('button', { name: 'Rename garden', disabled: true }).waitFor()
      expect(complaints).toEqual([])
      await context.close()
    })

    it('creates an API key whose secret is shown once and works', async () => {
      const { page, world } = site
      await page.goto('/team?tab=keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('deploys')
      await page.getByRole('combobox', { name: 'Scopes' }).click()
      await page.getByRole('option', { name: 'Devices: read', exact: true }).click()
      await page.keyboard.press('Tab')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      const secret = await page.getByRole('dialog', { name: 'Copy the key now' }).locator('code').first().textContent()
      await page.keyboard.press('Escape')
      expect(await page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`)).toBe(false)
      await page.getByRole('button', { name: 'I have copied it', disabled: true }).waitFor()
      await page.getByRole('button', { name: 'Copy the line for a shell' }).click()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      expect(await page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`)).toBe(true)
      await rowOf(page, 'deploys').getByText('Observer').waitFor()
      expect(await page.content()).not.toContain(secret)
      const withKey = createClient({
        origin: world.product.api,
        fetch: (url, init) =>
          fetch(url, {
            ...init,
            headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-api-key': secret ?? '' },
          }),
      })
      expect((await withKey.call(operations.stats.get, {})).body.registered_devices).toBeGreaterThan(0)
      await expect(withKey.call(operations.sessions.list, {})).rejects.toThrow('lacks the scope sessions:read')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('deploys')
      await page.keyboard.press('Enter')
      await page.getByText('An API key with this name already exists. Choose another one.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'deploys' }).click()
      await page.getByRole('dialog', { name: 'API key deploys' }).getByLabel('Name').fill('deploy-bot')
      await page.keyboard.press('Enter')
      await rowOf(page, 'deploy-bot').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await rowOf(page, 'deploys').waitFor()
      await page.getByRole('link', { name: 'deploys' }).click()
      await page.getByRole('combobox', { name: 'Scopes' }).click()
      await page.getByRole('option', { name: 'Devices: read and change' }).click()
      await page.getByRole('option', { name: 'Audit log: read', exact: true }).click()
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name: 'Save' }).click()
      await rowOf(page, 'deploys').getByText('Devices: read and change, Audit log: read', { exact: true }).waitFor()
      const { body: keys } = await world.client.call(apiKeys.list, {})
      expect(keys.find(({ name }) => name === 'deploys')?.scopes).toEqual(['devices:write', 'audit:read'])
      await page.getByRole('button', { name: 'Delete deploys' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await rowOf(page, 'deploys').waitFor({ state: 'detached' })
      expect((await world.client.call(apiKeys.list, {})).body.map(({ name }) => name)).not.toContain('deploys')
    })
  })

  describe('namespaces', () => {
    it('creates a namespace from the switcher and switches everything on screen to it', async () => {
      const { page, world } = site
      await page.goto('/')
      await page.getByRole('button', { name: /^Namespace/ }).click()
      await page.getByRole('menuitem', { name: 'Create a namespace' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('workshop')
      await page.keyboard.press('Enter')
      await page.getByText('No devices yet').waitFor()
      await page.getByRole('button', { name: /^Namespace workshop/ }).click()
      const own = (await world.client.call(namespaces.get, { params: { tenant: world.product.tenant } })).body.name
      await page.getByRole('menuitem', { name: new RegExp(`^${own}`) }).click()
      await page.getByRole('link', { name: world.own.name }).first().waitFor()
      const me = await world.client.call(auth.getUser, {})
      expect(me.body.tenant).toBe(world.product.tenant)
    })
  })
}
