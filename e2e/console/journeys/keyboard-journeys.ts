// Without a mouse: from the sign-in to a device, and the keys of shortcuts.
import { describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import type { Site } from '../site.ts'
import { eventually, hasFocus, rowOf } from '../steps.ts'

export function keyboardJourneys(site: Site): void {
  describe('with the keyboard alone', () => {
    it('signs in, finds a device and navigates with the keyboard alone', async () => {
      const { world } = site
      const { context, page, complaints } = await openPage(site.browser, { baseURL: world.product.console })
      await page.goto('/sign-in')
      await eventually(() => hasFocus(page.getByLabel('Username or e-mail')))
      await page.keyboard.type(world.product.username)
      await page.keyboard.press('Tab')
      await page.keyboard.type(world.product.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.keyboard.press('Tab')
      expect(await hasFocus(page.getByRole('link', { name: 'Skip to content' }))).toBe(true)

      // The palette's script is delayed: what is typed meanwhile must not trigger a shortcut ("g d") nor get lost.
      const { promise: typed, resolve: release } = Promise.withResolvers<void>()
      await page.route(/\/palette-[^/]*\.js$/, async (route) => {
        await typed
        await route.continue()
      })
      await page.keyboard.press('Control+k')
      await page.keyboard.type('g dX')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('kiossk')
      await page.keyboard.press('Backspace')
      await page.keyboard.press('Backspace')
      release()
      await page.getByRole('combobox', { name: /Search devices,/ }).waitFor()
      await page.keyboard.type('k')
      expect(await page.getByRole('combobox', { name: /Search devices,/ }).inputValue()).toBe('kiosk')
      expect(new URL(page.url()).pathname).toBe('/')
      await page.getByRole('option', { name: /^kiosk-lobby/ }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('option', { name: /^Copy the SSHID/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'kiosk-lobby' }).waitFor()

      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('g')
      await page.keyboard.press('f')
      await page.getByRole('heading', { name: 'Firewall', exact: true }).waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('d')
      await rowOf(page, 'kiosk-lobby').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('greenhouse')
      await rowOf(page, 'kiosk-lobby').waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    })

    it('returns to the row after each dialog that a key has opened', async () => {
      const { page } = site
      await page.goto('/devices')
      const { name } = site.world.own
      const link = rowOf(page, name).getByRole('link', { name, exact: true })
      await link.focus()
      for (const key of ['e', 't']) {
        await page.keyboard.press(key)
        await page.getByRole('dialog').waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await eventually(() => hasFocus(link))
      }
      expect(await page.getByRole('dialog').count()).toBe(0)
      await page.keyboard.press('x')
      await page.getByRole('button', { name: 'Run a command' }).click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await eventually(() => page.evaluate('document.activeElement !== document.body'))
      await link.focus()
      await page.keyboard.press('x')
    })

    it('enters the list by j from anywhere on its page', async () => {
      const { page } = site
      await page.goto('/devices')
      await rowOf(page, 'kiosk-lobby').waitFor()
      await page
        .getByRole('link', { name: /^Pending/ })
        .first()
        .click()
      await page.waitForURL(/status=pending/)
      await page.keyboard.press('j')
      await eventually(() => page.evaluate(`document.activeElement.closest('tbody') !== null`))
      await page.evaluate('document.activeElement.blur()')
      await page.keyboard.press('j')
      await eventually(() => page.evaluate(`document.activeElement.closest('tbody') !== null`))
      expect(new URL(page.url()).searchParams.get('status')).toBe('pending')
    })

    it('takes other keys for a shortcut, but none that another one has, and keeps them over a reload', async () => {
      const { page } = site
      await page.goto('/tags')
      await page.getByRole('heading', { name: 'Tags', exact: true }).waitFor()
      await page.keyboard.press('?')
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      const keysOf = (action: string, keys: string) => sheet.getByRole('button', { name: `${action}: ${keys}. Change` })
      for (const key of ['Ctrl+K', 'Shift+X', 'Ctrl+Shift+C']) await sheet.getByText(key, { exact: true }).waitFor()
      await keysOf('End the session', 'Shift+E').waitFor()
      await keysOf('Go to: Firewall', 'g f').focus()
      await page.keyboard.press('Enter')
      await sheet.getByRole('button', { name: 'Press the new keys …' }).waitFor()
      await page.keyboard.press('Escape')
      await keysOf('Go to: Firewall', 'g f').press('Enter')
      await page.keyboard.type('gd')
      await sheet.getByRole('alert').getByText('These keys are already used for “Go to: Devices”.').waitFor()
      await keysOf('Go to: Firewall', 'g f').press('Enter')
      await page.keyboard.type('zf')
      await keysOf('Go to: Firewall', 'z f').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('heading', { name: 'Tags', exact: true }).waitFor()
      await page.keyboard.type('zf')
      await page.getByRole('heading', { name: 'Firewall', exact: true }).waitFor()
      await page.keyboard.press('?')
      await sheet.getByRole('button', { name: 'Restore all defaults' }).click()
      await keysOf('Go to: Firewall', 'g f').waitFor()
      expect(await page.evaluate(() => localStorage.getItem('bowline.chosen-keys'))).toBe('{}')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
  })
}
