// A newcomer's path through the console on the product itself, entirely in the browser: sign in, turn recording on, add
// a device, accept it, connect, type, leave, play the recording, and find it by its words.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from '../support/agent.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { type Client, type Server, startServer } from '../support/server.ts'
import { eventually, openSignedIn } from './steps.ts'

let browser: Browser
let server: Server
let agent: Agent | undefined
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await agent?.remove()
  await server.remove()
})

it('leads from the sign-in to a device, its terminal, its recording and the search in it', async () => {
  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  // Before any page loads: the console loads its terminals, and their settings, while idle.
  await page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/settings')
  const record = page.getByRole('switch', { name: 'Record sessions' })
  if (!(await record.isChecked())) await record.click({ force: true })
  const { call } = await server.client()
  const policy = { params: { tenant: server.tenant } }
  await eventually(async () => (await call(operations.namespaces.get, policy)).body.settings.session_record)

  await page.getByRole('link', { name: /^Devices/ }).click()
  await page.getByRole('button', { name: 'Add device' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a device' })
  const acceptHere = async (client: Client, name: string) => {
    await dialog.getByRole('button', { name: `Accept ${name}` }).click()
    await dialog.getByText(`${name} is connected`).waitFor()
    const { body } = await client.call(operations.devices.list, { query: {} })
    const device = body.find((one) => one.name === name)
    if (!device) throw new Error(`${name} is not accepted`)
    return untilOnline(client, device.uid)
  }
  agent = await startAgent(server, 'greenhouse', acceptHere)

  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(agent.target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
  await page.keyboard.type('echo tomatoes-$((6*7))\n')
  await page.locator('.xterm-accessibility').filter({ hasText: 'tomatoes-42' }).waitFor()
  await page.keyboard.type('exit\n')
  await page.getByText('The shell ended').waitFor()

  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  await page.locator('a[href*="/play/0"]').first().click()
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Text' }).click()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.getByRole('log', { name: 'Screen of the recording' }).filter({ hasText: 'tomatoes-42' }).waitFor()

  // Recordings are indexed for search in the background, soon after they end.
  const params = { uid: (await call(operations.sessions.list, { query: {} })).body[0]?.uid ?? '', seat: '0' }
  await eventually(async () => (await call(operations.sessions.getRecordIndex, { params })).body.indexed)
  await page.getByRole('link', { name: 'Recordings', exact: true }).click()
  await page.getByRole('searchbox', { name: /Search commands and output/ }).fill('tomatoes-42')
  await page
    .getByRole('link', { name: /tomatoes-42/ })
    .first()
    .click()
  await page.getByText('Recording of').first().waitFor()
  expect(complaints).toEqual([])
})
