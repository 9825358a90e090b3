// The second factor in the console, on the product itself: set up by keyboard alone, signed in with, asked for before a
// sensitive change, lost and reset.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@bowline/base/clock'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onInstance } from '../../../apps/server/src/cli/instance.ts'
import { runCommand } from '../../../apps/server/src/cli/program.ts'
import type { Terminal } from '../../../apps/server/src/cli/terminal.ts'
import { mailsTo } from '../../../apps/server/src/mails/testing/outbox.ts'
import { addFactor, codeAt } from '../../../apps/server/src/mfa/testing.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, hasFocus, openSignedIn, signIn, violationsInBothThemes } from '../steps.ts'

const CLEAN = { light: [], dark: [] }
const PHONE = { width: 390, height: 844 }
const PASSWORD = 'correct-horse-1'
const STEP_MS = 30_000
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

const terminal = (): Terminal => ({
  env: { BOWLINE_DATA_DIR: server.dataFolder },
  read: () => Promise.resolve(''),
  print: () => undefined,
  complain: (line) => expect.unreachable(line),
})

/** A person with a namespace of their own. */
async function person(username: string) {
  await runCommand(['user', 'create', username, PASSWORD, `${username}@example.com`], terminal())
  await runCommand(['namespace', 'create', `${username}-home`, username], terminal())
  const body = { username, password: PASSWORD }
  const { token } = (await createClient({ origin: server.origin }).call(operations.auth.login, { body })).body
  return { username, password: PASSWORD, client: createClient({ origin: server.origin, token: () => token }) }
}

const open = () => openPage(browser, { baseURL: server.origin, acceptDownloads: true }, /status of 4\d\d/)

/** Asserts that a screen is accessible in both themes and fits a phone. */
async function expectFine(page: Page): Promise<void> {
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  const before = page.viewportSize()
  await page.setViewportSize(PHONE)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  if (before) await page.setViewportSize(before)
}

/** Moves the focus with the tab key until it is where it should be. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < 80 && !(await hasFocus(target)); tabs += 1) await target.page().keyboard.press('Tab')
  expect(await hasFocus(target)).toBe(true)
}

async function pressByKeyboard(page: Page, name: string): Promise<void> {
  await tabTo(page.getByRole('button', { name, exact: true }))
  await page.keyboard.press('Enter')
}

it('sets an authenticator up by keyboard alone, and signs in with it', async () => {
  const ada = await person('ada')
  const { context, page, complaints } = await open()
  await openSignedIn(page, ada, '/profile')
  await page.getByText('The second factor is off.').waitFor()
  await pressByKeyboard(page, 'Add an authenticator')
  const wizard = page.getByRole('dialog', { name: 'Add an authenticator' })
  await wizard.locator('svg title', { hasText: 'QR code' }).waitFor({ state: 'attached' })
  await expectFine(page)
  const secret = (await wizard.locator('code').first().textContent()) ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  await tabTo(wizard.getByLabel('Code'))
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await wizard.getByText('Code is wrong or has been used already').waitFor()
  await eventually(() => hasFocus(wizard.getByLabel('Code')))
  await page.keyboard.press('Control+A')
  await page.keyboard.type(codeAt(secret, Date.now()))
  await page.keyboard.press('Enter')

  const codes = page.getByRole('dialog', { name: 'Save your recovery codes' })
  const items = codes.getByRole('listitem')
  await items.first().waitFor()
  expect(await items.count()).toBe(6)
  await expectFine(page)
  const recoveryCodes = await items.allTextContents()
  const [download] = await Promise.all([page.waitForEvent('download'), pressByKeyboard(page, 'Download')])
  const saved = await readFile(await download.path(), 'utf8')
  for (const code of recoveryCodes) expect(saved).toContain(code)
  await pressByKeyboard(page, 'I saved them')
  await page.getByText('6 recovery codes left').waitFor()
  await expectFine(page)
  await context.clearCookies()

  await page.goto('/sign-in')
  await signIn(page, ada)
  const code = page.getByLabel('Code', { exact: true })
  await code.waitFor()
  await eventually(() => hasFocus(code))
  expect([await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')]).toEqual([
    'one-time-code',
    'numeric',
  ])
  await expectFine(page)
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await page.getByText('The code is wrong or has been used already.').waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(codeAt(secret, Date.now() + STEP_MS))
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  await context.clearCookies()

  await page.goto('/sign-in')
  await signIn(page, ada)
  await pressByKeyboard(page, 'Use a recovery code')
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  const lost = page.getByRole('dialog', { name: 'Is your authenticator lost?' })
  await lost.waitFor()
  await eventually(() => hasFocus(lost.getByRole('button', { name: 'Cancel' })))
  await expectFine(page)
  // Twice at once, as a double click does: the second must not fail where the first has worked.
  await lost.getByRole('button', { name: 'Switch off' }).dblclick()
  await page.getByText('The second factor is off.').first().waitFor()
  expect(await page.getByText('The second factor is still on').count()).toBe(0)
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Add an authenticator' }).waitFor()
  await page.getByText('The second factor is off.').waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('shows the recovery codes although the answer to the first authenticator was lost', async () => {
  const nora = await person('nora')
  const { context, page } = await open()
  await openSignedIn(page, nora, '/profile')
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  const wizard = page.getByRole('dialog', { name: 'Add an authenticator' })
  const secret = (await wizard.locator('code').first().textContent()) ?? ''
  await page.route('**/api/user/mfa/enable', async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await wizard.getByLabel('Code').fill(codeAt(secret, Date.now()))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Save your recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  expect(await codes.count()).toBe(6)
  await context.close()
})

it('asks for the password before the first authenticator of an old sign-in', async () => {
  const olga = await person('olga')
  const { context, page } = await open()
  await openSignedIn(page, olga, '/profile')
  await onInstance(terminal(), ({ system }) =>
    system
      .updateTable('sign_ins')
      .set({ created_at: new Date(Date.now() - 3_600_000) })
      .execute(),
  )
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  const wizard = page.getByRole('dialog', { name: 'Add an authenticator' })
  const secret = (await wizard.locator('code').first().textContent()) ?? ''
  await wizard.getByLabel('Code').fill(codeAt(secret, Date.now()))
  await page.keyboard.press('Enter')
  const password = wizard.getByLabel('Current password', { exact: true })
  await password.waitFor()
  await expectFine(page)
  await password.fill(PASSWORD)
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Save your recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  expect(await codes.count()).toBe(6)
  await context.close()
})

it('leads back to the password when the second step took too long', async () => {
  const grace = await person('grace')
  const { secret } = await addFactor(grace.client, systemClock)
  const { context, page, complaints } = await open()
  await page.goto('/sign-in')
  await signIn(page, grace)
  await page.getByLabel('Code', { exact: true }).waitFor()
  // A change of the factors ends sign-ins that wait.
  await addFactor(grace.client, systemClock, 'Tablet')
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, Date.now() + STEP_MS))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The second step took too long.').waitFor()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('asks for the second factor before a sensitive change, and then makes the change', async () => {
  const edith = await person('edith')
  const { context, page, complaints } = await open()
  const { secret, recoveryCodes } = await addFactor(edith.client, systemClock, 'Phone')
  await page.goto('/sign-in')
  await signIn(page, edith)
  await pressByKeyboard(page, 'Use a recovery code')
  await page.getByLabel('Recovery code').fill(recoveryCodes.at(-1) ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  // As if the sign-in were older than a proof holds.
  await onInstance(terminal(), ({ system }) => system.deleteFrom('fresh_proofs').execute())
  await page.goto('/profile')
  await page.getByLabel('Recovery e-mail').fill('edith@elsewhere.example')
  await page.getByLabel('Current password').first().fill(PASSWORD)
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByLabel('Code').waitFor()
  await eventually(() => hasFocus(dialog.getByLabel('Code')))
  await expectFine(page)
  await page.keyboard.press('Escape')
  await page.getByText('Your account was not changed').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByLabel('Code').fill(codeAt(secret, Date.now() + STEP_MS))
  await page.keyboard.press('Enter')
  await page.getByText('Account saved.').waitFor()
  const { email, recovery_email } = (await edith.client.call(operations.auth.getUser, {})).body
  expect([email, recovery_email]).toEqual(['edith@example.com', 'edith@elsewhere.example'])

  // The proof holds for the next changes of this sign-in.
  await page.getByRole('button', { name: 'Rename Phone' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Work phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Work phone', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click()
  const renewed = page.getByRole('dialog', { name: 'Save your recovery codes' }).getByRole('listitem')
  await renewed.first().waitFor()
  expect(await renewed.allTextContents()).not.toContain(recoveryCodes[0])
  const [first = ''] = await renewed.allTextContents()
  await page.getByRole('button', { name: 'I saved them' }).click()
  await page.getByRole('button', { name: 'Switch off' }).click()
  const off = page.getByRole('dialog', { name: 'Switch the second factor off' })
  await off.getByRole('button', { name: 'Use a recovery code' }).click()
  await off.getByLabel('Recovery code').fill(first)
  await page.keyboard.press('Enter')
  await page.getByText('The second factor is off.').first().waitFor()
  await page.getByRole('button', { name: 'Add an authenticator' }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('resets a lost second factor with the codes of two mails', async () => {
  const lina = await person('lina')
  const body = { recovery_email: 'lina@elsewhere.example', current_password: PASSWORD }
  await lina.client.call(operations.users.update, { body })
  await addFactor(lina.client, systemClock)
  const { context, page, complaints } = await open()
  await page.goto('/sign-in')
  await signIn(page, lina)
  await page.getByRole('link', { name: 'Lost your device?' }).click()
  await page.getByRole('heading', { name: 'Lost your device?' }).waitFor()
  await expectFine(page)
  await page.getByLabel('Username or e-mail').fill('lina')
  await page.keyboard.press('Enter')
  await page.getByText('both mails are on their way').waitFor()

  const secretKey = (await readFile(join(server.dataFolder, 'secret.key'), 'utf8')).trim()
  const mailed = (address: string) =>
    onInstance(terminal(), async ({ system }) => {
      const outbox = { database: { system: () => system } as never, secretKey }
      return (await mailsTo(outbox, address, 'reset-code'))[0]?.values
    })
  await eventually(async () => (await mailed('lina@elsewhere.example')) !== undefined)
  const [main, recovery] = [await mailed('lina@example.com'), await mailed('lina@elsewhere.example')]
  const link = new URL(main?.link ?? '')
  await page.goto(link.pathname + link.search)
  await page.getByLabel('Code from your main address').fill(main?.code ?? '')
  await page.getByLabel('Code from your recovery address').fill('wrong')
  await expectFine(page)
  await page.keyboard.press('Enter')
  await page.getByText('The second factor is still on').waitFor()
  await page.getByLabel('Code from your recovery address').fill(recovery?.code ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('The second factor is off.').waitFor()
  await page.getByRole('link', { name: 'Go to the sign-in page' }).click()
  await signIn(page, lina)
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  await page.goto('/reset-mfa')
  await page.getByText('This link is incomplete.').waitFor()
  expect(complaints).toEqual([])
  await context.close()
})
