// Roles of a namespace on a real server: one person makes and gives them, another sees what they allow and what not.
import { operations } from '@bowline/contract/operations'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Client, type Server, startServer } from '../../support/server.ts'
import { addMember } from '../../support/members.ts'
import { until } from '../../support/wait.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

const MEMBER = { username: 'olga', password: 'operator-pass', email: 'olga@example.com' }
const CLEAN = { light: [], dark: [] }
let browser: Browser
let server: Server
let agents: Agent[]
let client: Client
let page: Page
/** On the page that the member has open. */
let openEdit: Locator
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agents = [await startAgent(server, 'kiosk-1'), await startAgent(server, 'press')]
  client = await server.client()
  await addMember(server, MEMBER, 'observer')
  const [kiosk] = agents
  if (kiosk)
    await client.call(operations.devices.setTags, { params: { uid: kiosk.device.uid }, body: { tags: ['kiosk'] } })
  ;({ page } = await openPage(browser, { baseURL: server.origin, viewport: { width: 1_280, height: 900 } }))
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/team')
})
afterAll(async () => {
  await browser.close()
  await Promise.all(agents.map((agent) => agent.remove()))
  await server.remove()
})

it('makes a role for devices with a tag', async () => {
  await page.getByRole('link', { name: 'Roles', exact: true }).click()
  await page.getByText('No roles yet').waitFor()
  await page.getByRole('button', { name: 'Add role' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a role' })
  await dialog.getByLabel('Name', { exact: true }).fill('Kiosk staff')
  await dialog.getByRole('button', { name: 'Add role' }).click()
  await dialog.getByText('must have at least one permission').waitFor()
  await dialog.getByLabel('Applies to').selectOption('Only devices with one of these tags')
  await dialog.getByLabel('Tags', { exact: true }).fill('kiosk')
  await dialog.getByLabel('Tags', { exact: true }).press('Enter')
  expect(await dialog.getByLabel('Read and export the audit log').isDisabled()).toBe(true)
  await dialog.getByLabel('Change devices: name, note, fields').check()
  await dialog.getByLabel('End sessions').check()
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Add role' }).click()
  await page.getByText('Role Kiosk staff added.').waitFor()
  const row = page.getByRole('row', { name: /Kiosk staff/ })
  expect(await row.innerText()).toContain('Change devices: name, note, fields · End sessions')
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
})

it('gives it to a member', async () => {
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('button', { name: `Additional roles of ${MEMBER.email}` }).click()
  const dialog = page.getByRole('dialog', { name: `Additional roles of ${MEMBER.email}` })
  await dialog.getByLabel('Kiosk staff').check()
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`The roles of ${MEMBER.email} were changed.`).waitFor()
  await page.getByRole('row', { name: MEMBER.email }).getByText('Kiosk staff').waitFor()
})

it('allows the member what it gives, on the devices that it is for', async () => {
  const theirs = await openPage(browser, { baseURL: server.origin, viewport: { width: 1_280, height: 900 } })
  await openSignedIn(theirs.page, MEMBER, `/devices/${agents[0]?.device.uid}`)
  await theirs.page.getByRole('heading', { name: 'kiosk-1' }).first().waitFor()
  await theirs.page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = theirs.page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('kiosk-2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await theirs.page.getByRole('heading', { name: 'kiosk-2' }).first().waitFor()
  await theirs.page.goto(`/devices/${agents[1]?.device.uid}`)
  await theirs.page.getByRole('heading', { name: 'press' }).first().waitFor()
  const edit = theirs.page.getByRole('button', { name: 'Edit', exact: true })
  expect(await edit.getAttribute('aria-disabled')).toBe('true')
  await theirs.page.goto(`/devices/${agents[0]?.device.uid}`)
  await theirs.page.getByRole('heading', { name: 'kiosk-2' }).first().waitFor()
  expect(await edit.getAttribute('aria-disabled')).not.toBe('true')
  openEdit = edit
})

it('removes the role, and with it what it gave, in the open page of the member too', async () => {
  await page.getByRole('link', { name: 'Roles', exact: true }).click()
  await page.getByRole('button', { name: 'Remove role Kiosk staff' }).click()
  const question = page.getByRole('dialog', { name: 'Remove role Kiosk staff?' })
  await question.getByText('1 member loses its permissions at once.').waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Role Kiosk staff removed.').waitFor()
  await page.getByText('No roles yet').waitFor()
  expect((await client.call(operations.roles.list, {})).body).toEqual([])
  await until('their button follows', async () => (await openEdit.getAttribute('aria-disabled')) === 'true')
})
