// Two people in one terminal: one asks, the other lets her in, both type, and she is removed again.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../../../apps/server/src/cli/program.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { withoutSettings } from '../../support/product.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
const ANA = { username: 'ana', password: 'another horse' }
const READABLE = `localStorage.setItem('bowline.terminal', '{"screenReader":true}')`
const CLEAN = { light: [], dark: [] }

let browser: Browser
let server: Server
let agent: Agent
let owner: WatchedPage
let guest: WatchedPage
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'greenhouse')
  const params = { tenant: TenantId.parse(server.tenant) }
  const { call } = await server.client()
  const { name } = (await call(operations.namespaces.update, { params, body: { settings: { session_record: true } } }))
    .body
  await cli('user', 'create', ANA.username, ANA.password, 'ana@example.com')
  await cli('namespace', 'member', 'add', ANA.username, name, 'administrator')
  owner = await openPage(browser, { baseURL: server.origin, viewport: { width: 1400, height: 900 } })
  guest = await openPage(browser, { baseURL: server.origin, viewport: { width: 900, height: 700 } })
  for (const { page } of [owner, guest]) await page.addInitScript(READABLE)
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
})

async function cli(...words: string[]): Promise<void> {
  const complaints: string[] = []
  const code = await runCommand(words, {
    env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: server.dataFolder },
    read: () => Promise.resolve(''),
    print: () => undefined,
    complain: (line) => complaints.push(line),
  })
  if (code !== 0) throw new Error(`bowline ${words.join(' ')}: ${complaints.join('\n')}`)
}

function shows(page: Page, text: string): Promise<unknown> {
  const shown = page.locator('.xterm-accessibility')
  return until(`the terminal shows ${text}`, async () => (await shown.allTextContents()).join('\n').includes(text))
}

it('lets somebody type in a terminal after consent, until its person removes her', async () => {
  const { page } = owner
  await openSignedIn(page, OPERATOR, '/devices')
  await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  await page.keyboard.type('printf "%s\\n" to""matoes\n')
  await shows(page, 'tomatoes')

  await openSignedIn(guest.page, ANA, '/sessions')
  await guest.page.locator('a[href*="/play/0"]').first().click()
  await guest.page.getByRole('button', { name: 'Ask to join' }).click()
  await guest.page.getByText('The person in the session is asked to let you in.').waitFor()
  const question = page.getByRole('alert').filter({ hasText: 'ana wants to type in this session.' })
  await question.waitFor()
  // Typing answers nothing.
  await page.keyboard.type('stty size\n')
  expect(await question.count()).toBe(1)
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  await question.getByRole('button', { name: 'Allow' }).click()

  await guest.page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  await guest.page.getByText('Session of operator').waitFor()
  // What was on the screen before.
  await shows(guest.page, 'tomatoes')
  await guest.page.locator('.xterm-helper-textarea').focus()
  await guest.page.keyboard.type('printf "%s\\n" cu""cumbers\n')
  await page.getByText('ana types').waitFor()
  await shows(page, 'cucumbers')
  await page.keyboard.type('printf "%s\\n" pep""pers\n')
  await shows(guest.page, 'peppers')
  expect(await violationsInBothThemes(guest.page)).toEqual(CLEAN)
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)

  // A smaller window changes nothing for either: the size is the owner's.
  const rows = page.locator('.xterm-accessibility-tree > div')
  const count = await rows.count()
  await until('both have as many rows', async () => {
    return (await guest.page.locator('.xterm-accessibility-tree > div').count()) === count
  })

  // Loading the page anew goes on with it.
  await guest.page.reload()
  await guest.page.getByText('Session of operator').waitFor()
  await guest.page.locator('.xterm-helper-textarea').focus()
  await guest.page.keyboard.type('printf "%s\\n" rad""ishes\n')
  await shows(page, 'radishes')

  await page.getByRole('button', { name: 'Remove ana' }).click()
  await guest.page.getByText('The person in the session has removed you.').waitFor()
  await page.getByRole('list', { name: 'People in this session' }).waitFor({ state: 'detached' })
  await guest.page.getByRole('button', { name: 'Ask again' }).click()
  await question.getByRole('button', { name: 'Deny' }).click()
  await guest.page.getByText('The person in the session denied your request.').waitFor()

  await page.keyboard.type('exit\n')
  const { call, open } = await server.client()
  const [{ uid } = { uid: undefined }] = (await call(operations.sessions.list, { query: {} })).body
  if (!uid) throw new Error('there is no session')
  await page.goto(`/sessions/${uid}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  for (const sentence of ['Asked to join', 'Joined', 'Typed', 'Joining ended', 'Not let in']) {
    await timeline.getByText(sentence).first().waitFor()
  }
  const query = { format: 'cast3' } as const
  const cast = await open(operations.sessions.getRecord, { params: { uid, seat: '0' }, query })
  expect(await cast.text()).toContain('"ana has joined"')
  expect([...owner.complaints, ...guest.complaints]).toEqual([])
})
