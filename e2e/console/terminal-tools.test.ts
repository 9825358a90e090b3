// What people do with terminals all day, on a real device: paste, menu, titles and bell, tabs, broadcast, snippets, one
// sign-in for several devices, and a reload that ends nothing.
import { userInfo } from 'node:os'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../support/browser.ts'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { hasFocus, openSignedIn, violationsInBothThemes } from './steps.ts'

let browser: Browser
let server: Server
let agents: readonly [Agent, Agent]
let watched: WatchedPage
let page: Page
const me = userInfo().username
/** Asserts that axe finds nothing, in either theme. */
const CLEAN = { light: [], dark: [] }

beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agents = await Promise.all([startAgent(server, 'bench-one'), startAgent(server, 'bench-two')])
  watched = await openPage(browser, { baseURL: server.origin, viewport: { width: 1280, height: 800 } })
  page = watched.page
  await page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  await watched.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin })
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/devices')
  await page.getByRole('button', { name: 'Connect to bench-one' }).click()
  await connect(agents[0])
  await tab('bench-one, connected').waitFor()
})
afterAll(async () => {
  await browser.close()
  await Promise.all(agents.map((agent) => agent.remove()))
  await server.remove()
})

const tab = (name: string): Locator => page.getByRole('tab', { name })
const keyboard = (): Locator => page.locator('.xterm-helper-textarea').first()
const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
const copyToClipboard = (text: string) => page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)

/** Waits until the accessible copy of a terminal on the screen has a text. */
function shows(text: string, at = 0): Promise<boolean> {
  const screen = page.locator('.xterm-accessibility').nth(at)
  return until(`the terminal shows ${text}`, async () => (await screen.innerText()).includes(text))
}

async function type(text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

async function connect({ target }: Agent): Promise<void> {
  await page.getByLabel('User on the device').fill(me)
  await page.getByLabel('Password on the device').fill(target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

describe('pasting into a terminal', () => {
  it('shows several lines first where each would run at once, and sends nothing when cancelled', async () => {
    await type('clear; echo begun-$((6*7)); cat')
    await shows('begun-42')
    await copyToClipboard('first-line\nsecond-line\n')
    await page.keyboard.press('Control+Shift+V')
    const question = page.getByRole('dialog', { name: 'Paste 2 lines on bench-one?' })
    await question.getByText('second-line').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await type('typed-after')
    await shows('typed-after')
    expect(await page.locator('.xterm-accessibility').innerText()).not.toContain('first-line')
  })

  it('joins the lines on request, and does not ask again in this tab once told so', async () => {
    await page.keyboard.press('Control+Shift+V')
    await page.getByRole('button', { name: 'Paste as one line' }).click()
    await page.keyboard.press('Enter')
    await shows('first-line second-line')
    await page.keyboard.press('Control+Shift+V')
    await page.getByLabel('Don’t ask again about several lines in this tab').check()
    await page.getByRole('button', { name: 'Paste', exact: true }).click()
    await copyToClipboard('third-line\nfourth-line\n')
    await page.keyboard.press('Control+Shift+V')
    await shows('fourth-line')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('asks about control characters all the same, and can leave them out', async () => {
    await copyToClipboard('with\u001B[31m-colour')
    await page.keyboard.press('Control+v')
    const question = page.getByRole('dialog', { name: 'Paste control characters on bench-one?' })
    await question.getByText('with␛[31m-colour').waitFor()
    await question.getByRole('button', { name: 'Paste without them' }).click()
    await page.keyboard.press('Enter')
    expect(await shows('with[31m-colour')).toBe(true)
    await page.keyboard.press('Control+d')
  })
})

describe('the menu of a terminal', () => {
  it('opens by the keyboard at the cursor, and gives the keyboard back', async () => {
    for (const key of ['Shift+F10', 'ContextMenu']) {
      await page.keyboard.press(key)
      await page.getByRole('menuitem', { name: 'Split to the right' }).waitFor()
      await page.keyboard.press('Escape')
      await until('the terminal has the keyboard', () => hasFocus(keyboard()))
    }
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Copy' }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('menuitem', { name: 'Select all' }).press('Enter')
    await page.keyboard.press('Control+Shift+C')
    await until('the screen is copied', async () => (await clipboard()).includes('with[31m-colour'))
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Search' }).press('Enter')
    await until('the search has the keyboard', () => hasFocus(page.getByRole('search').getByRole('textbox')))
    await page.keyboard.press('Escape')
  })

  it('leaves Ctrl+K to the shell, and opens the palette with Ctrl+Shift+K', async () => {
    await until('the terminal has the keyboard', () => hasFocus(keyboard()))
    // The shell's line editor kills from the cursor to the end of the line.
    await type('PS1=ready: exec bash --norc')
    await shows('ready:')
    await page.keyboard.type('clear; echo kept-$((6*7)) killed')
    for (let at = 0; at < ' killed'.length; at += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Enter')
    await shows('kept-42')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+Shift+K')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await until('the terminal has the keyboard again', () => hasFocus(keyboard()))
  })
})

it('logs no console errors', () => {
  expect(watched.complaints).toEqual([])
})
