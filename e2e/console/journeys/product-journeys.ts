// The console on the product itself: the credentials printed by `npm start` sign in, the device is online and its
// sessions show up live; another device registers, is accepted, rejected, removed.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { startEcho } from '../../support/ssh.ts'
import type { Site } from '../site.ts'
import { liveMark, openSignedIn, rowOf, signIn } from '../steps.ts'

export function productJourneys(site: Site): void {
  describe('the console of the product', () => {
    it('shows wrong credentials at the field', async () => {
      const { product } = site.world
      const stranger = await openPage(site.browser, { baseURL: product.console })
      await stranger.page.goto('/')
      await signIn(stranger.page, { username: product.username, password: 'wrong' })
      await stranger.page.getByText('The username or password is wrong.').waitFor()
      expect(stranger.complaints).toEqual([])
      await stranger.context.close()
    })

    it('shows the device of this machine online, with the ssh command that npm start prints', async () => {
      const { page, world } = site
      const { product, own } = world
      await page.goto('/devices')
      await rowOf(page, own.name).getByText('Online').waitFor()
      await page.goto(`/devices/${own.uid}`)
      await page.getByRole('button', { name: /^Change user/ }).click()
      await page.getByLabel('User name for SSH').fill(userInfo().username)
      await page.keyboard.press('Enter')
      expect(await page.locator('main code').first().textContent()).toBe(product.ssh_command)
    })

    it('shows the facts of the device, and the fingerprint of its key', async () => {
      const { page, world } = site
      await page.goto('/devices')
      await page.getByRole('link', { name: world.own.name, exact: true }).click()
      await page.getByRole('heading', { name: world.own.name }).waitFor()
      expect(await page.getByText(/^SHA256:/).textContent()).toMatch(/^SHA256:[\w+/]{43}$/)
    })

    it('lists the last sessions of the device by when they started', async () => {
      const { page, world } = site
      await page.goto(`/devices/${world.own.uid}`)
      const times = page.getByRole('region', { name: 'Last sessions' }).locator('time')
      await times.nth(1).waitFor()
      const started = await times.evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
      expect(started).toEqual(started.toSorted((a, b) => b.localeCompare(a)))
    })

    it('shows a session while it runs and why it ended', async () => {
      const { page, world } = site
      const { product, own } = world
      await page.goto('/devices')
      await page.getByRole('link', { name: 'Sessions' }).click()
      await page.getByRole('row').filter({ hasText: 'sign-in failed' }).first().waitFor()
      const login = `${userInfo().username}@${product.sshid}`
      const session = await startEcho({ ...product.ssh, login, password: product.device_password })
      const running = page.getByRole('row').filter({ hasText: 'Running' })
      await running.nth(1).waitFor()
      const href = await running.first().getByRole('link').first().getAttribute('href')
      const row = page.getByRole('row').filter({ has: page.locator(`a[href="${href}"]`) })
      expect(await row.textContent()).toContain(`${userInfo().username}@${own.name}`)
      session.end()
      await session.result
      await row.getByText('Ended', { exact: true }).waitFor()
      expect(await row.getByText('Running').count()).toBe(0)
      expect(await row.locator('td').last().textContent()).not.toBe('')
    })

    it('takes a device from its registration to its removal', async () => {
      const { page, world } = site
      const { product } = world
      await page.goto('/devices')
      await page.getByRole('button', { name: 'Add device' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a device' })
      await dialog.getByText(`'${product.api}/install.sh?tenant_id=${product.tenant}' | sh`).waitFor()
      await dialog.getByText('BOWLINE_HOST').waitFor()
      await world.register('door-lock')
      await dialog.getByRole('button', { name: 'Accept door-lock' }).click()
      await dialog.getByText('door-lock is accepted and connects').waitFor()
      await page.keyboard.press('Escape')
      await rowOf(page, 'door-lock').getByText('Offline').waitFor()
      await page.getByRole('button', { name: 'Remove door-lock' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await rowOf(page, 'door-lock').waitFor({ state: 'detached' })

      await world.register('stranger')
      await page.getByRole('button', { name: '3 devices are waiting' }).click()
      await page.getByRole('button', { name: 'Reject stranger' }).click()
      await page.getByRole('button', { name: 'Reject stranger' }).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: /^Rejected/ }).click()
      await page.getByRole('button', { name: 'Remove stranger' }).click()
      await rowOf(page, 'stranger').waitFor({ state: 'detached' })
      // The row disappears before the server has answered.
      const left = async (): Promise<string[]> => {
        const { body } = await world.client.call(operations.devices.list, { query: { status: '', per_page: '100' } })
        return body.map(({ name }) => name).filter((name) => name === 'door-lock' || name === 'stranger')
      }
      await expect.poll(left).toEqual([])
    })

    it('stays signed in after a reload and is signed out for good when asked to', async () => {
      const { product } = site.world
      const { context, page, complaints } = await openPage(site.browser, { baseURL: product.console })
      await openSignedIn(page, product, '/devices')
      await page.reload()
      await liveMark(page, 'live').waitFor()
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
      await page.goto('/devices')
      await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
      expect(complaints).toEqual([])
      await context.close()
    })
  })
}
