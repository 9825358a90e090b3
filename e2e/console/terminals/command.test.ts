// A command on several devices from their list: one sign-in, results that are the same together, failures tried again.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { registerKey } from '../../support/registered-key.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { openSignedIn, savedFile, violationsInBothThemes } from '../steps.ts'

const NAMES = ['bench-one', 'bench-two', 'bench-three']
const CLEAN = { light: [], dark: [] }
let browser: Browser
let server: Server
let agents: Agent[]
let page: Page
let folder: string
let key: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-command-'))
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agents = await Promise.all(NAMES.map((name) => startAgent(server, name)))
  await registerKey(await server.client(), join(folder, 'key'), 'laptop')
  key = readFileSync(join(folder, 'key'), 'utf8')
  ;({ page } = await openPage(browser, { baseURL: server.origin, viewport: { width: 1280, height: 900 } }))
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/devices')
})
afterAll(async () => {
  await browser.close()
  await Promise.all(agents.map((agent) => agent.remove()))
  await server.remove()
  rmSync(folder, { recursive: true })
})

const dialog = (): Locator => page.getByRole('dialog', { name: 'Run a command on 3 devices' })

async function openDialog(): Promise<void> {
  for (const name of NAMES) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Run a command' }).click()
  await dialog().waitFor()
}

it('asks for the command before anything runs', async () => {
  await openDialog()
  await dialog().getByLabel('User on the device').fill(userInfo().username)
  await dialog().getByLabel('Private key', { exact: true }).check()
  await dialog().getByLabel('Private key in OpenSSH format').fill(key)
  await dialog().getByRole('button', { name: 'Run', exact: true }).click()
  await dialog().getByText('Enter a command.').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
})

it('runs on each, and shows what is the same together, failures first', async () => {
  const command = 'if mkdir "$0.lock" 2>/dev/null; then echo the first >&2; exit 3; else echo another; fi'
  await dialog()
    .getByLabel('Command')
    .fill(command.replaceAll('$0', join(folder, 'one')))
  await dialog().getByRole('button', { name: 'Run', exact: true }).click()
  await dialog().getByText('Succeeded on 2 of 3 devices.').waitFor()
  const groups = dialog().getByRole('list', { name: 'Results, identical ones grouped' }).getByRole('listitem')
  expect((await groups.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
    expect.stringContaining('1 device'),
    expect.stringContaining('2 devices'),
  ])
  // The open group has its output below, not in its heading as well.
  expect((await groups.first().innerText()).split('the first')).toHaveLength(2)
  expect(await dialog().getByRole('progressbar').getAttribute('data-tone')).toBe('mixed')
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
})

it('saves the results, and runs again on those that failed', async () => {
  const { name, lines } = await savedFile(page, () => dialog().getByRole('button', { name: 'Export CSV' }).click())
  expect([name, lines[0]]).toEqual(['command.csv', '"device","uid","outcome","status","milliseconds","output"'])
  expect(lines.filter((line) => line.includes('"exited","0"'))).toHaveLength(2)
  await dialog().getByRole('button', { name: 'Run again on 1 failed device' }).click()
  await dialog().getByText('Succeeded on 1 of 1 device.').waitFor()
  await dialog().getByRole('button', { name: 'Close', exact: true }).click()
  await dialog().waitFor({ state: 'detached' })
})

it('is a session of each device, with its command', async () => {
  const api = await server.client()
  const { body } = await api.call(operations.sessions.list, { query: {} })
  expect(body).toHaveLength(4)
  expect(body.map(({ active, username }) => [active, username])).toEqual(
    Array.from({ length: 4 }, () => [false, userInfo().username]),
  )
})

it('tries a password that the first device refuses on no other', async () => {
  await openDialog()
  await dialog().getByLabel('Command').fill('true')
  await dialog().getByLabel('Password', { exact: true }).check()
  await dialog().getByLabel('Password on the device').fill('wrong')
  await dialog().getByRole('button', { name: 'Run', exact: true }).click()
  await dialog().getByText('so it was not tried on the others').waitFor()
  const api = await server.client()
  const { body } = await api.call(operations.sessions.list, { query: {} })
  expect(body.filter(({ authenticated }) => !authenticated)).toHaveLength(1)
  await dialog().getByRole('button', { name: 'Another command' }).click()
  expect(await dialog().getByLabel('Command').inputValue()).toBe('true')
})

it('asks what is stopped to end', async () => {
  const [begun, over] = [join(folder, 'begun'), join(folder, 'over')]
  const command = `trap 'echo ending; touch ${over}; exit' TERM; touch ${begun}; while :; do sleep 0.1; done`
  await dialog().getByLabel('Command').fill(command)
  await dialog().getByLabel('Private key', { exact: true }).check()
  await dialog().getByRole('button', { name: 'Run', exact: true }).click()
  await until('it runs', () => existsSync(begun))
  await dialog().getByRole('button', { name: 'Stop' }).click()
  await dialog().getByText('Succeeded on 0 of 3 devices.').waitFor()
  expect(
    await dialog()
      .getByRole('button', { name: /^Run again/ })
      .count(),
  ).toBe(0)
  expect(await until('the device has ended it', () => existsSync(over))).toBe(true)
})
