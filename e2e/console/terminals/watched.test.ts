// A person whose terminal somebody watches is told: in the terminal, while it lasts, and afterwards in the session. Whoever
// watches can end it.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { addMember } from '../../support/members.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { eventually, hasFocus, openSignedIn } from '../steps.ts'

const OBSERVER = { username: 'olga', email: 'olga@example.com', password: 'correct staple' }
const OPERATOR = { username: 'operator', password: 'correct horse' }

let browser: Browser
let server: Server
let agent: Agent
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'greenhouse')
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
})

async function connect(page: Page): Promise<void> {
  await openSignedIn(page, OPERATOR, '/devices')
  await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
}

it('shows who watches a terminal, in it and on the pages of its session', async () => {
  const { call } = await server.client()
  const policy = { params: { tenant: server.tenant } }
  await call(operations.namespaces.update, { ...policy, body: { settings: { session_record: true } } })
  const [person, watcher] = await Promise.all([
    openPage(browser, { baseURL: server.origin }),
    openPage(browser, { baseURL: server.origin }),
  ])
  const { page } = person
  await connect(page)
  await page.keyboard.type('echo tomatoes\n')
  expect(await page.getByText('Watched by').count()).toBe(0)

  await openSignedIn(watcher.page, OPERATOR, '/sessions')
  await watcher.page
    .getByRole('link', { name: `Watch the session of ${userInfo().username}@greenhouse` })
    .first()
    .click()
  await watcher.page.getByText('Watched by operator').waitFor()
  await page.getByText('Watched by operator').waitFor()

  await watcher.page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
  await watcher.page.getByRole('img', { name: 'Watched by operator' }).waitFor()
  await page.getByText('Watched by operator').waitFor({ state: 'detached', timeout: 60_000 })
  await watcher.page.getByRole('img', { name: 'Watched by operator' }).waitFor({ state: 'detached' })
  const [session] = (await call(operations.sessions.list, { query: {} })).body
  await watcher.page.goto(`/sessions/${session?.uid}`)
  const timeline = watcher.page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Watching started').waitFor()
  await timeline.getByText('Watching ended').waitFor()
  await eventually(async () => {
    const { body } = await call(operations.audit.list, { query: {} })
    return body.some(({ action }) => action === 'recording.watch')
  })
  expect([...person.complaints, ...watcher.complaints]).toEqual([])
})

it('ends a session from where it is watched, which then plays its recording', async () => {
  const { call } = await server.client()
  const [person, watcher] = await Promise.all([
    openPage(browser, { baseURL: server.origin }),
    openPage(browser, { baseURL: server.origin }),
  ])
  const list = async () => (await call(operations.sessions.list, { query: {} })).body
  const earlier = new Set((await list()).map(({ uid }) => uid))
  await connect(person.page)
  const running = await until('the session is recorded', async () =>
    (await list()).find(({ uid, active, recorded }) => active && recorded && !earlier.has(uid)),
  )
  const { page } = watcher
  await openSignedIn(page, OPERATOR, '/sessions')
  const row = page.getByRole('row').locator(`a[href$="/sessions/${running.uid}"]`)
  await row.focus()
  await page.keyboard.press('Shift+E')
  const question = page.getByRole('dialog', { name: `End the session of ${userInfo().username}@greenhouse?` })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  await eventually(() => hasFocus(row))
  await page.goto(`/sessions/${running.uid}/play/0`)
  const live = `Live: ${userInfo().username} on greenhouse`
  await page.getByRole('heading', { level: 1, name: live }).waitFor()
  expect(await page.title()).toMatch(new RegExp(`^${live}`))
  await page.getByText('Watched by operator').waitFor()
  await page.getByRole('tab', { name: 'Text' }).click()
  await person.page.keyboard.type('echo pumpkin$((6*7))\n')
  const screen = page.getByRole('log', { name: 'Screen of the recording' })
  await screen.filter({ hasText: 'pumpkin42' }).waitFor()

  await page.keyboard.press('Shift+E')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  // The picture of the last moment: a replaced player would have another element, and an empty one in between.
  await page.evaluate(`
    window.player = document.querySelector('figure')
    window.shown = []
    const look = () => {
      window.shown.push(document.querySelector('[role=log]')?.textContent.includes('pumpkin42') === true)
      requestAnimationFrame(look)
    }
    look()
  `)
  await page.getByRole('button', { name: 'End session' }).click()
  await question.getByRole('button', { name: 'End session' }).click()
  await page.getByRole('heading', { level: 1, name: `Recording of ${userInfo().username}@greenhouse` }).waitFor()
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Play again' }).waitFor()
  expect(await page.getByRole('button', { name: 'End session' }).count()).toBe(0)
  expect(await page.evaluate(`document.querySelector('figure') === window.player`)).toBe(true)
  expect(await page.evaluate(`window.shown.every(Boolean)`)).toBe(true)
  await person.page.getByText('The session has ended').waitFor()
  expect([...person.complaints, ...watcher.complaints]).toEqual([])
})

it('says to an observer what their role does not allow, instead of asking the server for it', async () => {
  await addMember(server, OBSERVER, 'observer')
  const [person, observer] = await Promise.all([
    openPage(browser, { baseURL: server.origin }),
    openPage(browser, { baseURL: server.origin }),
  ])
  await connect(person.page)
  const { call } = await server.client()
  const [session] = (await call(operations.sessions.list, { query: {} })).body
  const { page } = observer
  await openSignedIn(page, OBSERVER, `/sessions/${session?.uid}/play/0`)
  await page.getByRole('heading', { name: `Live: ${userInfo().username} on greenhouse` }).waitFor()
  await page.getByRole('heading', { name: 'You cannot watch this session' }).waitFor()
  const end = page.getByRole('button', { name: 'End session' })
  expect(await end.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('link', { name: 'Settings', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Audit log', exact: true }).count()).toBe(0)
  expect(observer.complaints).toEqual([])
  await Promise.all([person, observer].map(({ context }) => context.close()))
})
