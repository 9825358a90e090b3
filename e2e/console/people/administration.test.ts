// Administration of the server in a browser, on a real server: people, namespaces with limits, and all audit logs.
import { join } from 'node:path'
import { ApiError, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine } from '../../../apps/server/src/cli/testing.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, eventually, openSignedIn, violationsInBothThemes } from '../steps.ts'
import { ageSignIns } from './mails.ts'

const NONE = { light: [], dark: [] }
const PASSWORD = 'correct horse'
/** Folder for pictures of the pages; none by default. */
const PICTURES = process.env['ADMINISTRATION_PICTURES']
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  const { bowline } = commandLine(() => ({ BOWLINE_DATA_DIR: server.dataFolder }))
  await bowline('user create grace - grace@example.com', PASSWORD)
  await bowline('user create linus - linus@example.com', PASSWORD)
  await bowline('namespace create workshop grace')
  await bowline('namespace member add linus workshop operator')
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

/** What a sign-in of somebody answers. */
const signInOf = async (username: string): Promise<string> =>
  createClient({ origin: server.origin })
    .call(operations.auth.login, { body: { username, password: PASSWORD } })
    .then(
      () => 'signed in',
      (error: unknown) => (error instanceof ApiError ? (error.code ?? '') : 'failed'),
    )

/** Checks a page in both themes and on a phone, and takes its picture if asked to. */
async function inspect(page: Page, name: string): Promise<void> {
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await eventually(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  expect(await accessibilityViolations(page, 'sizes')).toEqual([])
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-phone.png`), fullPage: true })
  if (wide) await page.setViewportSize(wide)
}

it('searches people, disables one whose sessions end, and enables them', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/tags')
  await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).click()
  const table = page.getByRole('grid', { name: 'People of this server' })
  await table.getByRole('link', { name: 'grace' }).waitFor()
  await inspect(page, 'people')
  await page.getByRole('searchbox', { name: 'Search people' }).fill('nobody-at-all')
  await page.getByText('No matching people').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await page.getByRole('searchbox', { name: 'Search people' }).fill('linus')
  await table.getByRole('link', { name: 'linus' }).click()
  await page.getByRole('table', { name: 'Namespaces of the person' }).getByText('workshop').waitFor()
  await page.getByText('Nobody is signed in as the person.').waitFor()
  expect(await signInOf('linus')).toBe('signed in')

  await page.getByRole('button', { name: 'Disable account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nobody can sign in to the account').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await dialog.getByRole('button', { name: 'Disable account' }).click()
  await page.getByText('This account has been disabled since').waitFor()
  expect(await signInOf('linus')).toBe('BAD_CREDENTIALS')
  await inspect(page, 'person')
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await page.getByRole('button', { name: 'Disable account' }).waitFor()
  expect(await signInOf('linus')).toBe('signed in')

  await page.getByRole('button', { name: 'Make an administrator of this server' }).click()
  await dialog.getByRole('button', { name: 'Make an administrator of this server' }).click()
  await page.getByRole('button', { name: 'Remove as administrator' }).waitFor()

  // Of oneself nothing can be taken.
  await page.goto('/instance/people?state=administrators')
  await table.getByRole('link', { name: 'operator' }).click()
  await page.getByText('another administrator must do this').waitFor()
  expect(await page.getByRole('button', { name: 'Disable account' }).count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

it('says what an older sign-in confirms with the password to see', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin }, /status of 403/)
  await openSignedIn(page, server.account, '/tags')
  await ageSignIns(server.dataFolder)
  await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByText('To see accounts, namespaces and logs of the whole server, enter your password').waitFor()
  await dialog.getByLabel('Your password', { exact: true }).fill(server.account.password)
  await page.keyboard.press('Enter')
  await page.getByRole('grid', { name: 'People of this server' }).getByRole('link', { name: 'grace' }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('creates an account, which signs in', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin }, /status of 40[19]/)
  await openSignedIn(page, server.account, '/instance/people')
  await page.getByRole('button', { name: 'Create account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an account' })
  await dialog.getByLabel('Username').fill('grace')
  await dialog.getByLabel('E-mail').fill('katherine@example.com')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('none')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog.getByText('must have 5 to 30 characters').waitFor()
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog.getByText('Username is already in use; choose another one.').waitFor()
  await inspect(page, 'create-account')
  await dialog.getByLabel('Username').fill('katherine')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'katherine' }).waitFor()
  expect(await signInOf('katherine')).toBe('signed in')
  expect(complaints).toEqual([])
  await context.close()
})

it('limits a namespace, hands it over, disables it, and tells its members', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin }, /status of 40[013]/)
  await openSignedIn(page, server.account, '/instance/namespaces')
  const table = page.getByRole('grid', { name: 'Namespaces of this server' })
  await table.getByRole('link', { name: 'workshop' }).waitFor()
  await inspect(page, 'namespaces')
  await table.getByRole('link', { name: 'workshop' }).click()
  await page.getByRole('button', { name: 'Change limits' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tunnels').fill('many')
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  await dialog.getByText('must be a whole number, or -1').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await dialog.getByLabel('Tunnels').fill('3')
  await dialog.getByLabel('API keys').fill('-1')
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  const limits = page.getByRole('region', { name: 'Limits' })
  await limits.getByText('at most 3').waitFor()
  await limits.getByText('no limit').waitFor()

  await page.getByRole('button', { name: 'Make the owner: linus' }).click()
  await dialog.getByRole('button', { name: 'Make the owner' }).click()
  await page.getByRole('button', { name: 'Make the owner: grace' }).waitFor()

  await page.getByRole('button', { name: 'Disable namespace' }).click()
  await dialog.getByRole('button', { name: 'Disable namespace' }).click()
  await page.getByText('This namespace has been disabled since').waitFor()
  await inspect(page, 'namespace')
  const member = await openPage(browser, { baseURL: server.origin }, /status of 403/)
  await member.page.goto('/sign-in')
  await member.page.getByLabel('Username or e-mail').fill('grace')
  await member.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await member.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await member.page.getByText('An administrator of this server has disabled it').waitFor()
  await member.page.getByRole('button', { name: 'workshop' }).waitFor()
  expect(await violationsInBothThemes(member.page)).toEqual(NONE)
  if (PICTURES) await member.page.screenshot({ path: join(PICTURES, 'member.png') })
  await member.context.close()
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await page.getByRole('button', { name: 'Disable namespace' }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('lists deleted namespaces with their day and restores one', async () => {
  const { bowline } = commandLine(() => ({ BOWLINE_DATA_DIR: server.dataFolder }))
  await bowline('namespace create warehouse grace')
  await bowline('namespace create shed grace')
  await bowline('namespace delete warehouse')
  await bowline('namespace delete shed')
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/instance/namespaces')
  await page.getByRole('link', { name: 'Deleted namespaces' }).click()
  const table = page.getByRole('grid', { name: 'Deleted namespaces of this server' })
  const row = table.getByRole('row').filter({ hasText: 'warehouse' })
  await row.getByRole('link', { name: 'grace' }).waitFor()
  await inspect(page, 'deleted-namespaces')
  await page.getByRole('searchbox', { name: 'Search namespaces' }).fill('barn')
  await page.getByText('No matching deleted namespaces').waitFor()
  await page.getByRole('searchbox', { name: 'Search namespaces' }).fill('grace@')
  await row.getByRole('button', { name: 'Restore warehouse' }).click()
  await row.waitFor({ state: 'detached' })
  await table.getByText('shed').waitFor()
  await table.getByRole('button', { name: 'Restore shed' }).click()
  await page.getByRole('searchbox', { name: 'Search namespaces' }).fill('')
  await page.getByText('No deleted namespaces').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await page.getByRole('link', { name: 'All namespaces' }).click()
  await page.getByRole('grid', { name: 'Namespaces of this server' }).getByRole('link', { name: 'warehouse' }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('filters all audit logs and exports them', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/instance/audit')
  const table = page.getByRole('table', { name: 'Entries of all audit logs' })
  await table.getByText('Handed the namespace over').waitFor()
  await inspect(page, 'audit')
  await page.getByRole('textbox', { name: 'Action' }).fill('account')
  await page.keyboard.press('Enter')
  await table.getByText('Disabled an account').waitFor()
  await table.getByText('Handed the namespace over').waitFor({ state: 'detached' })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('audit.csv')
  const text = await new Response((await file.createReadStream()) as never).text()
  expect(text).toContain('"account.disable"')
  expect(text).not.toContain('namespace.hand-over')
  await page.getByRole('textbox', { name: 'Action' }).fill('nothing.here')
  await page.keyboard.press('Enter')
  await page.getByText('No matching entries').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  expect(complaints).toEqual([])
  await context.close()
})

it('shows the pages to administrators only', async () => {
  const { page, context } = await openPage(browser, { baseURL: server.origin }, /status of 40[013]/)
  await openSignedIn(page, { username: 'grace', password: PASSWORD }, '/instance/people')
  for (const path of ['people', 'namespaces', 'namespaces/deleted', 'audit']) {
    await page.goto(`/instance/${path}`)
    await page.getByText('Only administrators of this server see this page').waitFor()
  }
  expect(await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).count()).toBe(0)
  await context.close()
})
