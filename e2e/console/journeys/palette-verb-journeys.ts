// Actions typed with what they are for, the sections of long pages, and what the palette shows before the server answers.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { startEcho } from '../../support/ssh.ts'
import type { Site } from '../site.ts'
import { hasFocus, rowOf } from '../steps.ts'

export function paletteVerbJourneys(site: Site): void {
  describe('the palette, for an action and its device', () => {
    const field = () => site.page.getByRole('combobox', { name: /^Search devices,/ })
    const results = () => site.page.getByRole('listbox', { name: 'Results' })
    const options = () => results().getByRole('option')
    const search = async (words: string) => {
      await site.page.keyboard.press('Control+k')
      await field().fill(words)
    }
    const open = async (path: string, heading: string) => {
      await site.page.goto(path)
      await site.page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
    }

    it.each([
      ['mfa', /^Second factor/, '/profile#second-factor', 'Second factor'],
      ['2fa', /^Second factor/, '/profile#second-factor', 'Second factor'],
      ['totp', /^Second factor/, '/profile#second-factor', 'Second factor'],
      ['passkey', /^Passkeys/, '/profile#passkeys', 'Passkeys'],
      ['change password', /^Password/, '/profile#password', 'Password'],
      ['language', /^Appearance/, '/profile#appearance', 'Appearance'],
      ['my sessions', /^Where you are signed in/, '/profile#sign-ins', 'Where you are signed in'],
      ['scim', /^Provisioning/, '/settings#provisioning', 'Provisioning'],
      ['joining', /^Allow joining/, '/settings#sessions', 'Sessions'],
      ['motd', /^Connection announcement/, '/settings#announcement', 'Connection announcement'],
    ])(
      'leads from %j to the heading of its section, before the documentation',
      async (words, name, address, heading) => {
        const { page } = site
        await open('/announcements', 'Announcements')
        const answered = page.waitForResponse((response) => response.url().includes('/1/indexes/'))
        await search(words)
        await answered
        await page.getByRole('option', { name }).first().waitFor()
        await expect.poll(async () => options().first().textContent()).toMatch(name)
        await page.keyboard.press('Enter')
        await page.waitForURL(`**${address}`)
        await expect
          .poll(() => hasFocus(page.getByRole('heading', { name: heading, exact: true, level: 2 })))
          .toBe(true)
      },
    )

    it('lists the sections of a long page, and focuses the one that is chosen, once more when it is chosen again', async () => {
      const { page } = site
      await open('/settings', 'Settings')
      const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link')
      await links.filter({ hasText: 'Danger zone' }).click()
      const heading = page.getByRole('heading', { name: 'Danger zone' })
      await expect.poll(() => hasFocus(heading)).toBe(true)
      expect(new URL(page.url()).hash).toBe('#danger')
      await links.filter({ hasText: 'Danger zone' }).click()
      await expect.poll(() => hasFocus(heading)).toBe(true)
      await page.goto('/profile#passkeys')
      await expect.poll(() => hasFocus(page.getByRole('heading', { name: 'Passkeys' }))).toBe(true)
    })

    it.each([
      ['connect', 'Connect to', '/terminal'],
      ['ssh to', 'Connect to', '/terminal'],
      ['conect', 'Connect to', '/terminal'],
      ['files', 'Browse the files of', '/files'],
      ['tunnel', 'Tunnels of', '#tunnels'],
      ['open', 'Open', '/devices/'],
    ])('does %s on a device by Enter', async (verb, label, address) => {
      const { page, world } = site
      await open('/announcements', 'Announcements')
      await search(`${verb} ${world.own.name}`)
      await expect.poll(async () => options().first().textContent()).toBe(`${label} ${world.own.name}Online`)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.href.includes(address) && url.href.includes(world.own.uid))
      expect(await field().count()).toBe(0)
    })

    it('opens the page of a device that is offline, in place of a terminal', async () => {
      const { page } = site
      await open('/announcements', 'Announcements')
      await search('connect kiosk-lobby')
      await expect.poll(async () => options().first().textContent()).toBe('Open kiosk-lobbyOffline')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/devices/*')
    })

    it('ends a running session after the question of its page', async () => {
      const { page, world } = site
      const { product } = world
      const login = `${userInfo().username}@${product.sshid}`
      const running = await startEcho({ ...product.ssh, login, password: product.device_password })
      await open('/announcements', 'Announcements')
      await search(`terminate ${world.own.name}`)
      await options()
        .filter({ hasText: /^End .*echo ready/ })
        .first()
        .click()
      const dialog = page.getByRole('dialog', { name: /^End the session/ })
      await dialog.getByRole('button', { name: 'End session' }).click()
      expect((await running.result).code).not.toBe(0)
      await dialog.waitFor({ state: 'detached' })
    })

    it('asks for the tag and the new name, and for a confirmation where there is no way back', async () => {
      const { page } = site
      await open('/announcements', 'Announcements')
      await search('tag kiosk-lob')
      await expect.poll(async () => options().first().textContent()).toBe('Tag kiosk-lobby …Offline')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Tag to add to kiosk-lobby' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await field().fill('rename kiosk-lob')
      await expect.poll(async () => options().first().textContent()).toBe('Rename kiosk-lobby …Offline')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'New name of kiosk-lobby' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await field().fill('remove kiosk-lob')
      await expect.poll(async () => options().first().textContent()).toBe('Remove kiosk-lobby …Offline')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('kiosk-lobby').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await search('run ' + site.world.own.name)
      await expect.poll(async () => options().first().textContent()).toMatch(/^Run a command on /)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Run a command on 1 device' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    it('accepts a pending device, which can be undone', async () => {
      const { page, world } = site
      const pending = async () => {
        const { body } = await world.client.call(operations.devices.list, { query: { status: 'pending' } })
        return body.map(({ name }) => name)
      }
      const [name = ''] = await pending()
      await open('/announcements', 'Announcements')
      await search('accept')
      await page.getByText('Type the name of a pending device after the action.').waitFor()
      await page.getByRole('option', { name: `Accept ${name}` }).waitFor()
      await field().fill(`accept ${name}`)
      await expect.poll(async () => options().first().textContent()).toBe(`Accept ${name}`)
      await page.keyboard.press('Enter')
      await expect.poll(pending).not.toContain(name)
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await expect.poll(pending).toContain(name)
    })

    it('watches a session by its login', async () => {
      const { page, world } = site
      const login = userInfo().username
      const { product } = world
      const running = await startEcho({
        ...product.ssh,
        login: `${login}@${product.sshid}`,
        password: product.device_password,
      })
      await open('/announcements', 'Announcements')
      await search(`watch ${login}`)
      await page
        .getByRole('option', { name: new RegExp(`^Watch ${login}@${world.own.name}`) })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/sessions/*/play/*')
      running.end()
      expect((await running.result).code).toBe(0)
    })

    it('offers for an action alone the devices that were opened last, and its word for a part of it', async () => {
      const { page, world } = site
      await page.goto(`/devices/${world.own.uid}`)
      await page.getByRole('heading', { name: world.own.name }).waitFor()
      await open('/announcements', 'Announcements')
      await search('conn')
      await page.getByRole('option', { name: 'Connect to a device …' }).click()
      expect(await field().inputValue()).toBe('connect ')
      await page.getByText('Type the name of a device after the action.').waitFor()
      await expect.poll(async () => options().first().textContent()).toBe(`Connect to ${world.own.name}Online`)
      await page.keyboard.press('Escape')
    })

    it('shows recent devices and sessions first, then the actions of the page, and a few pages', async () => {
      const { page, world } = site
      await page.goto(`/devices/${world.own.uid}`)
      await page.getByRole('heading', { name: world.own.name }).waitFor()
      const { body: sessions } = await world.client.call(operations.sessions.list, {})
      await page.goto(`/sessions/${sessions[0]?.uid}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await open('/firewall', 'Firewall')
      await page.keyboard.press('Control+k')
      const headings = results().locator('[role=presentation]')
      await options().first().waitFor()
      expect(await options().first().textContent()).toBe(world.own.name)
      expect(await headings.allTextContents()).toEqual(['Recent devices', 'Recent sessions', 'On this page', 'Go to'])
      const count = await options().count()
      await page.getByRole('option', { name: 'All pages …' }).click()
      await page.getByRole('option', { name: 'Alerts' }).waitFor()
      expect(await options().count()).toBeGreaterThan(count)
      await page.keyboard.press('Escape')
    })

    it('finds a device of the list without the server, and keeps the active row where it is when answers come', async () => {
      const { page } = site
      await page.goto('/devices')
      await rowOf(page, 'kiosk-lobby').waitFor()
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
      await page.route('**/api/devices?*', async (route) => {
        await answered
        await route.continue().catch(() => undefined)
      })
      await search('kiosk')
      const first = options().first()
      await expect.poll(async () => first.textContent()).toBe('kiosk-lobbyOffline')
      await field().fill('i')
      await expect.poll(async () => options().count()).toBeGreaterThan(3)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      const active = page.getByRole('option', { selected: true })
      const name = await active.textContent()
      const place = await active.boundingBox()
      const late = page.waitForResponse((response) => response.url().includes('/api/devices?'))
      answer()
      await late
      await page.getByRole('option', { name: /^greenhouse-pi/ }).waitFor()
      expect(await active.textContent()).toBe(name)
      expect((await active.boundingBox())?.y).toBe(place?.y)
      await page.unroute('**/api/devices?*')
      await page.keyboard.press('Escape')
    })
  })
}
