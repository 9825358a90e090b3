// Panes and tabs that are moved, by mouse and by keyboard: sessions and what their screens show stay.
import { userInfo } from 'node:os'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { hasFocus, openSignedIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
let agent: Agent
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'greenhouse')
  watched = await openPage(browser, { baseURL: server.origin, viewport: { width: 1280, height: 800 } })
  ;({ page } = watched)
  await page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/devices')
  await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  await type('me=first; echo i-am-$me-one')
  await shows(panes().first(), 'i-am-first-one')
  await page.keyboard.press('Control+Shift+E')
  await until('there are two panes', async () => (await panes().count()) === 2)
  await page.locator('[data-pane] [data-focused=true]').getByText('@').waitFor()
  await type('me=second; echo i-am-$me-one')
  await shows(panes().nth(1), 'i-am-second-one')
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
})

const panes = (): Locator => page.locator('[data-pane]')
const tabs = (): Locator => page.getByRole('tab')

/** Waits until the accessible copy of a pane's screen has a text. */
function shows(pane: Locator, text: string): Promise<boolean> {
  const screen = pane.locator('.xterm-accessibility')
  return until(`the pane shows ${text}`, async () => (await screen.innerText()).includes(text))
}

async function type(text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Ids in reading order, and where they are. */
async function layout(): Promise<{ id: string; x: number; y: number; width: number; height: number }[]> {
  const boxes = await panes().evaluateAll((found) =>
    found.map((pane) => {
      const { x, y, width, height } = pane.getBoundingClientRect()
      return { id: pane.getAttribute('data-pane') ?? '', x, y, width, height }
    }),
  )
  return boxes
}

async function drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 6 })
}

it('moves a pane to an edge of another by its header, with its session and its lines', async () => {
  const [left, right] = await layout()
  if (!left || !right) throw new Error('there are no two panes')
  await drag({ x: right.x + 20, y: right.y + 15 }, { x: left.x + left.width / 2, y: left.y + 40 })
  await page.locator('[data-edge=top]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-edge]').waitFor({ state: 'detached' })
  await page.mouse.up()
  expect((await layout()).map(({ id }) => id)).toEqual([left.id, right.id])

  await drag({ x: right.x + 20, y: right.y + 15 }, { x: left.x + left.width / 2, y: left.y + 40 })
  await page.mouse.up()
  await until('the pane is above', async () => (await layout())[0]?.id === right.id)
  const [above, below] = await layout()
  expect(above?.x).toBe(below?.x)
  expect(above?.y).toBeLessThan(below?.y ?? 0)
  await type('echo still-$me-$((6*7))')
  await shows(panes().first(), 'still-second-42')
  await shows(panes().first(), 'i-am-second-one')
  await shows(panes().nth(1), 'i-am-first-one')
})

it('moves a pane into a tab of its own, and a tab into a pane', async () => {
  const [above] = await layout()
  const bar = await page.getByRole('tablist').boundingBox()
  if (!above || !bar) throw new Error('there is nothing to drag')
  await drag({ x: above.x + 20, y: above.y + 15 }, { x: bar.x + 30, y: bar.y + bar.height / 2 })
  await page.mouse.up()
  await until('there are two tabs', async () => (await tabs().count()) === 2)
  expect(await panes().count()).toBe(1)
  await type('echo alone-$me-$((6*7))')
  await shows(panes().first(), 'alone-second-42')

  const other = await tabs().first().boundingBox()
  const [only] = await layout()
  if (!other || !only) throw new Error('there is nothing to drag')
  await drag(
    { x: other.x + 30, y: other.y + other.height / 2 },
    { x: only.x + only.width - 40, y: only.y + only.height / 2 },
  )
  await page.mouse.up()
  await until('there are two panes', async () => (await panes().count()) === 2)
  expect(await tabs().count()).toBe(1)
  await type('echo joined-$me-$((6*7))')
  await shows(panes().nth(1), 'joined-first-42')
  await shows(panes().nth(1), 'i-am-first-one')
})

it('moves a pane by the keyboard alone', async () => {
  const before = await layout()
  await page.keyboard.press('Control+Shift+H')
  const dialog = page.getByRole('dialog', { name: 'Move the pane' })
  await dialog.waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await dialog.getByRole('combobox', { name: 'Side', exact: true }).selectOption({ label: 'Above' })
  await dialog.getByRole('button', { name: 'Move' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await until('the panes have changed places', async () => (await layout())[0]?.id === before[1]?.id)
  await type('echo typed-$me-$((6*7))')
  await shows(panes().first(), 'typed-first-42')
  expect(watched.complaints).toEqual([])
})

it('opens a pane in a window of its own, and takes it back when that is closed', async () => {
  const { context } = watched
  const first = panes().first()
  await first.locator('.xterm-helper-textarea').focus()
  const [popup] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Control+Shift+D')])
  const complaints: string[] = []
  popup.on('pageerror', (error) => complaints.push(error.message))
  const screen = popup.locator('.xterm-accessibility')
  await popup.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  expect(await panes().count()).toBe(1)
  expect(await popup.getByRole('link', { name: 'Devices' }).count()).toBe(0)
  expect(await popup.title()).toMatch(/^greenhouse\b.* · Terminal · Bowline$/)
  await popup.locator('.xterm-helper-textarea').focus()
  await popup.keyboard.type('echo window-$me-$((6*7))\n')
  await until('the session is the same', async () => (await screen.innerText()).includes('window-first-42'))
  expect(await screen.innerText()).toContain('typed-first-42')
  await popup.setViewportSize({ width: 390, height: 600 })
  expect(await popup.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

  await popup.reload()
  await popup.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  await popup.locator('.xterm-helper-textarea').focus()
  await popup.keyboard.type('echo again-$me-$((6*7))\n')
  await until('the session is still the same', async () => (await screen.innerText()).includes('again-first-42'))

  await popup.close({ runBeforeUnload: true })
  await until('there are two tabs', async () => (await tabs().count()) === 2)
  await page.getByRole('tab', { name: 'greenhouse, connected' }).nth(1).waitFor()
  await panes().first().locator('.xterm-helper-textarea').focus()
  await type('echo home-$me-$((6*7))')
  await shows(panes().first(), 'home-first-42')
  await shows(panes().first(), 'again-first-42')
  expect([...watched.complaints, ...complaints]).toEqual([])
})

it('keeps a terminal where it is when the browser opens no window', async () => {
  await page.evaluate('window.open = () => null')
  await tabs().nth(1).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open in a new window' }).click()
  await page.getByText('The browser did not open a window').waitFor()
  expect(await tabs().count()).toBe(2)
  await panes().first().locator('.xterm-helper-textarea').focus()
  await type('echo here-$me-$((6*7))')
  await shows(panes().first(), 'here-first-42')
})

it('gives the keyboard to a new terminal: its search, its form, and the pane after it', async () => {
  await page.getByRole('button', { name: 'New terminal' }).press('Enter')
  const search = page.getByRole('searchbox', { name: 'Search devices' })
  expect(await until('the search has the keyboard', () => hasFocus(search))).toBe(true)
  await page.getByRole('button', { name: 'Connect to greenhouse' }).press('Enter')
  await until('the form has the keyboard', () => hasFocus(page.getByLabel('User on the device')))
  await page.getByRole('button', { name: 'Close this pane' }).press('Enter')
  const keyboard = page.locator('[data-pane] .xterm-helper-textarea')
  await until('the terminal after it has the keyboard', () => hasFocus(keyboard))
})

it('has heads and buttons for fingers on a phone', async () => {
  const viewport = { width: 390, height: 844 }
  const phone = await openPage(browser, { baseURL: server.origin, viewport, hasTouch: true, isMobile: true })
  await openSignedIn(phone.page, { username: 'operator', password: 'correct horse' }, '/terminal')
  await phone.page.getByRole('button', { name: 'Connect to greenhouse' }).tap()
  await phone.page.getByLabel('User on the device').waitFor()
  const controls = phone.page.locator('[data-tab-bar] :is(button, a), [data-pane] > [data-focused] button')
  const sizes = await controls.evaluateAll((found) =>
    found
      .map((control) => control.getBoundingClientRect())
      .filter(({ width }) => width > 0)
      .map(({ width, height }) => Math.min(width, height)),
  )
  expect(sizes.length).toBeGreaterThan(4)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44)
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await phone.context.close()
})

it('draws each character by itself, in commands and fields too', async () => {
  const ligatures = await page.evaluate<string[]>(`['code', 'pre', 'kbd', 'input', 'textarea', 'button'].map((tag) => {
    const element = document.body.appendChild(document.createElement(tag))
    const { fontVariantLigatures } = getComputedStyle(element)
    element.remove()
    return fontVariantLigatures
  })`)
  expect(new Set(ligatures)).toEqual(new Set(['none']))
})
