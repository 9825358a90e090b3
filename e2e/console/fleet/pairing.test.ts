// A device that shows a code: a real agent without a namespace, added in the console by keyboard, online, and still in its
// namespace after a restart.
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import type { Running } from '../../support/running.ts'
import { type Client, type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { eventually, openSignedIn } from '../steps.ts'

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

/** What the agent shows in its log. */
const shown = (process: Running) =>
  until('the agent shows a code', async () => {
    const [, code = '', fingerprint = ''] =
      /"ev":"pairing\.code".*"code":"([A-Z]{4}-[A-Z]{4})","fingerprint":"([^"]+)"/.exec(process.output()) ?? []
    return code !== '' && { code, fingerprint }
  })

it('is added in the console by its code, connects, and needs no code after a restart', async () => {
  // The wrong code is answered so.
  const { page, complaints } = await openPage(browser, { baseURL: server.origin }, /status of 4(01|04|29)/)
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/devices?add=code')
  const dialog = page.getByRole('dialog', { name: 'Add a device' })
  const pairHere = async (client: Client, name: string, process: Running) => {
    const { code, fingerprint } = await shown(process)
    await dialog.getByLabel('Device code').fill('BBBB-BBBB')
    await page.keyboard.press('Enter')
    await dialog.getByText('is unknown or has expired').waitFor()
    await dialog.getByLabel('Device code').fill(code.toLowerCase())
    await page.keyboard.press('Enter')
    const card = dialog.getByRole('region', { name: `Is ${name} your device?` })
    await card.getByText(fingerprint).waitFor()
    const { body: before } = await client.call(operations.devices.list, { query: {} })
    expect(before).toEqual([])
    // The card has the focus; its first stop is the name.
    await page.keyboard.press('Tab')
    expect(await card.getByLabel('Name').inputValue()).toBe(name)
    await page.keyboard.press('Enter')
    await dialog.getByText(`${name} is connected`).waitFor()
    const { body } = await client.call(operations.devices.list, { query: {} })
    const device = body.find((one) => one.name === name)
    if (!device) throw new Error(`${name} is not accepted`)
    return untilOnline(client, device.uid)
  }
  agent = await startAgent(server, 'lighthouse', pairHere, { BOWLINE_TENANT_ID: '' })
  const { device } = agent

  await agent.process.end()
  const client = await server.client()
  const isOnline = async () => (await client.call(operations.devices.get, { params: { uid: device.uid } })).body.online
  await eventually(async () => !(await isOnline()))
  agent.start()
  await untilOnline(client, device.uid)
  expect(agent.process.output()).not.toContain('pairing.')
  expect(complaints).toEqual([])
})
