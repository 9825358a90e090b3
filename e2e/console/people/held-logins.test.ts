// SSH logins that wait for their person, in the console on a real server: the settings, the note, the page.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { sshOptions } from '../../support/file-clients.ts'
import { registerKey } from '../../support/registered-key.ts'
import { type Client, type Server, startServer } from '../../support/server.ts'
import { type SshResult, finish } from '../../support/ssh.ts'
import { accessibilityViolations, eventually, openSignedIn } from '../steps.ts'

let browser: Browser
let server: Server
let agent: Agent
let client: Client
let folder: string
let keyFile: string
let keys = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-held-'))
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'guarded')
  client = await server.client()
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  keyFile = join(folder, `key-${(keys += 1)}`)
  await registerKey(client, keyFile, `laptop ${keys}`)
})

function ssh(): Promise<SshResult> {
  const { login, host } = agent.target
  const options = ['-o', 'BatchMode=yes', '-o', 'LogLevel=INFO', ...sshOptions({ ...agent.target, keyFile }, 'p')]
  const child = spawn('ssh', [...options, `${login}@${host}`, 'echo in'])
  child.stdin.end()
  return finish(child)
}

it('switches the second factor on, and names the service keys that pass', async () => {
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/settings')
  const params = { tenant: TenantId.parse(server.tenant) }
  const stored = async () => (await client.call(operations.namespaces.get, { params })).body.settings
  await page.getByRole('switch', { name: 'Require a second factor' }).click({ force: true })
  await eventually(async () => (await stored()).ssh_second_factor)
  const hours = page.getByRole('textbox', { name: 'Hours' })
  await hours.fill('1000')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText(/must be 1 to 168 hours/).waitFor()
  await hours.fill('6')
  // The button moves up when the error goes.
  await page.getByText(/must be 1 to 168 hours/).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save' }).first().click()
  await eventually(async () => (await stored()).ssh_second_factor_hours === 6)
  await page.getByRole('switch', { name: 'Exempt service keys' }).click({ force: true })
  await page.getByText('No service keys.').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await eventually(async () => (await stored()).ssh_second_factor_service_keys)
  expect(complaints).toEqual([])
  await context.close()
})

it.each(['light', 'dark'] as const)('leads from the note to a login and lets it in, %s', async (colorScheme) => {
  const viewport = { width: 390, height: 800 }
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin, colorScheme, viewport })
  await openSignedIn(page, server.account, '/profile')
  const result = ssh()
  await page.getByText('An SSH login waits for your approval').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('link', { name: /guarded from 127\.0\.0\.1, code/ }).click()
  await page.getByText(`laptop ${keys}`).waitFor()
  await page
    .getByText(/\d+ seconds/)
    .first()
    .waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.focus()
  await page.keyboard.press('Enter')
  await page.getByText('The login is approved.').waitFor()
  const { stdout, stderr } = await result
  expect(stdout.toString()).toBe('in\n')
  expect(stderr).toContain(new URL(page.url()).pathname)
  expect(await page.getByText('waits for your approval').count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

it('denies a login, and says when none waits under a code', async () => {
  const { page, context } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/')
  const result = ssh()
  await page.getByRole('link', { name: /guarded from 127\.0\.0\.1, code/ }).click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('The login was denied.').waitFor()
  expect((await result).stderr).toContain('the login was denied')
  await page.goto('/approve/BCDF-GHJK')
  await page.getByText('No pending login matches this code.').waitFor()
  await context.close()
})
