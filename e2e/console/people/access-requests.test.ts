// Access requests on a real server: one person is refused by ssh and asks in the console, another decides there.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { sshOptions } from '../../support/file-clients.ts'
import { addMember } from '../../support/members.ts'
import { newestSession } from '../../support/newest-session.ts'
import { registerKey } from '../../support/registered-key.ts'
import { type Client, type Server, startServer } from '../../support/server.ts'
import { type SshResult, finish } from '../../support/ssh.ts'
import { until } from '../../support/wait.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

const MEMBER = { username: 'olga', password: 'operator-pass', email: 'olga@example.com' }

let browser: Browser
let server: Server
let agent: Agent
let client: Client
let folder: string
let keyFile: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-access-'))
  keyFile = join(folder, 'key')
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'press')
  client = await server.client()
  await addMember(server, MEMBER, 'operator')
  const { body: again } = await client.call(operations.namespaces.list, {})
  const member = again[0]?.members.find(({ email }) => email === MEMBER.email)
  await registerKey(client, keyFile, 'laptop of olga', member?.id)
  const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: '.*' }
  await client.call(operations.firewall.create, { body: { ...rule, filter: { hostname: '.*' } } })
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts ssh as the member; its standard input stays open. */
function startAsMember(command: string) {
  const { login, host } = agent.target
  const options = ['-o', 'BatchMode=yes', '-o', 'LogLevel=INFO', ...sshOptions({ ...agent.target, keyFile }, 'p')]
  return spawn('ssh', [...options, `${login}@${host}`, command])
}

function sshAsMember(): Promise<SshResult> {
  const child = startAsMember('echo in')
  child.stdin.end()
  return finish(child)
}

async function shot(page: Page, name: string): Promise<void> {
  const to = process.env['ACCESS_SHOTS']
  if (to !== undefined) await page.screenshot({ path: join(to, `${name}.png`), fullPage: true })
}

const account = () => agent.target.login.split('@', 1)[0] ?? ''

it('lets somebody in whom the firewall refuses, for as long as another person approves it', async () => {
  const refused = await sshAsMember()
  expect(refused.code).toBe(255)
  const link = /Request access: (\S+)/.exec(refused.stderr)?.[1] ?? ''
  expect(new URL(link).pathname + new URL(link).search).toBe(`/access-requests?device=${agent.device.uid}`)

  // The member asks, from where ssh has sent them.
  const asking = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(asking.page, MEMBER, new URL(link).pathname + new URL(link).search)
  const dialog = asking.page.getByRole('dialog', { name: 'Request access to press' })
  await dialog.getByRole('button', { name: 'Request access' }).click()
  await dialog.getByText('Accounts on the device must have at least one account.').waitFor()
  await dialog.getByText('Reason is required.').waitFor()
  await dialog.getByLabel('Accounts on the device').fill(`${account()}, kiosk`)
  await dialog.getByLabel('For how long').selectOption({ label: '30 minutes' })
  await dialog.getByLabel('Reason').fill('The press is stuck, ticket 4711')
  await shot(asking.page, 'ask')
  expect(await violationsInBothThemes(asking.page)).toEqual({ light: [], dark: [] })
  await dialog.getByRole('button', { name: 'Request access' }).click()
  await asking.page.getByText('The press is stuck, ticket 4711').waitFor()
  expect((await sshAsMember()).code).toBe(255)

  // Somebody else is told, and decides by keyboard.
  const deciding = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(deciding.page, server.account, '/')
  await deciding.page.getByRole('button', { name: /1 access request/ }).click()
  const told = deciding.page.getByRole('link', { name: 'olga requests access to press' })
  await told.waitFor()
  await shot(deciding.page, 'bell')
  await told.click()
  const approve = deciding.page.getByRole('button', { name: 'Approve the request of olga for press' })
  await approve.waitFor()
  expect(await violationsInBothThemes(deciding.page)).toEqual({ light: [], dark: [] })
  await shot(deciding.page, 'pending')
  await approve.focus()
  await deciding.page.keyboard.press('Enter')
  const decision = deciding.page.getByRole('dialog', { name: 'Approve access for olga?' })
  await decision.getByText('The press is stuck, ticket 4711').waitFor()
  await decision.getByLabel('For how long').selectOption({ label: '15 minutes' })
  expect(await violationsInBothThemes(deciding.page)).toEqual({ light: [], dark: [] })
  await shot(deciding.page, 'approve')
  await decision.getByRole('button', { name: 'Approve' }).click()
  await deciding.page.getByText('olga has access now.').waitFor()

  // The page of the member follows without being loaded again.
  await asking.page.getByText('No pending requests').waitFor()
  await asking.page.getByRole('link', { name: 'Active', exact: true }).click()
  await asking.page.getByText(/\d+ min .*left/).waitFor()
  await shot(asking.page, 'active')
  expect(await violationsInBothThemes(asking.page)).toEqual({ light: [], dark: [] })
  const admitted = await sshAsMember()
  expect([admitted.stdout.toString(), admitted.code]).toEqual(['in\n', 0])

  // Its early end closes the session, with a reason that the person reads.
  const running = startAsMember('echo ready; exec cat')
  let output = ''
  running.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = finish(running)
  await until('the session runs', () => output.includes('ready'))
  await deciding.page.getByRole('link', { name: 'Active', exact: true }).click()
  await deciding.page.getByRole('button', { name: 'End access of olga to press' }).click()
  await deciding.page.getByRole('dialog').getByRole('button', { name: 'End access' }).click()
  const { stderr, code } = await ended
  expect([code, stderr]).toEqual([255, expect.stringContaining('The approved access has been ended early.')])
  const closed = await until('the session is closed', async () => (await newestSession(client))?.closed ?? undefined)
  expect(closed).toMatchObject({ by: 'policy', reason: 'access-ended' })
  expect((await sshAsMember()).code).toBe(255)
  await asking.page.getByRole('link', { name: 'Past', exact: true }).click()
  await asking.page.getByText('Ended early').waitFor()
  await shot(asking.page, 'past')
  expect([...asking.complaints, ...deciding.complaints]).toEqual([])
  await asking.context.close()
  await deciding.context.close()
})

it('shows a denial with its note, and lets nobody decide their own request', async () => {
  const tagged = { params: { uid: agent.device.uid }, body: { tags: ['print'] } }
  await client.call(operations.devices.setTags, tagged)
  const viewport = { width: 390, height: 800 }
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin, viewport })
  await openSignedIn(page, MEMBER, '/access-requests')
  await page.getByRole('button', { name: 'Request access by tag' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tag').selectOption('print')
  await dialog.getByLabel('Accounts on the device').fill('root')
  await dialog.getByLabel('Reason').fill('Paper')
  await dialog.getByRole('button', { name: 'Request access' }).click()
  await page.getByText('all devices with the tag print').waitFor()
  const [request] = (await client.call(operations.accessRequests.list, { query: { state: 'pending' } })).body
  await client.call(operations.accessRequests.deny, {
    params: { id: request?.id ?? '' },
    body: { note: 'Ask the printers' },
  })
  await page.getByRole('link', { name: 'Past', exact: true }).click()
  await page.getByText('“Ask the printers”').waitFor()
  await shot(page, 'phone')
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await context.close()

  const own = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(own.page, server.account, `/devices/${agent.device.uid}`)
  await own.page.getByRole('link', { name: 'Request access' }).click()
  const mine = own.page.getByRole('dialog')
  await mine.getByLabel('Accounts on the device').fill('root')
  await mine.getByLabel('Reason').fill('Mine')
  await mine.getByRole('button', { name: 'Request access' }).click()
  const approve = own.page.getByRole('button', { name: 'Approve the request of operator for press' })
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await own.page.getByRole('button', { name: 'Withdraw the request for press' }).click()
  await own.page.getByText('Request withdrawn.').waitFor()
  await own.page.goto('/settings')
  await own.page.getByText('Only one person here can approve requests').waitFor()
  await shot(own.page, 'settings')
  expect([...complaints, ...own.complaints]).toEqual([])
  await own.context.close()
})
