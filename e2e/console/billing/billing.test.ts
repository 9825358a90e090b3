// The way of money in a browser, on a real server with a real agent and the double of the payment provider: from the free
// devices to a subscription, its end, and the choice of devices.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProviderDouble, startProvider } from '../../../apps/server/src/billing/testing/provider-double.ts'
import type { DoubleEvent } from '../../../apps/server/src/billing/testing/provider-objects.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { register } from '../../support/registrations.ts'
import { type Client, type Server, startServer } from '../../support/server.ts'
import { startEcho } from '../../support/ssh.ts'
import { eventually, openSignedIn, rowOf, violationsInBothThemes } from '../steps.ts'

const NONE = { light: [], dark: [] }
let browser: Browser
let provider: ProviderDouble
let server: Server
/** The server as the owner of a new namespace sees it. */
let cloud: Server
let client: Client
let agent: Agent
beforeAll(async () => {
  provider = await startProvider(() => Date.now())
  ;[browser, server] = await Promise.all([launchBrowser(), startServer({ env: provider.settings })])
  const first = await server.client()
  const { body } = await first.call(operations.namespaces.create, { body: { name: 'workshop' } })
  const tenant = TenantId.parse(body.tenant_id)
  const inside = async (): Promise<Client> => {
    const own = await server.client()
    await own.call(operations.auth.switchNamespace, { params: { tenant } })
    return server.client()
  }
  const { dataFolder, origin, ssh, pin, process, account } = server
  cloud = { ...server, dataFolder, origin, ssh, pin, process, account, tenant, client: inside }
  client = await inside()
  agent = await startAgent(cloud, 'lathe')
})
afterAll(async () => {
  await agent.remove()
  await browser.close()
  await server.remove()
  await provider.close()
})

/** The provider sends people back to the name of the console that the server knows: without a public address, localhost. */
const consoleOf = ({ origin }: Server): string => origin.replace('127.0.0.1', 'localhost')

/** Delivers events of the provider, as its webhook does. */
async function deliver(events: readonly DoubleEvent[]): Promise<void> {
  for (const event of events) {
    const { status } = await fetch(`${server.origin}/api/webhook-billing`, {
      method: 'POST',
      ...provider.sign(event, Date.now()),
    })
    expect(status).toBe(200)
  }
}

const factOf = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'Plan' })
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd')

it('leads from the fourth device to a subscription, and from its end to the choice of devices', async () => {
  for (const name of ['mill', 'press', 'saw']) await register(cloud, name)
  const { page, context, complaints } = await openPage(
    browser,
    { baseURL: consoleOf(server), locale: 'en-US' },
    /status of 40[124]|favicon/,
  )
  await openSignedIn(page, server.account, '/devices?status=pending')
  for (const name of ['mill', 'press']) {
    await page.getByRole('button', { name: `Accept ${name}` }).click()
    await rowOf(page, name).waitFor({ state: 'detached' })
  }

  // The fourth device: 402, with the way to billing.
  await page.getByRole('button', { name: 'Accept saw' }).click()
  await page.getByText('The namespace has reached its device limit of 3.').waitFor()
  await page.getByRole('button', { name: 'Go to billing' }).click()
  await page.waitForURL('**/settings/billing')
  await factOf(page, 'State').getByText('Free').waitFor()
  expect(await factOf(page, 'Devices').textContent()).toBe('3 of 3')
  await page.getByText('No card yet.').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)

  // The card is typed in on the provider's page.
  await page.getByRole('region', { name: 'Plan' }).getByRole('button', { name: 'Add a card' }).click()
  await page.waitForURL(`${provider.state.origin}/portal/*`)
  await page.getByLabel('Card number').fill('4000 0000 0000 0341')
  await page.getByRole('button', { name: 'Add card' }).click()
  await page.waitForURL('**/settings/billing')
  await page.getByText('visa ending in 0341').waitFor()
  expect(await factOf(page, 'Price').textContent()).toBe('$5.00 per device and month')

  // It is refused, and the next one is not.
  const subscribe = async (): Promise<void> => {
    await page.getByRole('region', { name: 'Plan' }).getByRole('button', { name: 'Subscribe' }).click()
    const dialog = page.getByRole('dialog', { name: 'Subscribe this namespace?' })
    await dialog.getByText('This namespace has 3 accepted devices').waitFor()
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
  }
  await subscribe()
  await page.getByText('The payment was refused: Your card was declined.').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await page.getByRole('region', { name: 'Payment methods' }).getByRole('button', { name: 'Add a card' }).click()
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Add card' }).click()
  await page.waitForURL('**/settings/billing')
  await page.getByRole('button', { name: 'Make the default: visa ending in 0341' }).waitFor()
  await page.getByRole('button', { name: 'Remove visa ending in 0341' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click()
  await page
    .getByRole('region', { name: 'Payment methods' })
    .getByText('visa ending in 0341')
    .waitFor({ state: 'detached' })
  await subscribe()
  await factOf(page, 'State').getByText('Subscribed').waitFor()
  expect(await factOf(page, 'Devices').textContent()).toBe('3, any number is allowed')
  const invoices = page.getByRole('table', { name: 'Invoices' })
  await invoices.getByText('$15.00').waitFor()
  expect(await invoices.getByRole('link').getAttribute('href')).toContain(`${provider.state.origin}/invoice/`)
  expect(await violationsInBothThemes(page)).toEqual(NONE)

  // The fourth device can be accepted now, and is billed.
  await page.goto('/devices?status=pending')
  const accept = page.getByRole('button', { name: 'Accept saw' })
  // Missing in three runs of many, after a reload too, for a reason that was not found: the error then has what was shown.
  await accept.waitFor().catch(async () => {
    const { body } = await client.call(operations.devices.list, { query: { status: 'pending' } })
    const names = body.map(({ name }) => name).join(', ')
    throw new Error(`No button at ${page.url()}; pending: ${names}; shown:\n${await page.locator('body').innerText()}`)
  })
  await accept.click()
  const [subscription] = provider.state.subscriptionsOf(cloud.tenant)
  await eventually(async () => {
    await client.call(operations.billing.report, { query: { action: 'device_accept' } })
    return subscription?.items.data[0].quantity === 4
  })

  // Cancelled on the provider's page; it runs until the end of the period.
  await page.goto('/settings/billing')
  const before = provider.state.events.length
  await page.getByRole('button', { name: 'Manage at the payment provider' }).click()
  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await page.getByRole('button', { name: 'Resume subscription' }).waitFor()
  await deliver(provider.state.events.slice(before))
  await page.getByRole('link', { name: 'Return to Bowline' }).click()
  await factOf(page, 'State').getByText('Canceled, still running').waitFor()

  // The end, which the open page shows by itself: a week of grace.
  await deliver([provider.state.change(subscription?.id ?? '', { status: 'canceled' })])
  await factOf(page, 'State').getByText('Ended').waitFor()
  await page.getByText('7 days left').waitFor()
  await page.getByText('4 devices are accepted, 3 are allowed').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)

  // A session on the device that is given up ends, with its cause.
  const session = await startEcho(agent.target)
  await page.getByRole('button', { name: 'Choose devices' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose the devices to keep' })
  expect(await dialog.getByRole('checkbox', { name: 'lathe' }).isChecked()).toBe(true)
  await dialog.getByText('1 device becomes pending').waitFor()
  await dialog.getByLabel('Search devices').fill('saw')
  await dialog.getByLabel('Search devices').fill('')
  await dialog.getByRole('checkbox', { name: 'lathe' }).uncheck()
  for (const name of ['mill', 'press', 'saw']) await dialog.getByRole('checkbox', { name }).check()
  await dialog.getByText('3 of 3 chosen').waitFor()
  expect(await dialog.getByRole('checkbox', { name: 'lathe' }).isDisabled()).toBe(true)
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1_280, height: 800 })
  await dialog.getByRole('button', { name: 'Keep 3 devices' }).click()
  await dialog.waitFor({ state: 'detached' })
  await factOf(page, 'Devices').getByText('3 of 3').waitFor()
  await page.getByText('4 devices are accepted').waitFor({ state: 'detached' })
  session.end()
  await eventually(async () => {
    const { body } = await client.call(operations.sessions.list, {})
    return body[0]?.closed?.message === 'The device is no longer accepted in the namespace.'
  })
  const { body: pending } = await client.call(operations.devices.list, { query: { status: 'pending' } })
  expect(pending.map(({ name }) => name)).toEqual(['lathe'])
  expect(complaints).toEqual([])
  await context.close()
})

it('tells the owner what the provider says when it is away, and stops nothing else', async () => {
  const { page, context } = await openPage(browser, { baseURL: consoleOf(server) }, /status of 4/)
  provider.condition = 'down'
  await openSignedIn(page, server.account, '/settings/billing')
  await page.getByText('The payment provider did not answer as expected: it cannot be reached.').first().waitFor()
  await factOf(page, 'State').getByText('Ended').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(NONE)
  provider.condition = 'up'
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByText('visa ending in 4242').waitFor()
  await context.close()
})
