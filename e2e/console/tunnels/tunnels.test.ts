// Tunnels on the page of a device, in a browser, on the whole product: a real agent connects to a real service.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { devices } from '@bowline/contract/operations/devices'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Product, startProduct } from '../../support/product.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let product: Product
let service: Server
let port: number
let path: string
let uid: DeviceUid
beforeAll(async () => {
  service = createServer((incoming, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(`<!doctype html><html lang="en"><title>Printer</title><h1>Printer at ${incoming.url}</h1>`)
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  port = (service.address() as AddressInfo).port
  ;[browser, product] = await Promise.all([
    launchBrowser(),
    startProduct({ env: { BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost', BOWLINE_TUNNELS_TLS_PORT: '0' } }),
  ])
  const { body } = await (await product.client()).call(devices.list, {})
  uid = DeviceUid.parse(body[0]?.uid)
  path = `/devices/${uid}`
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  service.close()
})

const NONE = { light: [], dark: [] }

/** Doors hand over to the name of the console that the server knows: without a public address that is localhost. */
const open = () =>
  openPage(browser, { baseURL: product.console.replace('127.0.0.1', 'localhost') }, /favicon|status of 40/)

describe('tunnels of a device', () => {
  it('creates a tunnel for members, opens it from the console and shows its requests', async () => {
    const { context, page } = await open()
    await openSignedIn(page, product, path)
    await page.getByRole('button', { name: 'Create tunnel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Port').fill(String(port))
    expect(await dialog.getByLabel('Who has access').inputValue()).toBe('namespace')
    expect(await violationsInBothThemes(page)).toEqual(NONE)
    await dialog.getByRole('button', { name: 'Create tunnel' }).click()
    const link = page.getByRole('link', { name: `Open 127.0.0.1:${port}` })
    await link.waitFor()
    expect(await violationsInBothThemes(page)).toEqual(NONE)

    const opened = context.waitForEvent('page')
    await link.click()
    const tunnel = await opened
    await tunnel.getByRole('heading', { name: 'Printer at /' }).waitFor()
    expect(new URL(tunnel.url()).hostname).toMatch(/^[0-9a-f]{32}\.tunnels\.localhost$/)
    await tunnel.goto(new URL('/deep?x=1', tunnel.url()).href)
    await tunnel.getByRole('heading', { name: 'Printer at /deep?x=1' }).waitFor()

    await page.getByRole('button', { name: `Requests of 127.0.0.1:${port}` }).click()
    await page.getByRole('cell', { name: 'GET /deep', exact: true }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(NONE)
    // As they come, and none while the list is paused.
    const cell = (path: string) => page.getByRole('cell', { name: `GET ${path}`, exact: true })
    await tunnel.goto(new URL('/live', tunnel.url()).href)
    await cell('/live').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused: new requests are not shown.').waitFor()
    const told = page.waitForResponse(/\/api\/stats/)
    await tunnel.goto(new URL('/unseen', tunnel.url()).href)
    await (await product.client()).call(devices.addTag, { params: { uid }, body: { tag: 'watched' } })
    await told
    expect(await cell('/unseen').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await cell('/unseen').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    const heights = await page
      .locator('th[data-column]')
      .evaluateAll((cells) => cells.map((one) => one.getClientRects()[0]?.height ?? 0).filter((height) => height > 0))
    expect(new Set(heights).size).toBe(1)
    expect(heights[0]).toBeLessThan(32)
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: `QR code of 127.0.0.1:${port}` }).click()
    await page.getByRole('dialog', { name: `QR code of 127.0.0.1:${port}` }).waitFor()
    await page.keyboard.press('Escape')
    await context.close()
  })

  it('changes the door to a password, which strangers must type, and removes the tunnel', async () => {
    const { context, page } = await open()
    await openSignedIn(page, product, path)
    const url = await page.getByRole('link', { name: `Open 127.0.0.1:${port}` }).getAttribute('href')
    await page.getByRole('button', { name: `Change 127.0.0.1:${port}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Who has access').selectOption('password')
    await dialog.getByLabel('Password', { exact: true }).fill('open sesame')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Anyone with the password').waitFor()

    const stranger = await browser.newContext()
    const visitor = await stranger.newPage()
    await visitor.goto(`${url ?? ''}/inside`)
    expect(await violationsInBothThemes(visitor)).toEqual(NONE)
    await visitor.getByLabel('Password').fill('wrong')
    await visitor.getByRole('button', { name: 'Open' }).click()
    await visitor.getByRole('alert').getByText('The password is wrong.').waitFor()
    await visitor.getByLabel('Password').fill('open sesame')
    await visitor.getByRole('button', { name: 'Open' }).click()
    await visitor.getByRole('heading', { name: 'Printer at /inside' }).waitFor()

    await page.getByRole('button', { name: `Remove 127.0.0.1:${port}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove tunnel' }).click()
    await page.getByText('No tunnels yet.').waitFor()
    await visitor.reload()
    await visitor.getByText('There is no tunnel at this address.').waitFor()
    await stranger.close()
    await context.close()
  })

  it('creates a TCP tunnel, which has neither door nor link, and gives it a stable name', async () => {
    const { context, page } = await open()
    await openSignedIn(page, product, path)
    await page.getByRole('button', { name: 'Create tunnel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Port').fill('5432')
    await dialog.getByLabel('Traffic').selectOption('tcp')
    await dialog.getByText('TLS ends at the service itself.').waitFor()
    expect(await dialog.getByLabel('Who has access').count()).toBe(0)
    expect(await violationsInBothThemes(page)).toEqual(NONE)
    await dialog.getByRole('button', { name: 'Create tunnel' }).click()
    await page.getByRole('button', { name: 'Remove 127.0.0.1:5432' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open 127.0.0.1:5432' }).count()).toBe(0)
    await page.getByLabel('Stable names').click()
    await page.getByText(/^5432-[a-z0-9-]+--[a-z0-9-]+ · Any protocol over TLS/).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(NONE)
    await page.getByLabel('Stable names').click()
    await page.getByText(/^Any protocol over TLS/).waitFor()
    await context.close()
  })
})
