// The page about mail against the product itself and a real mail server: test, outbox, another try, texts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../../../apps/server/src/cli/testing.ts'
import { type TestSmtp, startSmtp } from '../../../apps/server/src/mails/testing/smtp.ts'
import { mailSettings, writeMails } from '../../mail/outbox.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, hasFocus, openSignedIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let smtp: TestSmtp
let server: Server
let watched: WatchedPage
beforeAll(async () => {
  ;[browser, smtp] = await Promise.all([launchBrowser(), startSmtp()])
  server = await startServer({ env: mailSettings(smtp.port) })
  watched = await openPage(browser, { baseURL: server.origin }, /status of 4\d\d/)
  await openSignedIn(watched.page, server.account, '/')
})
afterAll(async () => {
  await browser.close()
  await server.remove()
  await smtp.close()
})

describe('mail, for administrators of the server', () => {
  it('shows the settings in effect, reached from the sidebar and by keyboard', async () => {
    const { page } = watched
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByText(`127.0.0.1:${smtp.port}`).waitFor()
    await page.goto('/')
    await page.getByRole('link', { name: 'Mail', exact: true }).click()
    await page.getByRole('heading', { name: 'Mail', exact: true }).waitFor()
    await page.getByText('Bowline <bowline@example.com>').waitFor()
    expect(await page.getByText('https://bowline.example.com').first().isVisible()).toBe(true)
  })

  it('sends a test mail by keyboard and shows the answer of the mail server', async () => {
    const { page } = watched
    const to = page.getByLabel('To', { exact: true })
    await to.fill('grace@example.com')
    await to.press('Enter')
    await page.getByText('Accepted by the mail server').waitFor()
    expect(smtp.mails.at(-1)).toMatchObject({ to: ['grace@example.com'], from: 'bowline@example.com' })
    smtp.refuse([554, 'no spam here'])
    await to.press('Enter')
    await page.getByText('554 no spam here').waitFor()
  })

  it('tries values that are not saved and reports them at their fields', async () => {
    const { page } = watched
    await page.getByLabel('Use', { exact: true }).selectOption('other values')
    const url = page.getByLabel('Mail server', { exact: true })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/^Mail server must be smtp:\/\//).waitFor()
    await eventually(() => hasFocus(url))
    await url.fill('smtp://127.0.0.1:1')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('127.0.0.1 is not allowed').waitFor()
    await url.fill(`smtp://127.0.0.1:${smtp.port}`)
    await page.getByLabel('STARTTLS', { exact: true }).selectOption('off')
    await page.getByLabel('Sender', { exact: true }).fill('other@example.com')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Accepted by the mail server').waitFor()
    expect(smtp.mails.at(-1)).toMatchObject({ from: 'other@example.com' })
  })

  it('lists a mail that was refused and sends it again', async () => {
    const { page } = watched
    smtp.refuse([550, 'no such user'])
    await writeMails(server.dataFolder, ['lost@example.com'])
    await page.getByRole('link', { name: 'Failed', exact: true }).click()
    const row = page.getByRole('row').filter({ hasText: 'lost@example.com' })
    await row.getByText('550 no such user').waitFor()
    await page.getByRole('button', { name: 'Send the mail to lost@example.com again' }).press('Enter')
    await page.getByText('The mail to lost@example.com is being sent again.').waitFor()
    await eventually(() => smtp.mails.some(({ to }) => to[0] === 'lost@example.com'))
    await page.getByRole('link', { name: 'Sent', exact: true }).click()
    await row.getByText(/250 /).waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
  })

  it('shows every text in a frame without scripts', async () => {
    const { page, complaints } = watched
    await page.getByLabel('Mail', { exact: true }).selectOption({ label: 'Invitation' })
    const frame = page.locator('iframe[title="Invitation, as HTML"]')
    expect(await frame.getAttribute('sandbox')).toBe('')
    expect(await frame.getAttribute('srcdoc')).toContain('https://bowline.example.com/accept-invite')
    await page.frameLocator('iframe').getByText('invites you to the namespace lab').waitFor()
    await page.getByRole('region', { name: 'Invitation, as text' }).getByText('Accept the invitation at').waitFor()
    expect(complaints).toEqual([])
  })

  it('breaks no rule of accessibility in either theme, nor the page on a phone', async () => {
    const { page } = watched
    // The checker runs scripts in every frame, which these do not allow.
    await page.locator('iframe').evaluate((frame) => frame.remove())
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await page.setViewportSize({ width: 390, height: 844 })
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  })
})

it('tells everybody else whose page it is, and shows no way to it', async () => {
  const { bowline } = commandLine(() => ({ BOWLINE_DATA_DIR: server.dataFolder }))
  const grace = { username: 'grace', password: 'correct horse' }
  await bowline('user create grace - grace@example.com', grace.password)
  await bowline('namespace create works grace')
  const { page, complaints, context } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, grace, '/instance/mail')
  await page.getByText('Only administrators of this server can manage its mail').waitFor()
  expect(await page.getByRole('link', { name: 'Mail', exact: true }).count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})
