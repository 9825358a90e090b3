// Somebody joins a terminal whose session another node has: each browser at a node of its own, the device at the third.
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../apps/server/src/cli/program.ts'
import { openSignedIn } from '../console/steps.ts'
import { type Agent, startAgent } from '../support/agent.ts'
import { type WatchedPage, launchBrowser, openPage } from '../support/browser.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { withoutSettings } from '../support/product.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
const ANA = { username: 'ana', password: 'another horse' }
const undo = cleanups()
let cluster: Cluster
let agent: Agent
let browser: Browser
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, c: cluster?.nodes[2]?.process }))

async function cli(...words: string[]): Promise<void> {
  const complaints: string[] = []
  const code = await runCommand(words, {
    env: { ...withoutSettings(process.env), ...cluster.settings(0) },
    read: () => Promise.resolve(''),
    print: () => undefined,
    complain: (line) => complaints.push(line),
  })
  if (code !== 0) throw new Error(`bowline ${words.join(' ')}: ${complaints.join('\n')}`)
}

/** A page at a node whose terminals can be read. */
async function pageAt(node: number): Promise<WatchedPage> {
  const watched = await openPage(browser, { baseURL: cluster.nodes[node]?.origin ?? '' })
  await watched.page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  return watched
}

function shows(page: Page, text: string): Promise<unknown> {
  const shown = page.locator('.xterm-accessibility')
  return until(`the terminal shows ${text}`, async () => (await shown.allTextContents()).join('\n').includes(text))
}

describe.skipIf(!postgresPrograms)('joining a terminal of another node (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(3)
    undo(() => cluster.remove())
    const [first, , holder] = cluster.nodes
    if (!first || !holder) throw new Error('there are no three nodes')
    agent = await startAgent(holder, 'greenhouse')
    undo(() => agent.remove())
    browser = await launchBrowser()
    undo(() => browser.close())
    const { call } = await first.client()
    const params = { tenant: TenantId.parse(first.tenant) }
    const { name } = (await call(operations.namespaces.get, { params })).body
    await cli('user', 'create', ANA.username, ANA.password, 'ana@example.com')
    await cli('namespace', 'member', 'add', ANA.username, name, 'observer')
  })

  it('shows both the same, takes the keys of both, and ends when the other node’s session does', async () => {
    const [owner, guest] = [await pageAt(0), await pageAt(1)]
    const { page } = owner
    await openSignedIn(page, OPERATOR, '/devices')
    await page.getByRole('button', { name: 'Connect to greenhouse' }).click()
    await page.getByLabel('User on the device').fill(userInfo().username)
    await page.getByLabel('Password on the device').fill(agent.target.password)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('tab', { name: 'greenhouse, connected' }).waitFor()
    await page.keyboard.type('printf "%s\\n" to""matoes\n')
    await shows(page, 'tomatoes')

    const client = await cluster.nodes[0]?.client()
    const sessions = await client?.call(operations.sessions.list, { query: {} })
    await openSignedIn(guest.page, ANA, `/sessions/${sessions?.body[0]?.uid}`)
    await guest.page.getByRole('button', { name: 'Ask to join' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await guest.page.getByText('Session of operator').waitFor()
    await shows(guest.page, 'tomatoes')
    await guest.page.locator('.xterm-helper-textarea').focus()
    await guest.page.keyboard.type('printf "%s\\n" cu""cumbers\n')
    await shows(page, 'cucumbers')
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type('printf "%s\\n" pep""pers\n')
    await shows(guest.page, 'peppers')
    await page.keyboard.type('exit\n')
    await guest.page.getByText('The session has ended.').first().waitFor()
    expect([...owner.complaints, ...guest.complaints]).toEqual([])
  })
})
