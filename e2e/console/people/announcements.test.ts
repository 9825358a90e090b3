// Announcements in a browser, on a real server: an administrator schedules, changes and removes one; a member sees it once.
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, openSignedIn, violationsInBothThemes } from '../steps.ts'

const NONE = { light: [], dark: [] }
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

it('are scheduled, shown, seen once by each person, and removed', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/tags')
  await page.getByRole('navigation').getByRole('link', { name: 'Server announcements', exact: true }).click()
  await page.getByText('Nothing announced yet.').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)

  await page.getByRole('button', { name: 'New announcement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Title is required').waitFor()
  await dialog.getByLabel('Title').fill('Maintenance on Saturday')
  await dialog.getByLabel('Text').fill('Sessions end at **22:00**.')
  await dialog.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: '22:00' }).waitFor()
  await dialog.getByLabel('Show from').fill('2100-01-02T03:04')
  await dialog.getByLabel('Show until').fill('2100-01-01T03:04')
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('must be after date').waitFor()
  await dialog.getByLabel('Show until').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const table = page.getByRole('grid', { name: 'Announcements' })
  await table.getByText('Scheduled').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  const client = await server.client()
  expect((await client.call(operations.announcements.list, {})).body).toEqual([])

  await page.getByRole('button', { name: 'Change Maintenance on Saturday' }).click()
  await dialog.getByLabel('Show from').fill('2026-01-01T00:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await table.getByText('Shown').waitFor()

  // Once: dismissed here, it is gone in the next browser too.
  await page.goto('/')
  const news = page.getByRole('region', { name: 'Announcements of this server' })
  await news.getByRole('link', { name: 'Maintenance on Saturday' }).waitFor()
  await news.getByRole('button', { name: 'Dismiss: Maintenance on Saturday' }).click()
  await news.waitFor({ state: 'detached' })
  await eventually(async () => (await client.call(operations.announcements.unread, {})).body.length === 0)
  const other = await openPage(browser, { baseURL: server.origin })
  const told = other.page.waitForResponse(/announcements\/unread/)
  await openSignedIn(other.page, server.account, '/')
  expect(await (await told).json()).toEqual([])
  expect(await other.page.getByRole('region', { name: 'Announcements of this server' }).count()).toBe(0)
  await other.context.close()

  await page.goto('/instance/announcements')
  await page.getByRole('button', { name: 'Remove Maintenance on Saturday' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove announcement' }).click()
  await page.getByText('Nothing announced yet.').waitFor()
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
  await context.close()
})
