// Nodes of the server in the console, for its administrators.
import type { ServerNode } from '@bowline/contract/operations/instance'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type FakeBackend, startFakeBackend } from '../backend.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(), startFakeBackend()])
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})

const ANSWERING: ServerNode = {
  id: 'node-of-the-first-rack',
  address: '10.0.0.11:4430',
  version: 'v0.1.0',
  state: 'alive',
  started_at: '2026-11-20T08:00:00.000Z',
  heartbeat_at: '2026-11-24T09:00:00.000Z',
  links: 5_012,
  sessions: 31,
  is_this: true,
}
const LOST: ServerNode = {
  ...ANSWERING,
  id: 'node-of-the-second-rack',
  address: '10.0.0.12:4430',
  state: 'lost',
  is_this: false,
}

// Against the fake server: the real one would have to lose a node.
it('shows an administrator each node, what it carries, and which was lost', async () => {
  const { state } = backend.fake
  if (state.user) state.user.instanceAdmin = true
  state.nodes = [ANSWERING, LOST]
  const { page, complaints, context } = await openPage(browser, { baseURL: backend.origin })
  await openSignedIn(page, backend, '/tags')
  await page.getByRole('navigation').getByRole('link', { name: 'Nodes', exact: true }).click()
  const answering = page.getByRole('region', { name: ANSWERING.id })
  await answering.getByText('You are connected to this node.').waitFor()
  await answering.getByText('10.0.0.11:4430').waitFor()
  expect(await answering.getByText('The node was lost').count()).toBe(0)
  const lost = page.getByRole('region', { name: LOST.id })
  await lost.getByText('The node was lost').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.setViewportSize({ width: 390, height: 844 })
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(await overflow()).toBeLessThanOrEqual(0)
  expect(complaints).toEqual([])
  await context.close()
})

it('says whose page it is to everybody else, and shows no way to it', async () => {
  const { user } = backend.fake.state
  if (user) user.instanceAdmin = false
  const { page, complaints, context } = await openPage(browser, { baseURL: backend.origin })
  await openSignedIn(page, backend, '/instance/nodes')
  await page.getByText('Only administrators of this server can manage its nodes').waitFor()
  expect(await page.getByRole('link', { name: 'Nodes', exact: true }).count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})
