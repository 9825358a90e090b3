// Registration, recovery and invitations in the console, with a real server and the links of its mails.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, hasFocus, liveMark, signIn, violationsInBothThemes } from '../steps.ts'
import { linkTo } from './mails.ts'

const PASSWORD = 'correct horse'
let server: Server
let browser: Browser
let tenant: TenantId
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startServer({ env: { BOWLINE_EDITION: 'cloud' } }), launchBrowser()])
  tenant = TenantId.parse(server.tenant)
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

const open = (width = 1_280): Promise<WatchedPage> =>
  openPage(browser, { baseURL: server.origin, viewport: { width, height: 844 } }, /status of 4\d\d/)
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const addressOf = (username: string) => `${username}@example.com`

const confirmButton = (page: Page) => page.getByRole('button', { name: 'Confirm the address' })

/** Registers by the form, without the confirmation. */
async function submitSignUp(page: Page, username: string): Promise<void> {
  await page.goto('/sign-up')
  await fillSignUp(page, username)
  await page.getByLabel('E-mail').fill(addressOf(username))
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading(page, 'Confirm your address')
}

/** Registers by the form and confirms on the page that the link of the mail opens. */
async function register(page: Page, username: string): Promise<void> {
  await submitSignUp(page, username)
  await page.goto(await linkTo(server.dataFolder, addressOf(username), 'confirm'))
  await confirmButton(page).click()
  await heading(page, 'The address is confirmed')
}

async function fillSignUp(page: Page, username: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Some Body')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
}

/** Path and query of an invitation’s link. */
async function invite(email: string): Promise<string> {
  const client = await server.client()
  const { body } = await client.call(operations.members.invite, {
    params: { tenant },
    body: { email, role: 'operator' },
  })
  const { pathname, search } = new URL(body.link)
  return pathname + search
}

/** No violation in both themes, and nothing wider than the screen. */
async function expectSound(page: Page): Promise<void> {
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

describe('registration', () => {
  it('leads from sign-in through the mail to an account, by keyboard alone', async () => {
    const { context, page, complaints } = await open(390)
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Create an account' }).focus()
    await expectSound(page)
    await page.keyboard.press('Enter')
    await heading(page, 'Create an account')
    await expectSound(page)
    await page.getByLabel('Name', { exact: true }).focus()
    for (const text of ['Grace Hopper', addressOf('grace'), 'grace', PASSWORD]) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.getByRole('button', { name: 'Create account' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Confirm your address')
    await expectSound(page)
    expect(await page.getByLabel('Username or e-mail').inputValue()).toBe('grace')
    const first = await linkTo(server.dataFolder, addressOf('grace'), 'confirm')
    await page.getByRole('button', { name: 'Send the mail again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('a mail is on its way. Earlier links').first().waitFor()
    await eventually(async () => (await linkTo(server.dataFolder, addressOf('grace'), 'confirm')) !== first)
    await page.goto(first)
    await confirmButton(page).click()
    await heading(page, 'This link does not work')
    await expectSound(page)
    await page.goto(await linkTo(server.dataFolder, addressOf('grace'), 'confirm'))
    await confirmButton(page).waitFor()
    await expectSound(page)
    await page.keyboard.press('Tab')
    expect(await hasFocus(confirmButton(page))).toBe(true)
    await page.keyboard.press('Enter')
    await heading(page, 'The address is confirmed')
    await expectSound(page)
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(page, { username: 'grace', password: PASSWORD })
    await page.getByRole('button', { name: 'Create a namespace' }).first().waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows a taken username at its field, and says nothing about a taken address', async () => {
    const { context, page, complaints } = await open()
    await page.goto('/sign-up')
    await fillSignUp(page, server.account.username)
    await page.getByLabel('E-mail').fill(addressOf('someone'))
    await page.getByRole('button', { name: 'Create account' }).click()
    const username = page.getByLabel('Username')
    await eventually(async () => (await username.getAttribute('aria-invalid')) === 'true' && hasFocus(username))
    await register(page, 'taken')
    await page.goto('/sign-up')
    await fillSignUp(page, 'another')
    await page.getByLabel('E-mail').fill(addressOf('taken'))
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Confirm your address')
    expect(await linkTo(server.dataFolder, addressOf('taken'), 'account-exists')).toBe('/sign-in')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('leads from a sign-in before the confirmation to the page that sends the mail again', async () => {
    const { context, page, complaints } = await open()
    await submitSignUp(page, 'early')
    await page.goto('/sign-in')
    await signIn(page, { username: 'early', password: PASSWORD })
    await heading(page, 'Confirm your address')
    expect(new URL(page.url()).search).toBe('?username=early')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('confirms nothing when the link is only opened, and once when the button is clicked twice', async () => {
    const { context, page, complaints } = await open()
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/user/validation_account')) calls.push(request.url())
    })
    await submitSignUp(page, 'victim')
    const link = await linkTo(server.dataFolder, addressOf('victim'), 'confirm')
    await page.goto(link)
    await page.getByText(addressOf('victim'), { exact: true }).waitFor()
    await page.getByText('the account gets this address').waitFor()
    await page.goto('/sign-in')
    await signIn(page, { username: 'victim', password: PASSWORD })
    await page.waitForURL('**/confirm-account?username=victim')
    expect(calls).toEqual([])
    await page.goto(link)
    await confirmButton(page).dblclick()
    await heading(page, 'The address is confirmed')
    expect(calls).toHaveLength(1)
    await page.reload()
    await confirmButton(page).click()
    await page.getByText('your address is confirmed: sign in.').waitFor()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(page, { username: 'victim', password: PASSWORD })
    await page.getByRole('button', { name: 'Create a namespace' }).first().waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('recovery of a password', () => {
  it('sets a new password by the link of the mail, by keyboard alone', async () => {
    const { context, page, complaints } = await open(390)
    await register(page, 'oblivious')
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Forgot your password?' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Forgot your password?')
    await expectSound(page)
    await page.getByLabel('Username or e-mail').focus()
    await page.keyboard.type('oblivious')
    await page.keyboard.press('Enter')
    await page.getByText('If the account exists').first().waitFor()
    const link = await linkTo(server.dataFolder, addressOf('oblivious'), 'recover')
    await page.goto(link)
    await heading(page, 'Set a new password')
    await expectSound(page)
    await page.getByLabel('Password', { exact: true }).focus()
    await page.keyboard.type('another-password')
    await page.keyboard.press('Enter')
    await heading(page, 'The password is set')
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(page, { username: 'oblivious', password: 'another-password' })
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.goto(link)
    await page.getByLabel('Password', { exact: true }).fill('a-third-password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await heading(page, 'This link does not work')
    await expectSound(page)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('landing of an invitation', () => {
  it('leads people without an account through sign-up, with the address fixed, into the namespace', async () => {
    const { context, page, complaints } = await open(390)
    const client = await server.client()
    const body = { email: addressOf('newbie'), role: 'operator' as const }
    await client.call(operations.members.add, { params: { tenant }, body })
    await page.goto(await linkTo(server.dataFolder, addressOf('newbie'), 'invitation'))
    await heading(page, /^Join /)
    await page.getByText('invited you to join as operator.').waitFor()
    await expectSound(page)
    await page.getByRole('link', { name: 'Create an account' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Create an account')
    const email = page.getByLabel('E-mail')
    expect([await email.inputValue(), await email.getAttribute('readonly')]).toEqual([addressOf('newbie'), ''])
    await expectSound(page)
    await fillSignUp(page, 'newbie')
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, /^Join /)
    await page.getByText('invited you to join as operator.').waitFor()
    await expectSound(page)
    await page.getByRole('button', { name: 'Accept' }).focus()
    await page.keyboard.press('Enter')
    await liveMark(page, 'live').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps the invitation on the way from sign-up to sign-in', async () => {
    const { context, page, complaints } = await open(390)
    await register(page, 'known')
    const link = new URL(await invite(addressOf('unknown')), server.origin)
    await page.goto(link.pathname + link.search)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await heading(page, 'Create an account')
    await page.getByRole('link', { name: 'Sign in instead' }).click()
    await heading(page, 'Sign in to Bowline')
    await signIn(page, { username: 'known', password: PASSWORD })
    await heading(page, 'This invitation is for another account')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('leads signed-out people through sign-in and back', async () => {
    const { context, page, complaints } = await open()
    await register(page, 'returning')
    await page.goto(await invite(addressOf('returning')))
    await heading(page, /^Join /)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await heading(page, 'Sign in to Bowline')
    await signIn(page, { username: 'returning', password: PASSWORD })
    await heading(page, /^Join /)
    await page.getByRole('button', { name: 'Accept' }).click()
    await liveMark(page, 'live').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('waits for people whose passed-on link needs the mail first, on the page that they come to', async () => {
    const { context, page, complaints } = await open(390)
    await page.goto(await invite(addressOf('passed-on')))
    await page.getByRole('link', { name: 'Create an account' }).click()
    await heading(page, 'Create an account')
    await fillSignUp(page, 'passed-on')
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Confirm your address')
    await page.goto(await linkTo(server.dataFolder, addressOf('passed-on'), 'confirm'))
    await confirmButton(page).click()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(page, { username: 'passed-on', password: PASSWORD })
    const accept = page.getByRole('button', { name: /^Accept the invitation to / })
    await accept.waitFor()
    await expectSound(page)
    await accept.focus()
    await page.keyboard.press('Enter')
    await liveMark(page, 'live').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('says which other account is signed in, and offers to sign out', async () => {
    const { context, page, complaints } = await open(390)
    await register(page, 'bystander')
    await page.goto('/sign-in')
    await signIn(page, { username: 'bystander', password: PASSWORD })
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.goto(await invite(addressOf('stranger')))
    await heading(page, 'This invitation is for another account')
    await page
      .getByText(`It was sent to ${addressOf('stranger')}; you are signed in as ${addressOf('bystander')}.`)
      .waitFor()
    await expectSound(page)
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, /^Join /)
    await page.getByRole('link', { name: 'Create an account' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('says that a link is not valid', async () => {
    const { context, page, complaints } = await open(390)
    const link = await invite(addressOf('late'))
    await invite(addressOf('late'))
    for (const path of [link, '/accept-invite', '/accept-invite?tenant-id=x&user-id=y&sig=z&email=a']) {
      await page.goto(path)
      await heading(page, 'This invitation is not valid')
      await expectSound(page)
    }
    for (const path of ['/validation-account', '/update-password']) {
      await page.goto(path)
      await heading(page, 'This link does not work')
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('pending invitations in the team', () => {
  it('shows until when, and mails, renews and withdraws them', async () => {
    const { context, page, complaints } = await open(390)
    const email = addressOf('awaited')
    await invite(email)
    await page.goto('/sign-in?redirect=/team')
    await signIn(page, server.account)
    await page
      .getByText(/^Invited until/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: `Send the invitation of ${email} again` }).click()
    await page.getByText(`Invitation sent to ${email}`).first().waitFor()
    expect(await linkTo(server.dataFolder, email, 'invitation')).toMatch(/^\/accept-invite\?/)
    await page.getByRole('button', { name: `Copy a new link for ${email}` }).click()
    const dialog = page.getByRole('dialog', { name: `Invitation for ${email}` })
    await dialog.getByText('/accept-invite?').waitFor()
    await expectSound(page)
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).click()
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await page.getByText(email, { exact: true }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('one’s own account', () => {
  it('shows a new address until it is confirmed, and can be deleted', async () => {
    const { context, page, complaints } = await open(390)
    await register(page, 'mover')
    await page.goto('/sign-in?redirect=/profile')
    await signIn(page, { username: 'mover', password: PASSWORD })
    const email = page.getByLabel('E-mail', { exact: true })
    await email.fill(addressOf('moved'))
    await page.getByLabel('Current password').first().fill(PASSWORD)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${addressOf('moved')} replaces your address`).waitFor()
    await expectSound(page)
    expect(await email.inputValue()).toBe(addressOf('mover'))
    await page.goto(await linkTo(server.dataFolder, addressOf('moved'), 'confirm-address'))
    await page.getByText(addressOf('moved'), { exact: true }).waitFor()
    await expectSound(page)
    await page.goto('/profile')
    await page.getByText(`${addressOf('moved')} replaces your address`).waitFor()
    await page.goBack()
    await confirmButton(page).click()
    await heading(page, 'The address is confirmed')
    await page.reload()
    await confirmButton(page).click()
    await heading(page, 'This link does not work')
    await expectSound(page)
    await page.getByRole('link', { name: 'Open the console' }).waitFor()
    await page.goto('/profile')
    await eventually(async () => (await email.inputValue()) === addressOf('moved'))
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete my account' })
    expect(await confirm.isDisabled()).toBe(true)
    await page
      .getByRole('dialog')
      .getByLabel(/^Type .* to confirm$/)
      .fill('mover')
    await confirm.click()
    await heading(page, 'Sign in to Bowline')
    await signIn(page, { username: 'mover', password: PASSWORD })
    await page.getByText('The username or password is wrong.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
