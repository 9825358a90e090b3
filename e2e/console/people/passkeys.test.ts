// Passkeys in a real browser with virtual authenticators, on the real server.
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onInstance } from '../../../apps/server/src/cli/instance.ts'
import { runCommand } from '../../../apps/server/src/cli/program.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { withoutSettings } from '../../support/product.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, hasFocus, openSignedIn, signIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
let namespace: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  const params = { tenant: TenantId.parse(server.tenant) }
  namespace = (await (await server.client()).call(operations.namespaces.get, { params })).body.name
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

const PASSWORD = 'correct horse'
const ASKED = 'asked for a passkey'
/** Marks each request for a passkey in the timeline of the page. */
const MARKING = `
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = (options) => { performance.mark('${ASKED}'); return get(options) }`
/** Failed calls that the console handles. */
const EXPECTED = /status of (401|403|404)/

async function cli(...words: string[]): Promise<void> {
  const output: string[] = []
  const code = await runCommand(words, {
    env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: server.dataFolder },
    read: () => Promise.resolve(''),
    print: (line) => output.push(line),
    complain: (line) => output.push(line),
  })
  if (code !== 0) throw new Error(`bowline ${words.join(' ')} ended with ${code}: ${output.join('\n')}`)
}

const quietTerminal = () => ({
  env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: server.dataFolder },
  read: () => Promise.resolve(''),
  print: () => undefined,
  complain: (line: string) => expect.unreachable(line),
})

let people = 0
async function newPerson(): Promise<string> {
  const username = `person${(people += 1)}`
  await cli('user', 'create', username, PASSWORD, `${username}@example.com`)
  await cli('namespace', 'member', 'add', username, namespace, 'operator')
  return username
}

interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  readonly complaints: string[]
  readonly cdp: CDPSession
  readonly authenticatorId: string
  /** True if the person touches the authenticator when it asks; for requests that begin afterwards. */
  readonly touch: (isThere: boolean) => Promise<void>
}

/** A browser at the address under which passkeys work, with an authenticator of its own. */
async function visit(viewport?: { width: number; height: number }): Promise<Visit> {
  const baseURL = server.origin.replace('127.0.0.1', 'localhost')
  const { context, page, complaints } = await openPage(
    browser,
    { baseURL, ...(viewport ? { viewport } : {}) },
    EXPECTED,
  )
  await page.addInitScript(MARKING)
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const authenticatorId = await addAuthenticator(cdp, 'internal')
  const touch = async (enabled: boolean) => {
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
  return { context, page, complaints, cdp, authenticatorId, touch }
}

async function addAuthenticator(cdp: CDPSession, transport: 'internal' | 'usb'): Promise<string> {
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  return authenticatorId
}

/** Signs in on a browser by password and adds a passkey there. */
async function withPasskey(username: string, name = 'laptop', viewport?: Parameters<typeof visit>[0]): Promise<Visit> {
  const there = await visit(viewport)
  await openSignedIn(there.page, { username, password: PASSWORD }, '/profile')
  await there.touch(true)
  await addPasskey(there.page, name)
  await there.touch(false)
  return there
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name').fill(name)
  const password = dialog.getByLabel('Current password', { exact: true })
  if (await password.count()) await password.fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await rowOf(page, name).waitFor()
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Passkeys' }).getByRole('row').filter({ hasText: name })
const passkeySignIn = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

const timesAsked = (page: Page) => page.evaluate((mark) => performance.getEntriesByName(mark).length, ASKED)

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
}

/** Leaves for the sign-in page and waits until it suggests passkeys: an authenticator that is touched before picks one. */
async function leave(page: Page, how: () => Promise<void>): Promise<void> {
  await page.evaluate((mark) => performance.clearMarks(mark), ASKED)
  await how()
  await eventually(async () => (await timesAsked(page)) > 0)
}

describe('passkey', () => {
  it('signs a person in by the button, without a name', async () => {
    const username = await newPerson()
    const { context, page, touch, complaints } = await withPasskey(username)
    await leave(page, () => signOut(page))
    await touch(true)
    await passkeySignIn(page).click()
    await page
      .getByRole('heading', { name: 'Devices' })
      .or(page.getByRole('heading', { name: 'Dashboard' }))
      .first()
      .waitFor()
    await page.goto('/profile')
    expect(await page.getByLabel('Username').inputValue()).toBe(username)
    expect(await rowOf(page, 'laptop').textContent()).not.toContain('never')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps the browser’s dialog open when the challenge of the suggestions comes late', async () => {
    const { context, page } = await withPasskey(await newPerson())
    await leave(page, () => signOut(page))
    const late = Promise.withResolvers<void>()
    const held = page.waitForRequest(`**${operations.passkeys.signInOptions.path}`)
    await page.route(
      `**${operations.passkeys.signInOptions.path}`,
      async (route) => {
        await late.promise
        await route.continue()
      },
      { times: 1 },
    )
    await page.reload()
    const suggestions = await held
    await passkeySignIn(page).click()
    await eventually(async () => (await timesAsked(page)) === 1)
    late.resolve()
    await (await suggestions.response())?.finished()
    // Whatever the page does about that answer has been done when the next one is there.
    await page.evaluate(async () => (await fetch('/info')).text())
    expect(await timesAsked(page)).toBe(1)
    await context.close()
  })

  it('signs a person in from the suggestions of the username field', async () => {
    const { context, page, touch, complaints } = await withPasskey(await newPerson())
    await signOut(page)
    expect(await page.getByLabel('Username or e-mail').getAttribute('autocomplete')).toBe('username webauthn')
    // The virtual authenticator picks its passkey as soon as it is asked.
    await touch(true)
    await page.reload()
    await page.getByRole('navigation', { name: 'Sections' }).first().waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('leaves the password form usable while suggestions are offered, and ends them with the page', async () => {
    const { context, page, touch, complaints } = await withPasskey(await newPerson())
    await signOut(page)
    await signIn(page, { username: 'operator', password: PASSWORD })
    await page.getByRole('navigation', { name: 'Sections' }).first().waitFor()
    await touch(true)
    await page.goto('/profile')
    expect(await page.getByLabel('Username').inputValue()).toBe('operator')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('is the second step after the password', async () => {
    const username = await newPerson()
    const { context, page, touch, complaints } = await withPasskey(username)
    await signOut(page)
    await signIn(page, { username, password: PASSWORD })
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    const use = page.getByRole('button', { name: 'Use a passkey' })
    await use.waitFor()
    // There is no authenticator app, and no recovery code: nothing asks for one.
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await page.getByRole('button', { name: 'Back to the password' }).click()
    await signIn(page, { username, password: PASSWORD })
    await touch(true)
    await use.click()
    await page.getByRole('navigation', { name: 'Sections' }).first().waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('proves, in a session whose proof is too old, who asks for a sensitive change', async () => {
    const { context, page, touch, complaints } = await withPasskey(await newPerson())
    // As if the sign-in were older than a proof holds.
    await onInstance(quietTerminal(), ({ system }) => system.deleteFrom('fresh_proofs').execute())
    await page.getByRole('button', { name: 'Remove laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
    expect(await dialog.getByRole('textbox').count()).toBe(0)
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await touch(true)
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('is added, renamed and removed by keyboard alone', async () => {
    const username = await newPerson()
    const { context, page, touch, complaints } = await visit()
    await openSignedIn(page, { username, password: PASSWORD }, '/profile')
    await touch(true)
    const { keyboard } = page
    await page.getByRole('button', { name: 'Add a passkey' }).focus()
    await keyboard.press('Enter')
    await eventually(() => hasFocus(page.getByRole('dialog').getByLabel('Name')))
    await keyboard.type('laptop')
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await rowOf(page, 'laptop').waitFor()
    await page.getByRole('button', { name: 'Rename laptop' }).focus()
    await keyboard.press('Enter')
    await eventually(() => hasFocus(page.getByRole('dialog').getByLabel('Name')))
    await keyboard.press('Control+A')
    await keyboard.type('desk')
    await keyboard.press('Enter')
    await rowOf(page, 'desk').waitFor()
    await page.getByRole('button', { name: 'Remove desk' }).focus()
    await keyboard.press('Enter')
    await eventually(() => hasFocus(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })))
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByText('You have no passkeys yet.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('explains what went wrong', async () => {
    const { context, page, cdp, authenticatorId, touch, complaints } = await withPasskey(await newPerson())
    await touch(true)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
    await dialog.getByLabel('Name').fill('again')
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByText('already has a passkey of your account').waitFor()
    await page.keyboard.press('Escape')
    await touch(false)
    await leave(page, () => signOut(page))
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await touch(true)
    await passkeySignIn(page).click()
    await page.getByText('It was canceled, or your browser found no passkey').waitFor()
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    expect(complaints).toEqual([])
    await context.close()
  })

  it('replaces the password, together with a second one, until a password is set again', async () => {
    const username = await newPerson()
    const { context, page, cdp, touch, complaints } = await withPasskey(username)
    const removal = page.getByRole('button', { name: 'Remove the password' })
    expect(await removal.isDisabled()).toBe(true)
    const key = await addAuthenticator(cdp, 'usb')
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: key, enabled: true })
    await addPasskey(page, 'security key')
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: key, enabled: false })
    await removal.click()
    await leave(page, () => page.getByRole('dialog').getByRole('button', { name: 'Remove the password' }).click())
    await signIn(page, { username, password: PASSWORD })
    await page.getByText('The username or password is wrong.').waitFor()
    await touch(true)
    await passkeySignIn(page).click()
    await page.getByRole('navigation', { name: 'Sections' }).first().waitFor()
    await touch(false)
    await page.goto('/profile')
    await page.getByText('You sign in with a passkey.').waitFor()
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await page.getByLabel('New password', { exact: true }).fill('another-horse')
    await page.getByRole('button', { name: 'Set a password' }).click()
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    await signIn(page, { username, password: 'another-horse' })
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('fits a phone, in both themes, without barriers', async () => {
    const { context, page } = await withPasskey(await newPerson(), 'x'.repeat(64), { width: 390, height: 844 })
    await page.reload()
    await rowOf(page, 'xxx').waitFor()
    await page.getByText('this one', { exact: true }).waitFor()
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(await overflow()).toBeLessThanOrEqual(0)
    // The reload has restored the position: a header over half of a control says nothing about its size.
    await page.evaluate('scrollTo(0, 0)')
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await signOut(page)
    await passkeySignIn(page).waitFor()
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await context.close()
  })

  it('is explained, not offered, under an address that browsers bind no passkeys to', async () => {
    const { context, page, complaints } = await openPage(browser, { baseURL: server.origin }, EXPECTED)
    await openSignedIn(page, { username: await newPerson(), password: PASSWORD }, '/profile')
    await page.getByText('Passkeys need a host name and HTTPS').waitFor()
    expect(await page.getByRole('button', { name: 'Add a passkey' }).isDisabled()).toBe(true)
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await passkeySignIn(page).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
})
