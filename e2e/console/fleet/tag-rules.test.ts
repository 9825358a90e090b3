// Tag rules on the page of tags, on the product: added, applied, changed and deleted.
import { operations } from '@bowline/contract/operations'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { cleanups } from '../../support/cleanup.ts'
import { type Product, startProduct } from '../../support/product.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'

const undo = cleanups()
let product: Product
let page: Page
let complaints: WatchedPage['complaints']
beforeAll(async () => {
  product = await startProduct()
  undo(() => product.stop())
  const browser = await launchBrowser()
  undo(() => browser.close())
  ;({ page, complaints } = await openPage(browser, { baseURL: product.console }))
  await openSignedIn(page, product, '/tags')
}, 120_000)

it('adds a rule, which tags the device, and takes the tag away with the rule', async () => {
  const client = await product.client()
  const tags = async () => (await client.call(operations.devices.list, {})).body.map((device) => device.tags)
  const card = page.getByRole('region', { name: 'Tag rules' })
  await card.getByText('No tag rules yet.').waitFor()
  await card.getByRole('button', { name: 'Add rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a tag rule' })
  await dialog.getByLabel('Tag', { exact: true }).fill('own-linux')
  await dialog.getByLabel('Devices that match').fill('tag:kiosk')
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await dialog.getByText('must not depend on tags').first().waitFor()
  const name = product.sshid.slice(product.sshid.indexOf('.') + 1)
  await dialog.getByLabel('Devices that match').fill('name:nothing-is-called-this')
  await dialog.getByText('Matches no device now.').waitFor()
  await dialog.getByLabel('Devices that match').fill(`name:${name}`)
  await dialog.getByText(`Matches 1 device now: ${name}.`).waitFor()
  await dialog.getByText('Saving tags 1 device.').waitFor()
  expect(await dialog.getByRole('link', { name: 'Show in the list' }).getAttribute('href')).toBe(
    `/devices?q=${encodeURIComponent(`name:${name}`)}`,
  )
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(tags, { timeout: 30_000 }).toEqual([['own-linux']])
  await card.getByText('1 of 1 matching device has the tag').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await card.getByRole('button', { name: /^Delete the rule/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click()
  await card.getByText('No tag rules yet.').waitFor()
  await expect.poll(tags, { timeout: 30_000 }).toEqual([[]])
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(tags, { timeout: 30_000 }).toEqual([['own-linux']])
  await card.getByRole('button', { name: /^Edit the rule/ }).click()
  const edit = page.getByRole('dialog', { name: 'Change the rule for own-linux' })
  await edit.getByText('Saving adds the tag to no device and removes it from none.').waitFor()
  await edit.getByLabel('Devices that match').fill('name:nothing-is-called-this')
  await edit.getByText('Saving takes the tag own-linux from 1 device.').waitFor()
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.waitFor({ state: 'detached' })
  await expect.poll(tags, { timeout: 30_000 }).toEqual([[]])
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(tags, { timeout: 30_000 }).toEqual([['own-linux']])
  const { rules } = (await client.call(operations.tagRules.list, {})).body
  expect(rules).toMatchObject([{ tag: 'own-linux', query: `name:${name}`, active: true }])
  expect(complaints).toEqual([])
})
