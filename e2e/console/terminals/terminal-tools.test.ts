// Daily work with terminals on a real device: paste, menu, titles and bell, tabs, broadcast, snippets, one
// sign-in for several devices, and a reload that ends nothing.
import { userInfo } from 'node:os'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { hasFocus, openSignedIn, savedFile, violationsInBothThemes } from '../steps.ts'

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
    const question = page.getByRole('dialog', { name: 'Paste 2 lines into bench-one?' })
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
    const question = page.getByRole('dialog', { name: 'Paste control characters into bench-one?' })
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
      await page.getByRole('menuitem', { name: 'Split right' }).waitFor()
      // The menu takes the keyboard a moment after it is drawn; a key before that is the terminal's.
      await until('the menu has the keyboard', () => hasFocus(page.getByRole('menuitem', { name: 'Paste' })))
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

describe('the output of a terminal', () => {
  it('is copied while it is selected by the mouse, where the person wants that', async () => {
    await type('clear; echo selected-$((6*7))')
    await shows('selected-42')
    const select = async (): Promise<void> => {
      await copyToClipboard('kept')
      await page.locator('.xterm-screen').dblclick({ position: { x: 20, y: 8 } })
    }
    await select()
    expect(await clipboard()).toBe('kept')
    await page.getByRole('button', { name: 'Terminal settings' }).click()
    await page.getByLabel('Copy on select').check()
    await page.keyboard.press('Escape')
    await select()
    await until('the selection is copied', async () => (await clipboard()).startsWith('selected-42'))
    await page.getByRole('button', { name: 'Terminal settings' }).click()
    await page.getByLabel('Copy on select').uncheck()
    await page.keyboard.press('Escape')
  })

  it('is copied with its colours, and saved with the lines that scrolled off', async () => {
    await keyboard().focus()
    // The character before the mark shares its cell.
    const hostile = '\\330\\200<img src=x onerror=document.title=1 '
    await type(`clear; seq 1 200; printf '${hostile}\\n\\033[31mred-%s\\033[0m\\n' $((6*7))`)
    await shows('red-42')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Select all' }).click()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Copy with colors' }).click()
    await until('the text is copied', async () => (await clipboard()).includes('red-42'))
    const html = await page.evaluate<string>(
      `navigator.clipboard.read().then(([item]) => item.getType('text/html')).then((part) => part.text())`,
    )
    expect(html).toMatch(/color: ?#[0-9a-f]{6}[^>]*>red-42/)
    const parsed = `new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')`
    expect(await page.evaluate(`${parsed}.querySelectorAll('img').length`)).toBe(0)
    expect(await page.evaluate(`${parsed}.body.innerText`)).toContain('\u0600<img src=x onerror=document.title=1')
    await page.keyboard.press('Shift+F10')
    const saved = await savedFile(page, () => page.getByRole('menuitem', { name: 'Save output as a file' }).click())
    expect(saved.name).toBe('bench-one.txt')
    expect(saved.lines).toEqual(expect.arrayContaining(['1', '200', 'red-42']))
  })
})

describe('what programs tell beside their output', () => {
  const clipboardOf = (text: string) => `\\033]52;c;${Buffer.from(text).toString('base64')}\\007`
  const send = async (sequences: string, mark: string) => {
    await type(`clear; printf '${sequences}'; echo ${mark}-$((6*7))`)
    await shows(`${mark}-42`)
  }

  it('shows a title in the tab and the document, without characters that act or reorder', async () => {
    await send('\\033]0;make\\342\\200\\256 all\\007', 'titled')
    await tab('bench-one make all, connected').waitFor()
    expect(await page.title()).toBe('bench-one – make all · Terminal · Bowline')
  })

  it('shows progress until the program ends it', async () => {
    await send('\\033]9;4;1;40\\007', 'begun')
    await tab('bench-one make all, connected, 40 %').waitFor()
    await page.getByRole('tab').getByText('40 %', { exact: true }).waitFor()
    await send('\\033]9;4;0\\007', 'ended')
    await tab('bench-one make all, connected').waitFor()
    expect(await tab('40 %').count()).toBe(0)
  })

  it('asks once before a device puts text on the clipboard, and lets none read it', async () => {
    await copyToClipboard('mine')
    await send(clipboardOf('first'), 'asked')
    await page.getByRole('alert').getByText('bench-one wants to copy 5 characters to your clipboard:').waitFor()
    expect(await clipboard()).toBe('mine')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Allow' }).click()
    await until('the text is copied', async () => (await clipboard()) === 'first')
    await until('the terminal has the keyboard', () => hasFocus(keyboard()))
    await send(`${clipboardOf('second')}\\033]52;c;?\\007`, 'again')
    await until('the next text is copied', async () => (await clipboard()) === 'second')
    const notice = page.locator('.mantine-Notification-root')
    await notice.getByText('bench-one copied 6 characters to your clipboard.').waitFor()
    const [above, below] = [await notice.boundingBox(), await page.locator('.xterm').boundingBox()]
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
    expect(await page.getByRole('alert').count()).toBe(0)
    // An answer to the question for the contents would be on the shell's line.
    await type('echo unanswered-$((6*7))')
    await shows('unanswered-42')
    expect(await page.locator('.xterm-accessibility').innerText()).not.toContain('52;')
  })

  it('marks the tab whose bell rang while another one was on the screen', async () => {
    await type(`clear; (sleep 2; printf '\\007') & echo waiting-$((6*7))`)
    await shows('waiting-42')
    await page.getByRole('button', { name: 'New terminal' }).click()
    await page.getByRole('button', { name: 'Connect to bench-two' }).click()
    await connect(agents[1])
    await tab('bench-two, connected').waitFor()
    await tab('bench-one make all, connected, bell').waitFor()
    expect(await page.title()).toBe('🔔 bench-two · Terminal · Bowline')
    await tab('bench-one').click()
    await until('the mark is gone', async () => (await tab('bell').count()) === 0)
  })
})

describe('the tabs', () => {
  const names = () =>
    page.getByRole('tab').evaluateAll((tabs) => tabs.map((one) => one.getAttribute('aria-label')?.split(/[, ]/)[0]))

  it('move by the mouse and by the keyboard', async () => {
    const [one, two] = [await tab('bench-one').boundingBox(), await tab('bench-two').boundingBox()]
    if (!one || !two) throw new Error('a tab is not on the screen')
    await page.mouse.move(two.x + 30, two.y + 20)
    await page.mouse.down()
    await page.mouse.move(one.x + 10, one.y + 20, { steps: 5 })
    await page.mouse.up()
    expect(await names()).toEqual(['bench-two', 'bench-one'])
    await tab('bench-two').click()
    await page.keyboard.press('Shift+ArrowRight')
    expect(await names()).toEqual(['bench-one', 'bench-two'])
    await until('the moved tab has the keyboard', () => hasFocus(tab('bench-two')))
  })

  it('get a name, a duplicate that is signed in, and come back when closed, by the keyboard alone', async () => {
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Name' }).fill('spare')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.press('Enter')
    await until('the tab has the keyboard', () => hasFocus(tab('spare, connected')))
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Move left' }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('menuitem', { name: 'Duplicate' }).press('Enter')
    await until('both are connected', async () => (await tab('spare, connected').count()) === 2)
    await tab('spare').last().click()
    await page.keyboard.press('Delete')
    expect(await names()).toEqual(['bench-one', 'spare'])
    await until('a tab has the keyboard', () => hasFocus(tab('spare')))
    await keyboard().focus()
    await page.keyboard.press('Control+Shift+Z')
    await tab('spare, not connected').waitFor()
    await page.keyboard.press('Control+Shift+X')
  })

  it('take the room of the side bar, and letters of any size', async () => {
    await tab('bench-one').click()
    await keyboard().focus()
    const sections = page.getByRole('navigation', { name: 'Sections' })
    await page.keyboard.press('Control+Shift+B')
    await sections.waitFor({ state: 'hidden' })
    const size = () => page.evaluate<number>(`JSON.parse(localStorage.getItem('bowline.terminal')).fontSize`)
    await page.keyboard.press('Control+=')
    await page.keyboard.press('Control+=')
    expect(await size()).toBe(16)
    await page.keyboard.press('Control+-')
    expect(await size()).toBe(15)
    await page.keyboard.press('Control+0')
    expect(await size()).toBe(14)
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Show the side bar' }).click()
    await sections.waitFor()
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await page.getByRole('button', { name: 'Full screen' }).waitFor()
  })
})

describe('one sign-in for several devices', () => {
  it('opens a terminal on each, and tells in its own pane which of them refused', async () => {
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select bench-one' }).check()
    await page.getByRole('checkbox', { name: 'Select bench-two' }).check()
    await page.getByRole('button', { name: 'Open terminals' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open terminals on 2 devices' })
    await dialog.getByText('One sign-in for bench-one and bench-two.').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await dialog.getByLabel('Side by side in one tab').check()
    // Each device has a password of its own here.
    await connect(agents[0])
    await page.getByText('Login failed: wrong user name or password.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByLabel('User on the device').count()).toBe(1)
    await connect(agents[1])
    await until('both are connected', async () => (await page.locator('.xterm').count()) === 2)
    await until('a terminal has the keyboard', () => hasFocus(page.locator('.xterm-helper-textarea')))
    await shows('#', 0)
    await shows('#', 1)
  })
})

describe('broadcast of input', () => {
  const screens = () => page.locator('.xterm-accessibility').allInnerTexts()

  it('reaches no pane before it is chosen, and every chosen one then', async () => {
    await keyboard().focus()
    await page.keyboard.press('Control+Shift+G')
    await page.getByText('Broadcast: choose the panes that get what you type.').waitFor()
    await type('echo alone-$((6*7))')
    await shows('alone-42', 0)
    await page.getByRole('button', { name: 'Send what you type to bench-two' }).click()
    await page.getByText('Broadcast: what you type goes to 2 of 2 panes.').waitFor()
    await type('echo both-$((6*7))')
    await shows('both-42', 0)
    await shows('both-42', 1)
    expect((await screens())[1]).not.toContain('alone')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('repeats no answers of a terminal to its program', async () => {
    // Both ask where their cursor is, which they put into the corner; more than one answer would reach the shell.
    await type(`stty -echo raw; printf '\\033[H\\033[6n'; head -c 6 | od -c; stty sane; clear; echo asked-$((6*7))`)
    await shows('asked-42', 0)
    await shows('asked-42', 1)
    await type('echo clean-$((6*7))')
    await shows('clean-42', 0)
    await shows('clean-42', 1)
    for (const screen of await screens()) expect(screen).not.toMatch(/;1R/)
  })

  it('asks once about a paste, which goes to all', async () => {
    await copyToClipboard('echo pasted-$((6*7))')
    await page.keyboard.press('Control+Shift+V')
    await page.getByRole('dialog', { name: 'Paste into 2 panes?' }).waitFor()
    await page.getByRole('button', { name: 'Paste', exact: true }).click()
    await page.keyboard.press('Enter')
    await shows('pasted-42', 0)
    expect(await shows('pasted-42', 1)).toBe(true)
  })

  it('ends when a pane is added, and by its key', async () => {
    const stop = page.getByRole('button', { name: 'Stop broadcasting' })
    await page.keyboard.press('Control+Shift+E')
    await stop.waitFor({ state: 'detached' })
    await until('there are three terminals', async () => (await page.locator('.xterm').count()) === 3)
    await page.keyboard.press('Control+Shift+X')
    await until('there are two terminals', async () => (await page.locator('.xterm').count()) === 2)
    await keyboard().focus()
    await page.keyboard.press('Control+Shift+G')
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.keyboard.press('Control+Shift+G')
    await stop.waitFor({ state: 'detached' })
    await type('echo single-$((6*7))')
    await shows('single-42')
    expect((await screens()).filter((screen) => screen.includes('single-42'))).toHaveLength(1)
  })
})

describe('snippets', () => {
  it('are made, found and run without the mouse, and stay in this browser', async () => {
    await page.keyboard.press('Control+Shift+S')
    await page.getByRole('button', { name: 'New snippet' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('The answer')
    await page.getByLabel('Text', { exact: true }).fill('echo snippet-$((6*7))')
    await page.getByLabel('Run at once').check()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('option', { name: 'The answer' }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.press('Escape')
    await until('a terminal has the keyboard', async () => (await page.locator('.xterm textarea:focus').count()) === 1)
    await page.keyboard.press('Control+Shift+S')
    await page.getByRole('combobox', { name: 'Search snippets' }).fill('answer')
    await page.keyboard.press('Enter')
    expect(await shows('snippet-42')).toBe(true)
  })

  it('of several lines ask as a paste does', async () => {
    await type('clear; echo begun-$((6*7)); cat')
    await shows('begun-42')
    await page.keyboard.press('Control+Shift+S')
    await page.getByRole('button', { name: 'New snippet' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Two lines')
    await page.getByLabel('Text', { exact: true }).fill('line-one\nline-two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('option', { name: 'Two lines' }).click()
    await page.getByRole('dialog', { name: 'Paste 2 lines into bench-one?' }).waitFor()
    await page.keyboard.press('Escape')
    await type('nothing-before')
    await shows('nothing-before')
    expect(await page.locator('.xterm-accessibility').first().innerText()).not.toContain('line-one')
    await page.keyboard.press('Control+d')
  })
})

describe('snippets of the namespace', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Share a snippet' })

  it('are shared in the settings', async () => {
    await page.keyboard.press('Control+Shift+S')
    await page.getByRole('link', { name: 'Snippets of the namespace' }).click()
    await page.getByRole('button', { name: 'Share a snippet' }).click()
    await dialog().getByRole('textbox', { name: 'Name' }).fill('Everybody')
    const text = dialog().getByLabel('Text', { exact: true })
    const share = dialog().getByRole('button', { name: 'Share a snippet' })
    await text.fill('echo a\tb')
    await share.click()
    await dialog().getByText('Text must have visible characters, spaces and ends of lines only.').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await text.fill('echo shared-$((6*7))')
    await share.click()
    await page.getByRole('row').filter({ hasText: 'Everybody' }).getByText('by operator').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('are inserted without Enter, and changed nowhere else', async () => {
    await page.getByRole('link', { name: 'Terminal', exact: true }).click()
    await tab('bench-one, connected').waitFor()
    await keyboard().focus()
    await type('clear; echo begun-$((6*7))')
    await shows('begun-42')
    await page.keyboard.press('Control+Shift+S')
    await page.getByRole('combobox', { name: 'Search snippets' }).fill('everybody')
    await page.getByRole('option', { name: /shared by operator/ }).waitFor()
    expect(await page.getByRole('button', { name: /^(Edit|Remove) / }).count()).toBe(0)
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.press('Enter')
    await shows('echo shared-$((6*7))')
    expect(await page.locator('.xterm-accessibility').first().innerText()).not.toContain('shared-42')
    await page.keyboard.press('Enter')
    expect(await shows('shared-42')).toBe(true)
  })
})

describe('a reload of the page', () => {
  it('goes on with terminals also while another page is shown', async () => {
    await type(`kept=$((6*7)); clear; printf '\\033]0;at work\\007'; echo before-$kept`)
    await shows('before-42')
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    page.once('dialog', (dialog) => void dialog.accept())
    const resumes = page.waitForEvent('websocket', (socket) => socket.url().endsWith('/ws/terminal'))
    await page.reload()
    await resumes
    await page.getByRole('link', { name: 'Terminal', exact: true }).click()
    await tab('bench-one at work, connected').waitFor()
    await shows('before-42')
    await keyboard().focus()
    await type('echo same-shell-$kept')
    expect(await shows('same-shell-42')).toBe(true)
  })
})

it('logs no console errors', () => {
  expect(watched.complaints).toEqual([])
})
