// The console's terminals, on a real device behind a lossy network: connect, type, split, search, drop and resume the
// connection, see why a session ended.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { hasFocus, openSignedIn, signIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
let agent: Agent
let proxy: ChaosProxy
let watched: WatchedPage
let page: Page
let folder: string
const me = userInfo().username
/** Asserts that axe finds nothing, in either theme. */
const CLEAN = { light: [], dark: [] }
const OPERATOR = { username: 'operator', password: 'correct horse' }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-console-terminal-'))
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'workbench')
  proxy = await startChaosProxy({ target: { host: '127.0.0.1', port: Number(new URL(server.origin).port) } })
  watched = await openPage(
    browser,
    { baseURL: `http://${proxy.host}:${proxy.port}`, viewport: { width: 1280, height: 800 } },
    /status of 4(01|29)|ERR_|WebSocket connection/,
  )
  page = watched.page
  await openSignedIn(page, OPERATOR, '/devices')
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await proxy.close()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

/** Text of the terminal screens, read from the accessible copy, because they are drawn on a canvas. */
const shown = (): Locator => page.locator('.xterm-accessibility')

function shows(text: string): Promise<boolean> {
  return until(`the terminal shows ${text}`, async () => (await shown().allTextContents()).join('\n').includes(text))
}

async function type(text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Submits the visible form with the password of the device. */
async function connect(password = agent.target.password): Promise<void> {
  await page.getByLabel('User on the device').fill(me)
  await page.getByLabel('Password on the device').fill(password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

/** A command that prints a link (OSC 8) on its own line. */
const link = (address: string, text: string): string =>
  `printf '\\033]8;;${address}\\033\\\\${text}-here\\033]8;;\\033\\\\\\n'`

/** For printf: sets and queries the clipboard, titles and settings, and queries the terminal's identity. */
const QUESTIONS = [
  '\\033]52;c;b3duZWQ=\\007\\033]52;c;?\\007',
  '\\033]0;owned\\007\\033]2;owned\\007\\033[21t\\033[20t',
  '\\033P$qowned\\033\\\\\\033P+q6f776e6564\\033\\\\',
  // C1 controls as single characters (ECMA-48 section 5.3), encoded in UTF-8.
  '\\302\\2330;1x\\302\\2352;owned\\302\\234\\302\\220$qowned\\302\\234\\302\\23321t',
  // ENQ, and a status query (DSR), which is answered last.
  '\\005\\033[5n',
].join('')
/** "No such setting", twice, and "ready": nothing that the program sent. */
const ANSWERS = '\u001bP0$r\u001b\\\u001bP0$r\u001b\\\u001b[0n'
/** ECMA-48: functions with a repeat count. */
const ENDLESS = `x${'@ILMPSTXZb'
  .split('')
  .map((final) => `\\033[2147483647${final}`)
  .join('')}`

describe('the terminals of the console', () => {
  it('opens a terminal from the row of a device with a password, and rejects a wrong one', async () => {
    await page.evaluate(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
    await page.reload()
    await page.getByRole('button', { name: 'Connect to workbench' }).click()
    await page.getByRole('tab', { name: 'workbench, not connected' }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await connect('wrong')
    await page.getByText('Login failed: wrong user name or password.').waitFor()
    await connect()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    await type('echo shown-$((6*7))')
    await shows('shown-42')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('keeps terminals open while navigating in the console', async () => {
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.goBack()
    await shows('shown-42')
    await type('echo back-$((6*7))')
    expect(await shows('back-42')).toBe(true)
  })

  it('resumes a terminal after the connection dropped', async () => {
    await type('for i in 1 2 3 4 5 6; do echo tick-$i; sleep 0.2; done; echo done-$((6*7))')
    await shows('tick-2')
    proxy.reset()
    await shows('done-42')
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    for (const tick of [1, 2, 3, 4, 5, 6]) expect(await shows(`tick-${tick}`)).toBe(true)
  })

  it('keeps terminals and console alive when a page fails to load', async () => {
    const own = await openPage(browser, { baseURL: server.origin }, /status of 4\d\d|ERR_|WebSocket connection/)
    await own.page.clock.install()
    await own.page.route('**/assets/audit-page*', (route) => route.abort())
    await openSignedIn(own.page, OPERATOR, '/devices')
    await own.page.getByRole('button', { name: 'Connect to workbench' }).click()
    await own.page.getByLabel('User on the device').fill(me)
    await own.page.getByLabel('Password on the device').fill(agent.target.password)
    await own.page.getByRole('button', { name: 'Connect', exact: true }).click()
    const tab = own.page.getByRole('tab', { name: 'workbench, connected' })
    await tab.waitFor()

    await own.context.setOffline(true)
    await own.page.clock.fastForward(15_000)
    await own.page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await own.page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await own.context.setOffline(false)
    // Nor is a newer console loaded while terminals are open: people decide when.
    const another = '<script type="module" src="/assets/index-another.js"></script>'
    await own.page.route('/', (route) => route.fulfill({ contentType: 'text/html', body: another }))
    await own.page.getByRole('link', { name: 'Terminal' }).click()
    await tab.waitFor()
    await own.page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await own.page.getByRole('button', { name: 'Reload' }).waitFor()
    await own.page.unroute('/')
    await own.page.unroute('**/assets/audit-page*')
    await own.page.getByRole('link', { name: 'Terminal' }).click()
    await tab.waitFor()
    await own.page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await own.page.getByRole('button', { name: 'Export CSV' }).waitFor()
    await own.page.getByRole('link', { name: 'Terminal' }).click()
    await tab.waitFor()
    expect(await tab.count()).toBe(1)
    await own.context.close()
  })

  it('navigates from terminals to pages never opened before, without the server', async () => {
    const own = await openPage(browser, { baseURL: server.origin }, /status of 4\d\d|ERR_/)
    const arrives = own.page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/audit-page'))
    await openSignedIn(own.page, OPERATOR, '/devices')
    await arrives
    await own.context.setOffline(true)
    await own.page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await own.page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(own.complaints).toEqual([])
    await own.context.close()
  })

  it('says at once, and once, that the browser is offline, and goes on when it is back', async () => {
    const live = page.getByRole('status').getByText('Live', { exact: true })
    await live.waitFor()
    await watched.context.setOffline(true)
    await page.getByRole('status').getByText('Reconnecting', { exact: true }).waitFor({ timeout: 1_000 })
    // Open sockets go on in a browser that only acts as if it were offline, so the terminal has no notice.
    await page.getByText('This computer is offline.').waitFor()
    proxy.reset()
    await page.getByText('Connection lost. Reconnecting').waitFor()
    await page.getByText('This computer is offline.').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(1)
    await watched.context.setOffline(false)
    await live.waitFor()
    await page.getByText('Connection lost. Reconnecting').waitFor({ state: 'detached' })
    await type('echo back-$((6*7))')
    await shows('back-42')
  })

  it('copies a selection with Ctrl+C, interrupts without one, and pastes with Ctrl+V', async () => {
    await watched.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await type('clear; echo copied-$((6*7))')
    await shows('copied-42')
    await page.locator('.xterm-screen').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Select all' }).click()
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.press('Control+c')
    expect(await until('the selection is copied', async () => (await clipboard()).includes('copied-42'))).toBe(true)
    // The selection is gone: now it interrupts.
    // A shell that has not started its command yet does not pass the signal on.
    await type(`sh -c 'echo started-$((6*7)); exec sleep 1000'`)
    await shows('started-42')
    await page.keyboard.press('Control+c')
    await type('echo interrupted-$?')
    await shows('interrupted-130')
    await page.evaluate(`navigator.clipboard.writeText('echo pasted-$((6*7))')`)
    await page.keyboard.press('Control+v')
    await page.keyboard.press('Enter')
    await shows('pasted-42')
    await page.locator('.xterm-screen').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Select all' }).click()
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.press('Control+Shift+C')
    await until('the whole screen is copied', async () => (await clipboard()).includes('pasted-42'))
    await page.keyboard.press('Escape')
  })

  it('isolates programs from the page: no clipboard, non-web links or replies with their own words, titles as titles only', async () => {
    const origin = new URL(page.url()).origin
    await watched.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    await page.evaluate(`navigator.clipboard.writeText('mine')`)
    await page.evaluate(`{ window.opened = []; window.open = (address) => void opened.push(address) }`)
    const answers = join(folder, 'answers')
    await type(
      `clear; ${link('https://example.com/', 'web')}; ${link('javascript:trap()', 'run')}; echo links-$((6*7))`,
    )
    await shows('links-42')
    const screen = await page.locator('.xterm-screen').boundingBox()
    const rows = await page.locator('.xterm-accessibility-tree > div').count()
    const height = (screen?.height ?? 0) / rows
    for (const row of [0, 1]) {
      const [x, y] = [(screen?.x ?? 0) + 12, (screen?.y ?? 0) + (row + 0.5) * height]
      await page.mouse.move(x, y)
      await page.mouse.click(x, y)
    }
    expect(await page.evaluate('opened')).toEqual(['https://example.com/'])

    // The device receives all replies of the terminal: the one that follows the queries is the end marker.
    await type(
      `stty -echo raw; printf '${QUESTIONS}'; head -c ${ANSWERS.length} >${answers}; stty sane; wc -c ${answers}`,
    )
    await shows(`${ANSWERS.length} ${answers}`)
    expect(await readFile(answers, 'latin1')).toBe(ANSWERS)
    await type(`printf '${ENDLESS}'; printf '\\033[2J'; echo still-$((6*7))`)
    await shows('still-42')
    expect(await page.title()).toBe('workbench – owned · Terminal · Bowline')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mine')
    await page.getByRole('alert').getByText('workbench wants to copy 5 characters to your clipboard:').waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.xterm-helper-textarea').focus()
    await type(`printf '\\033]0;\\007'`)
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mine')
  })

  it('pastes many lines as one paste', async () => {
    // The kernel echoes late when much arrives at once: the answer would scroll away. And the shell must be running, or
    // the paste goes to its line editor, bracketed, which wc would count.
    await type('stty -echo; echo begun-$((6*7)); echo pasted-$(wc -c); stty echo')
    await shows('begun-42')
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'a line of a paste\\n'.repeat(20_000))
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    }`)
    await page.getByRole('button', { name: 'Paste', exact: true }).click()
    await page.keyboard.press('Control+d')
    expect(await shows('pasted-360000')).toBe(true)
  })

  it('splits, searches and leaves terminals by the keyboard alone', async () => {
    await page.keyboard.press('Control+Shift+E')
    await until('there are two terminals', async () => (await page.locator('.xterm').count()) === 2)
    await page.getByRole('separator', { name: 'Resize panes' }).waitFor()
    await type('echo right-$((6*7))')
    await shows('right-42')
    // It would have each frame of output drawn twice.
    const marks = page.locator('canvas.xterm-decoration-overview-ruler')
    expect(await marks.count()).toBe(0)
    await page.keyboard.press('Control+Shift+F')
    // The answer appears once. The command may appear twice: the kernel echoes what is typed before the prompt.
    await page.getByRole('search').getByRole('textbox').fill('right-42')
    await page.getByRole('search').getByText(/of 1$/).waitFor()
    // Marks where matches are in the lines that scrolled off.
    await marks.last().waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    // The box covers no line of the screen.
    const box = await page.getByRole('search').boundingBox()
    const screen = await page.getByRole('search').locator('..').locator('.xterm-screen').boundingBox()
    expect((box?.y ?? NaN) + (box?.height ?? NaN)).toBeLessThanOrEqual(screen?.y ?? NaN)
    await page.keyboard.press('Escape')
    await until('the marks are gone', async () => (await marks.last().getAttribute('width')) === '0')
    await page.keyboard.press('Control+Shift+L')
    await page.locator('[role=tab]:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Close this pane' }).last().click()
    await until('one terminal is left', async () => (await page.locator('.xterm').count()) === 1)
  })

  it('finds the newest match first, goes up with Enter and down with Shift, and scrolls back at the end', async () => {
    await page.locator('.xterm-helper-textarea').focus()
    await type('clear; seq 300 | sed s/^/line-/; echo done-$((6*7))')
    await shows('done-42')
    const rows = () => page.locator('.xterm-accessibility').innerText()
    await page.keyboard.press('Control+Shift+F')
    const search = page.getByRole('search')
    await search.getByRole('textbox').fill('line-1')
    // 1, 10 to 19 and 100 to 199.
    await search.getByText('111 of 111').waitFor()
    await until('the newest match is shown', async () => (await rows()).includes('line-199'))
    await page.keyboard.press('Escape')
    await until('the prompt is shown', async () => (await rows()).includes('done-42'))
    await page.keyboard.press('Control+Shift+F')
    await search.getByRole('textbox').fill('line-1')
    await search.getByText('111 of 111').waitFor()
    await page.keyboard.press('Enter')
    await search.getByText('110 of 111').waitFor()
    await page.keyboard.press('Shift+Enter')
    await search.getByText('111 of 111').waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
    expect(await until('the match stays', async () => (await rows()).includes('line-199'))).toBe(true)
  })

  it('shows why a session ended, and opens another one', async () => {
    const { call } = await server.client()
    const { body } = await call(operations.sessions.list, { query: { per_page: '20' } })
    for (const { uid, active } of body) {
      if (active) await call(operations.sessions.close, { params: { uid }, body: { device: agent.device.uid } })
    }
    await page.getByText('An administrator ended the session.').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Connect again' }).click()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    await page.locator('.xterm textarea').focus()
    await type('echo again-$((6*7)); exit 3')
    await page.getByText('The shell ended with status 3.').waitFor()
  })

  it('signs in with a key that stays in the browser', async () => {
    const file = join(folder, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-a', '2', '-f', file])
    const { call } = await server.client()
    const data = Buffer.from(execFileSync('cat', [`${file}.pub`])).toString('base64')
    await call(operations.publicKeys.create, {
      body: { name: 'mine', username: '.*', filter: { hostname: '.*' }, data },
    })
    const sent: string[] = []
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(payload.toString())))
    await page.getByRole('button', { name: 'New terminal' }).click()
    await page.getByRole('button', { name: 'Connect to workbench' }).click()
    await page.getByLabel('User on the device').fill(me)
    await page.getByLabel('Private key', { exact: true }).check()
    const keys = page.getByRole('link', { name: 'Set up keys in this browser' })
    expect(await keys.getAttribute('href')).toBe('/profile/keys')
    await page.getByLabel('Or from a file:').setInputFiles(file)
    await page.getByLabel('Passphrase').fill('wrong')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('The passphrase is wrong.').waitFor()
    await page.getByLabel('Passphrase').fill('open sesame')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    await type('echo by-key-$((6*7))')
    await shows('by-key-42')
    expect(sent.join('')).toContain('"type":"key"')
    expect(sent.join('')).not.toMatch(/sesame|PRIVATE KEY/)
  })

  it('forgets the key when the person signs out', async () => {
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    // The same page, without a reload: the key was forgotten, not lost by loading the page again.
    await signIn(page, OPERATOR)
    await page.getByRole('link', { name: 'Terminal', exact: true }).click()
    await page.getByRole('button', { name: 'New terminal' }).waitFor()
    expect(await page.getByRole('tab').count()).toBe(0)
    await page.getByRole('button', { name: 'Connect to workbench' }).click()
    await page.getByLabel('Private key', { exact: true }).check()
    await page.getByLabel('Private key in OpenSSH format').waitFor()
    expect(await page.getByText('Key in this page').count()).toBe(0)
  })

  it('restores the layout after a reload, with its sessions and their screens', async () => {
    await page.getByLabel('Password', { exact: true }).check()
    await connect()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    await page.keyboard.press('Control+Shift+O')
    await until('there are two terminals', async () => (await page.locator('.xterm').count()) === 2)
    const divider = page.getByRole('separator', { name: 'Resize panes' })
    await divider.focus()
    await page.keyboard.press('ArrowUp')
    const share = await divider.getAttribute('aria-valuenow')
    expect(share).not.toBe('50')
    // The upper pane, so that it is not the one that mounts last.
    const upper = page.locator('.xterm textarea').first()
    await upper.focus()
    await type('kept=$((6*7)); echo before-$kept; (sleep 3; echo meanwhile-$kept) &')
    await shows('before-42')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
    await until('the pane that had the keyboard has it again', () => hasFocus(upper))
    await shows('before-42')
    await shows('meanwhile-42')
    await type('echo same-shell-$kept')
    await shows('same-shell-42')
    expect(await divider.getAttribute('aria-valuenow')).toBe(share)
    expect(await divider.getAttribute('aria-orientation')).toBe('horizontal')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toMatch(/token|before-42/)
    // Sessions that have ended meanwhile are reported, and can be opened again.
    await page.evaluate(`addEventListener('pagehide', () => {
      const tabs = sessionStorage.getItem('bowline.terminal-tabs')
      sessionStorage.setItem('bowline.terminal-tabs', tabs.replaceAll('"token":"', '"token":"x'))
    })`)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('The session has ended meanwhile.').first().waitFor()
    await shows('same-shell-42')
    await page.getByRole('button', { name: 'Connect again' }).last().click()
    await page.getByLabel('Password on the device').fill(agent.target.password)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('tab', { name: 'workbench, connected' }).waitFor()
  })

  it('renders terminals in the chosen font, also next time', async () => {
    await type('echo letters-$((6*7))')
    await shows('letters-42')
    const letters = () => page.locator('.xterm-screen').last().screenshot()
    const before = await letters()
    await page.getByRole('button', { name: 'Terminal settings' }).click()
    const font = page.getByRole('combobox', { name: 'Font', exact: true })
    await font.fill('x", serif')
    expect(await font.inputValue()).toBe('')
    await page.getByRole('option', { name: 'DejaVu Sans Mono' }).click()
    expect(await font.inputValue()).toBe('DejaVu Sans Mono')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.press('Escape')
    await until('the letters look different', async () => !before.equals(await letters()))
    expect(await page.evaluate(`localStorage.getItem('bowline.terminal')`)).toContain('"font":"DejaVu Sans Mono"')
  })

  it('logs no console errors', () => {
    expect(watched.complaints).toEqual([])
  })
})
