// The list of a person's own sign-ins, on a real server with two browsers.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, openSignedIn } from '../steps.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

it.each(['light', 'dark'] as const)(
  'ends the sign-in of another browser by keyboard, in the %s theme',
  async (theme) => {
    const options = { baseURL: server.origin, colorScheme: theme }
    const other = await openPage(
      browser,
      { ...options, userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
      /status of 401/,
    )
    await openSignedIn(other.page, OPERATOR, '/profile')
    const { page, complaints } = await openPage(browser, options)
    await openSignedIn(page, OPERATOR, '/profile')
    const table = page.getByRole('table', { name: 'Where you are signed in' })
    await table.getByText('this one').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    const end = table.getByRole('button', { name: /^Sign out Firefox on Linux at/ })
    await end.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Firefox on Linux is signed out.').waitFor()
    await end.waitFor({ state: 'detached' })
    await other.page.reload()
    await other.page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    expect(await table.getByText('this one').count()).toBe(1)
    expect(complaints).toEqual([])
    await other.context.close()
  },
)
