// Changes of many devices after their dialog is closed: on other pages, after a reload, in another tab, in the bell and in
// the audit log.
import { readFile } from 'node:fs/promises'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { withDatabase } from '../../../bench/src/site/seed.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { cleanups } from '../../support/cleanup.ts'
import { type Product, startProduct } from '../../support/product.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

const undo = cleanups()
const COUNT = 400
let product: Product
let browser: Browser
let page: Page
let complaints: WatchedPage['complaints']
beforeAll(async () => {
  product = await startProduct()
  undo(() => product.stop())
  const tenant = TenantId.parse(product.tenant)
  await withDatabase(product.dataFolder, async (database) => {
    await database.query(
      `insert into devices (uid, tenant_id, name, public_key, status, tags)
       select encode(sha256(convert_to('till-' || i, 'UTF8')), 'hex'), $1::uuid, 'till-' || i, 'key', 'accepted',
         case when i % 4 = 0 then '{one,two,three}'::text[] else '{}' end
       from generate_series(1, ${COUNT}) as i`,
      [tenant],
    )
    await database.query('reset role')
    await database.query(`create table pace (seconds real);
      insert into pace values (0.1);
      grant select on pace to public;
      create function keep_pace() returns trigger language plpgsql as
        $$ begin perform pg_sleep((select seconds from pace)); return new; end $$;
      create trigger devices_keep_pace before update on device_job_items for each row execute function keep_pace()`)
  })
  browser = await launchBrowser()
  undo(() => browser.close())
  ;({ page, complaints } = await openPage(browser, { baseURL: product.console }))
  await openSignedIn(page, product, '/devices?sort=name&q=till-')
}, 120_000)

/** How long each device takes from now on. */
const setPace = (seconds: number) =>
  withDatabase(product.dataFolder, async (database) => {
    await database.query('reset role')
    await database.query('update pace set seconds = $1', [seconds])
  })

const chip = (on: Page) => on.getByRole('button', { name: /^Adding tags\s*· [\d,]+ of 400$/ })

async function tagAll(tag: string): Promise<void> {
  await page.goto('/devices?sort=name&q=till-')
  await page.getByText(`1–25 of ${COUNT}`).waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click()
  await page.getByRole('button', { name: `Select all ${COUNT} matching devices` }).click()
  await page.getByRole('button', { name: 'Add tags' }).click()
  await page.getByRole('dialog').getByText('Up to 3, each with 3 to 255 letters, digits, - or _.').waitFor()
  await page.getByRole('dialog').getByLabel('Tags').fill(tag.slice(0, 2))
  await page.keyboard.press('Enter')
  await page.getByText('A tag must have 3 to 255 characters.').waitFor()
  await page.getByRole('dialog').getByLabel('Tags').fill(tag)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
}

it('stay in sight on every page until they end, can be stopped from there, and go on', async () => {
  await tagAll('autumn')
  const dialog = page.getByRole('dialog', { name: /^(Adding tags|Tags added) to / })
  await dialog.getByText(new RegExp(`\\d+ of ${COUNT} devices processed`)).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Selected devices' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select till-1', exact: true }).click()
  await page.getByText('1 device selected').waitFor()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await chip(page).waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.reload()
  await chip(page).waitFor()
  const other = await page.context().newPage()
  await other.goto('/tags')
  await chip(other).waitFor()
  await chip(other).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await other.getByText(/^Stopped: \d+ succeeded, \d+ failed, \d+ left unchanged\.$/).waitFor()
  await chip(page).waitFor({ state: 'detached' })
  await page
    .getByRole('alert')
    .filter({ hasText: /Tags added to \d+ devices?\. Stopped\./ })
    .waitFor()
  await setPace(0.01)
  await other.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await other.getByText(/^Finished: \d+ succeeded, \d+ failed\.$/).waitFor({ timeout: 60_000 })
  await other.close()
  expect(complaints).toEqual([])
}, 120_000)

it('tell how they ended, in a notice and in the bell, with their failures and an undo', async () => {
  await setPace(0.01)
  await tagAll('winter')
  const dialog = page.getByRole('dialog', { name: /^(Adding tags|Tags added) to / })
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  const notice = page.getByRole('alert').filter({ hasText: 'Tags added to 300 devices. 100 failed.' })
  await notice.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('dialog').getByText('100 failed: At most 3 tags are allowed.').waitFor()
  await readFailures()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.reload()
  await page.getByRole('button', { name: / waiting$/ }).click()
  const changes = page.getByRole('region', { name: 'Bulk changes' })
  await changes.getByText('100 failed.').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('button', { name: 'Bulk changes' }).click()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await changes.getByRole('button', { name: 'Tags added to 300 devices' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Finished: 300 succeeded, 0 failed.').waitFor({ timeout: 60_000 })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  expect(complaints).toEqual([])
}, 120_000)

/** In the open report: pages of all failures, their export, and the way back. */
async function readFailures(): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Show all devices: At most 3 tags are allowed.' }).click()
  const table = dialog.getByRole('table', { name: 'Failed devices' })
  await dialog.getByText('1–25 of 100').waitFor()
  const first = await table.getByRole('link').first().textContent()
  await dialog.getByRole('button', { name: 'Next page' }).click()
  await dialog.getByText('26–50 of 100').waitFor()
  await table.getByText('At most 3 tags are allowed.').first().waitFor()
  await dialog.getByLabel('Cause').selectOption('All causes (100)')
  await dialog.getByText('1–25 of 100').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(101)
  expect(lines[1]).toContain(`"${first}"`)
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByText('100 failed: At most 3 tags are allowed.').waitFor()
}

it('are one line of the audit log, with a way to the entries of their devices', async () => {
  await page.goto('/audit')
  const row = page.getByRole('row').filter({ hasText: 'Tags added to 300 devices, 100 failed' })
  await row.getByRole('link', { name: 'Entries of each device' }).click()
  await page.getByText('1–25 of 300').waitFor()
  await page.getByRole('link', { name: 'Tagged a device' }).first().waitFor()
  await page.getByRole('button', { name: 'One bulk change: show everything' }).click()
  await row.waitFor()
  const { body } = await (await product.client()).call(operations.audit.list, { query: { action: 'device.tags' } })
  expect(body).toEqual([])
})
