// The first factor of people without a password: the provider asks who they are before anything is added.
import { operations } from '@bowline/contract/operations'
import { freePort } from '@bowline/testkit/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onInstance } from '../../../apps/server/src/cli/instance.ts'
import { codeAt } from '../../../apps/server/src/mfa/testing.ts'
import {
  CLIENT,
  type TestOpenidProvider,
  startOpenidProvider,
} from '../../../apps/server/src/single-sign-on/openid/testing/provider.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
let idp: TestOpenidProvider
beforeAll(async () => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const env = {
    BOWLINE_HTTP_PORT: String(port),
    BOWLINE_PUBLIC_URL: origin,
    BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
  }
  ;[browser, server] = await Promise.all([launchBrowser(), startServer({ env })])
  const ada = { sub: 'ada-1', email: 'ada@example.org', email_verified: true, name: 'Ada' }
  idp = await startOpenidProvider(`${origin}/api/user/openid/callback`, ada)
  const body = { name: 'Directory', issuer: idp.issuer, ...CLIENT }
  await (await server.client()).call(operations.openid.add, { body })
})
afterAll(async () => {
  await browser.close()
  await server.remove()
  await idp.close()
})

/** Makes all sign-ins so old that none is a proof. */
async function ageSignIns(): Promise<void> {
  const at = new Date(Date.now() - 3_600_000)
  const terminal = {
    env: { BOWLINE_DATA_DIR: server.dataFolder },
    read: () => Promise.resolve(''),
    print: () => undefined,
    complain: (line: string) => expect.unreachable(line),
  }
  await onInstance(terminal, ({ system }) =>
    system.updateTable('sign_ins').set({ created_at: at, proven_at: at }).execute(),
  )
}

it('is added after a new sign-in at the provider, without a password', async () => {
  const baseURL = `http://localhost:${new URL(server.origin).port}`
  const { page, context, complaints } = await openPage(browser, { baseURL }, /status of 4(01|03|04)/)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with Directory' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /ada@example.org/ }).waitFor()
  await ageSignIns()

  await page.goto('/profile')
  await page.getByText('your account has no password').waitFor()
  expect(await page.getByRole('button', { name: 'Set a password' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const passkey = page.getByRole('dialog', { name: 'Add a passkey' })
  await passkey.getByRole('textbox', { name: 'Name' }).waitFor()
  expect(await passkey.getByLabel('Current password').count()).toBe(0)
  await page.keyboard.press('Escape')

  const add = page.getByRole('button', { name: 'Add an authenticator' })
  await add.click()
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const there = question.getByRole('button', { name: 'Sign in with Directory' })
  await there.waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await there.click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.waitForURL('**/profile')
  await add.click()
  const wizard = page.getByRole('dialog', { name: 'Add an authenticator' })
  const secret = (await wizard.locator('code').first().textContent()) ?? ''
  await wizard.getByLabel('Code').fill(codeAt(secret, Date.now()))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Save your recovery codes' }).getByRole('listitem').first().waitFor()
  expect(complaints).toEqual([])
  await context.close()
})
