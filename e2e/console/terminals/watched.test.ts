// A person whose terminal somebody watches is told: in the terminal, while it lasts, and afterwards in the session.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { eventually, openSignedIn } from '../steps.ts'

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

it('shows who watches a terminal, in it and on the pages of its session', async () => {
  const { call } = await server.client()
  const policy = { params: { tenant: server.tenant } }
  await call(operations.namespaces.update, { ...policy, body: { settings: { session_record: true } } })
  const [person, watcher] = await Promise.all([
    openPage(browser, { baseURL: server.origin }),
    openPage(browser, { baseURL: server.origin }),
  ])
  const { page } = person
  await openSignedIn(page, OPERATOR, '/devices')
  await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
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
