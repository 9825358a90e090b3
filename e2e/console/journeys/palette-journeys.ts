// The command palette: what it finds, and what Enter does on a device.
import { userInfo } from 'node:os'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { startEcho } from '../../support/ssh.ts'
import type { Site } from '../site.ts'
import { eventually, openSignedIn } from '../steps.ts'

export function paletteJourneys(site: Site): void {
  describe('the palette', () => {
    const search = async (words: string) => {
      const { page } = site
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search devices,/ }).fill(words)
    }

    it.each([
      ['a session by its command', 'echo ready', /echo ready/, '/sessions/'],
      ['a key by its name', 'ada@lap', /^ada@laptop/, '/public-keys'],
      ['a member by their address', 'olga@', /^olga@example\.com/, '/team'],
      ['a tag', 'garde', /^garden$/, '/devices'],
      ['a setting', 'record sess', /^Record sessions/, '/settings'],
      ['a setting of one’s own', 'passk', /^Passkeys/, '/profile'],
      ['the keys in this browser', 'keys in', /^Keys in this browser/, '/profile/keys'],
      ['a mistyped page', 'sesions', /^Sessions/, '/sessions'],
    ])('finds %s', async (_, words, name, path) => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      await search(words)
      await page.getByRole('option', { name }).first().click()
      await page.waitForURL((url) => url.pathname.startsWith(path))
      expect(await page.getByRole('combobox', { name: /^Search devices,/ }).count()).toBe(0)
    })

    it.each([
      ['log out', 'Sign out'],
      ['invite', 'Add a member'],
      ['new key', 'Add a public key'],
      ['add device', 'Add a device'],
      ['dark', 'Theme: Dark'],
      ['terminat', 'End a session …'],
      ['expir', 'Create an API key'],
    ])('offers for %j the action first, before pages of the documentation', async (words, action) => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      const answered = page.waitForResponse((response) => response.url().includes('/1/indexes/'))
      await search(words)
      await answered
      await expect.poll(async () => page.getByRole('option').first().textContent()).toBe(action)
      await page.keyboard.press('Escape')
    })

    it.each(['accept', 'devcies', 'tags'])(
      'lists pages of the documentation after everything else for %j',
      async (words) => {
        const { page } = site
        await page.goto('/announcements')
        await page.getByRole('heading', { name: 'Announcements' }).waitFor()
        const answered = page.waitForResponse((response) => response.url().includes('/1/indexes/'))
        await search(words)
        await answered
        const headings = page.getByRole('listbox', { name: 'Results' }).locator('[role=presentation]')
        await headings.first().waitFor()
        const shown = await headings.allTextContents()
        expect(shown.slice(0, -1)).not.toContain('Documentation')
        await page.keyboard.press('Escape')
      },
    )

    it('opens the list of keyboard shortcuts', async () => {
      const { page } = site
      await page.goto('/tags')
      await page.getByRole('heading', { name: 'Tags', exact: true }).waitFor()
      await search('shortc')
      await page.getByRole('option', { name: 'Keyboard shortcuts' }).first().click()
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await sheet.getByText('Select the row').waitFor()
      expect(await page.getByRole('dialog').count()).toBe(1)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
    })

    it('finds pages of the documentation, and opens them beside the console', async () => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      await search('session recording')
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        page
          .getByRole('option', { name: /^Session recording/i })
          .first()
          .click(),
      ])
      await opened.waitForURL('**/docs/**')
      expect(await opened.evaluate('globalThis.opener')).toBeNull()
      await opened.close()
    })

    it('switches to another namespace', async () => {
      const { page, world } = site
      const { body } = await world.client.call(operations.namespaces.create, { body: { name: 'second-home' } })
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      await search('second-ho')
      await page.getByRole('option', { name: 'Switch to second-home' }).click()
      await page.getByRole('button', { name: /second-home/ }).waitFor()
      await search(world.product.sshid.split('.')[0] ?? '')
      await page.getByRole('option', { name: /^Switch to/ }).click()
      await page.getByRole('button', { name: /second-home/ }).waitFor({ state: 'detached' })
      const { body: there } = await world.client.call(operations.auth.switchNamespace, {
        params: { tenant: body.tenant_id },
      })
      const { call } = createClient({ origin: world.product.api, token: () => there.token })
      expect(there.tenant).toBe(body.tenant_id)
      await call(operations.namespaces.remove, { params: { tenant: body.tenant_id } })
    })

    it('asks once for what is typed in one go, and drops a question that is out of date', async () => {
      const { context, page } = await openPage(site.browser, { baseURL: site.world.product.console })
      await page.clock.install()
      await openSignedIn(page, site.world.product, '/announcements')
      const asked: string[] = []
      const dropped: string[] = []
      const wordsIn = (url: string): string => {
        const { pathname, searchParams } = new URL(url)
        const filter = pathname === '/api/sessions' ? atob(searchParams.get('filter') ?? '') : ''
        return ['gar', 'garden'].findLast((words) => filter.includes(`"${words}"`)) ?? ''
      }
      page.on('request', (request) => wordsIn(request.url()) && asked.push(wordsIn(request.url())))
      page.on('requestfailed', (request) => wordsIn(request.url()) && dropped.push(wordsIn(request.url())))
      // The answer is on its way when the words change.
      await page.route(
        (url) => wordsIn(url.href) === 'gar',
        () => {},
      )
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search devices,/ }).waitFor()
      await page.clock.pauseAt(Date.now() + 60_000)
      await page.keyboard.type('gar')
      expect(asked).toEqual([])
      await page.clock.runFor(200)
      await eventually(() => asked.length > 0)
      await page.keyboard.type('den')
      await page.clock.runFor(200)
      // Which of both is told first is the browser’s affair.
      await eventually(() => dropped.length > 0 && asked.length > 1)
      expect(asked.slice(0, 2)).toEqual(['gar', 'garden'])
      // Events of sessions that end meanwhile refresh what is shown now, and only that.
      expect(asked.slice(2).filter((words) => words !== 'garden')).toEqual([])
      expect(dropped).toEqual(['gar'])
      await context.close()
    })

    it('finds sessions by device, person and login, those that run before those that ended', async () => {
      const { page, world } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      const login = userInfo().username
      const { product } = world
      // Journeys before this one may have ended every session.
      const running = await startEcho({
        ...product.ssh,
        login: `${login}@${product.sshid}`,
        password: product.device_password,
      })
      const sessions = page.getByRole('option', { name: new RegExp(`^${login}@${world.own.name}`) })
      for (const words of [world.own.name, login, `${login}@${world.own.name}`]) {
        await search(words)
        await sessions.first().waitFor()
        const shown = await sessions.allTextContents()
        expect(shown.length).toBeGreaterThan(0)
        expect(shown.length).toBeLessThanOrEqual(5)
        const active = shown.map((text) => text.endsWith('Active'))
        expect(active[0]).toBe(true)
        expect(active).toEqual(active.toSorted((a, b) => Number(b) - Number(a)))
        await page.keyboard.press('Escape')
      }
      running.end()
      expect((await running.result).code).toBe(0)
    })

    it('tags and renames a device without leaving it, and takes both back', async () => {
      const { page, world } = site
      const now = async () => {
        const { body } = await world.client.call(operations.devices.list, {})
        const { name, tags } = body.find(({ uid }) => uid === kiosk) ?? {}
        return { name, tags }
      }
      const { body } = await world.client.call(operations.devices.list, {})
      const kiosk = body.find(({ name }) => name === 'kiosk-lobby')?.uid
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      const enter = async (step: string) => {
        await search('kiosk-lobby')
        await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
        await page.keyboard.press('ArrowRight')
        await page.getByRole('option', { name: step }).click()
      }
      await enter('Tag …')
      const tag = page.getByRole('combobox', { name: 'Tag to add to kiosk-lobby' })
      await page.getByRole('option', { name: 'Add the tag garden' }).waitFor()
      await tag.fill('with space')
      await page.getByText('The text may have letters, digits, - and _ only.').first().waitFor()
      await tag.fill('foyer')
      await page.keyboard.press('Enter')
      await page.getByText('Tag foyer added to kiosk-lobby.').first().waitFor()
      expect(await tag.count()).toBe(0)
      await expect.poll(now).toEqual({ name: 'kiosk-lobby', tags: ['foyer'] })
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(now).toEqual({ name: 'kiosk-lobby', tags: [] })
      await enter('Rename …')
      const name = page.getByRole('combobox', { name: 'New name of kiosk-lobby' })
      expect(await name.inputValue()).toBe('kiosk-lobby')
      await page.getByText('Type another name.').first().waitFor()
      // The old name is selected: what is typed replaces it.
      await page.keyboard.type('Kiosk-Foyer')
      await page.getByRole('option', { name: 'Rename to kiosk-foyer' }).waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(now).toEqual({ name: 'kiosk-foyer', tags: [] })
      expect(new URL(page.url()).pathname).toBe('/announcements')
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await expect.poll(now).toEqual({ name: 'kiosk-lobby', tags: [] })
    })

    it('goes back from a step to the device, and from the device to the results', async () => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      await search('kiosk-lobby')
      await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('option', { name: 'Rename …' }).click()
      await page.getByRole('combobox', { name: 'New name of kiosk-lobby' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('option', { name: 'Rename …' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
      await page.keyboard.press('Escape')
      const field = page.getByRole('combobox', { name: /^Search devices,/ })
      await field.waitFor({ state: 'detached' })
      expect(await page.getByRole('dialog').count()).toBe(0)
    })

    it('offers what a row of the list offers among the actions on a device, with the same question', async () => {
      const { page, world } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      const enter = async (action: string) => {
        await search(world.own.name)
        await page
          .getByRole('option', { name: new RegExp(`^${world.own.name}`) })
          .first()
          .waitFor()
        await page.keyboard.press('ArrowRight')
        await page.getByRole('option', { name: action, exact: true }).click()
      }
      const favorites = async () => (await world.client.call(operations.views.favorites, {})).body
      await enter('Add to favorites')
      await expect.poll(favorites).toContain(world.own.uid)
      await enter('Remove from favorites')
      await expect.poll(favorites).not.toContain(world.own.uid)
      await enter('Run a command …')
      await page.getByRole('dialog', { name: 'Run a command on 1 device' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await enter('Remove …')
      const dialog = page.getByRole('dialog')
      await dialog.getByText(world.own.name).first().waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await enter('Files')
      await page.waitForURL(`**/devices/${world.own.uid}/files`)
    })

    it('narrows the actions on a device by what is typed there, and keeps the words that found it', async () => {
      const { page } = site
      await page.goto('/announcements')
      await page.getByRole('heading', { name: 'Announcements' }).waitFor()
      await search('kiosk-lobby')
      await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
      await page.keyboard.press('ArrowRight')
      const actions = page.getByRole('combobox', { name: 'Search the actions on kiosk-lobby' })
      await page.getByRole('option', { name: 'Rename …' }).waitFor()
      await page.keyboard.type('tag')
      await expect.poll(async () => page.getByRole('option').allTextContents()).toEqual(['Tag …'])
      expect(await actions.inputValue()).toBe('tag')
      await page.keyboard.type('x')
      await page.getByText('No results for “tagx”').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
      expect(await page.getByRole('combobox', { name: /^Search devices,/ }).inputValue()).toBe('kiosk-lobby')
      await page.keyboard.press('Escape')
    })

    it('connects to a device by Enter, and opens its page by Shift+Enter', async () => {
      const { page, world } = site
      await page.goto('/tags')
      await page.getByText('garden').first().waitFor()
      await search(world.own.name)
      const option = page.getByRole('option', { name: new RegExp(`^${world.own.name}`) }).first()
      await option.waitFor()
      expect(await option.getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/terminal?device=${world.own.uid}`)
      await page.getByLabel('Password on the device').waitFor()
      await page.goto('/tags')
      await page.getByText('garden').first().waitFor()
      await search(world.own.name)
      await option.waitFor()
      await page.keyboard.press('Shift+Enter')
      await page.waitForURL(`**/devices/${world.own.uid}`)
    })
  })
}
