// The console on the product itself: what `npm start` prints signs in, shows the device online and its sessions as they
// happen; another device registers, is accepted, rejected, removed.
import { generateKeyPairSync } from 'node:crypto'
import { userInfo } from 'node:os'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../support/browser.ts'
import { type Product, startProduct } from '../support/product.ts'
import { startEcho } from '../support/ssh.ts'
import { accessibilityViolations, liveMark, openSignedIn, rowOf, signIn } from './steps.ts'

let browser: Browser
let product: Product
let watched: WatchedPage
let page: Page
let deviceName = ''

beforeAll(async () => {
  ;[browser, product] = await Promise.all([launchBrowser(), startProduct()])
  deviceName = product.sshid.slice(product.sshid.indexOf('.') + 1)
  watched = await openPage(browser, { baseURL: product.console })
  page = watched.page
  await openSignedIn(page, product, '/')
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

describe('the console of the product', () => {
  it('tells wrong credentials at the field', async () => {
    const stranger = await openPage(browser, { baseURL: product.console })
    await stranger.page.goto('/')
    await signIn(stranger.page, { username: product.username, password: 'wrong' })
    await stranger.page.getByText('The username or password is wrong.').waitFor()
    expect(stranger.complaints).toEqual([])
    await stranger.context.close()
  })

  it('shows the device of this machine online, with the ssh command that npm start prints', async () => {
    await rowOf(page, deviceName).getByText('Online').waitFor()
    await rowOf(page, deviceName)
      .getByRole('button', { name: /^User name/ })
      .click()
    await page.getByLabel('User name for SSH').fill(userInfo().username)
    await page.keyboard.press('Enter')
    expect(await rowOf(page, deviceName).locator('code').textContent()).toBe(product.ssh_command)
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('shows what the device is, and the fingerprint of its key', async () => {
    await page.getByRole('link', { name: deviceName, exact: true }).click()
    await page.getByRole('heading', { name: deviceName }).waitFor()
    await page.getByText(/^SHA256:[\w+/]{43}$/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('shows a session while it runs and why it ended', async () => {
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByText('No sessions yet').waitFor()
    const login = `${userInfo().username}@${product.sshid}`
    const session = await startEcho({ ...product.ssh, login, password: product.device_password })
    const row = page.getByRole('row').filter({ hasText: `${userInfo().username}@${deviceName}` })
    await row.getByText('Running').waitFor()
    await row.getByText('Active').waitFor()
    session.end()
    await session.result
    await row.getByText('Ended', { exact: true }).waitFor()
    expect(await row.getByText('Running').count()).toBe(0)
    expect(await row.getByRole('cell').last().textContent()).not.toBe('')
  })

  it('takes a device from its registration to its removal', async () => {
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('button', { name: 'Add device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a device' })
    await dialog.getByText(`'${product.api}/install.sh?tenant_id=${product.tenant}' | sh`).waitFor()
    await dialog.getByText('BOWLINE_HOST').waitFor()
    await register('workshop-cam')
    await dialog.getByRole('button', { name: 'Accept workshop-cam' }).click()
    await dialog.getByText('workshop-cam is accepted and connects').waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'workshop-cam').getByText('Offline').waitFor()
    await page.getByRole('button', { name: 'Remove workshop-cam' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await rowOf(page, 'workshop-cam').waitFor({ state: 'detached' })

    await register('stranger')
    await page.getByRole('button', { name: '1 device is waiting' }).click()
    await page.getByRole('button', { name: 'Reject stranger' }).click()
    await page.getByText('A device that registers').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Rejected 1' }).click()
    await page.getByRole('button', { name: 'Remove stranger' }).click()
    await page.getByText('No rejected devices').waitFor()
    const { call } = await product.client()
    const { body } = await call(operations.devices.list, { query: { status: '' } })
    expect(body.filter(({ status }) => status !== 'removed').map(({ name }) => name)).toEqual([deviceName])
  })

  it('stays signed in after a reload and is signed out for good when asked to', async () => {
    await page.reload()
    await liveMark(page, 'live').waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    await page.goto('/devices')
    await page.getByRole('heading', { name: 'Sign in to Bowline' }).waitFor()
    expect(watched.complaints).toEqual([])
  })
})

/** Registers a device as its agent does. */
async function register(hostname: string): Promise<void> {
  const { publicKey } = generateKeyPairSync('ed25519')
  await createClient({ origin: product.api }).call(operations.auth.authenticateDevice, {
    body: {
      hostname,
      identity: { mac: '02:00:00:00:00:01' },
      info: { id: 'debian', pretty_name: 'Debian GNU/Linux 12', version: '0.1.0', arch: 'x86_64', platform: 'native' },
      public_key: publicKey.export({ type: 'spki', format: 'pem' }),
      tenant_id: TenantId.parse(product.tenant),
    },
  })
}
