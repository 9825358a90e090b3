// A terminal under a finger: the text follows it, goes on when it was thrown, and programs that have the whole screen get
// what the wheel of a mouse sends.
import { userInfo } from 'node:os'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { eventually, openSignedIn } from '../steps.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
const PHONE = { width: 390, height: 844 }
const STEP_MS = 16

let browser: Browser
let server: Server
let agent: Agent
let page: Page
let cdp: CDPSession

beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'workbench')
  const opened = await openPage(
    browser,
    { baseURL: server.origin, viewport: PHONE, hasTouch: true, isMobile: true },
    /status of 401/,
  )
  ;({ page } = opened)
  cdp = await opened.context.newCDPSession(page)
  await openSignedIn(page, OPERATOR, '/devices')
  await page.evaluate(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  await page.reload()
  await page.getByRole('button', { name: 'Connect to workbench' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
})

const screen = async (): Promise<string> => (await page.locator('.xterm-accessibility').allTextContents()).join('\n')
const shows = (text: string) => until(`the terminal shows ${text}`, async () => (await screen()).includes(text))

/** The number of the first line of `seq` on the screen. */
async function firstLine(): Promise<number> {
  const rows = await page.locator('.xterm-accessibility-tree > div').allTextContents()
  return Number(rows.find((row) => /^\d+$/.test(row.trim())))
}

async function type(text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Moves a finger 200 pixels down the middle of the screen. @param restMs before it is lifted */
async function swipe(restMs: number): Promise<void> {
  const [x, top] = [PHONE.width / 2, 250]
  let at = Date.now() / 1_000
  const touch = async (kind: 'touchStart' | 'touchMove' | 'touchEnd', y?: number, afterMs = STEP_MS): Promise<void> => {
    at += afterMs / 1_000
    const touchPoints = y === undefined ? [] : [{ x, y }]
    await cdp.send('Input.dispatchTouchEvent', { type: kind, touchPoints, timestamp: at })
  }
  await touch('touchStart', top)
  for (let moved = 20; moved <= 200; moved += 20) await touch('touchMove', top + moved)
  await touch('touchEnd', undefined, restMs)
}

it('follows the finger, and stays where it was put down', async () => {
  await type('clear; seq 1 500; echo all-$((6*7))')
  await shows('all-42')
  await swipe(500)
  const put = await firstLine()
  expect(put).toBeGreaterThan(440)
  expect(put).toBeLessThan(490)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  expect(await firstLine()).toBe(put)
})

it('goes on when it is thrown, and stops', async () => {
  const before = await firstLine()
  await swipe(STEP_MS)
  // The finger itself moves about a dozen lines.
  await eventually(async () => before - (await firstLine()) > 20)
  await page.evaluate(`new Promise((done) => {
    const read = () => document.querySelector('.xterm-accessibility-tree').textContent
    let last = read()
    let same = 0
    const look = () => {
      const now = read()
      same = now === last ? same + 1 : 0
      last = now
      if (same < 20) requestAnimationFrame(look)
      else done()
    }
    look()
  })`)
  expect(await firstLine()).toBeGreaterThan(1)
})

it('moves in programs that have the whole screen, as the wheel of a mouse does', async () => {
  await page.keyboard.press('Enter')
  await type(`printf '\\033[?1049h'; cat -v`)
  await eventually(async () => !(await screen()).includes('500'))
  await swipe(500)
  await page.keyboard.press('Enter')
  // Arrow up, as a terminal sends it.
  expect(await shows('^[[A^[[A')).toBe(true)
})
