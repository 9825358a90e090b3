// The backup of the keys in the browser, in a real browser: saved, and restored after they were forgotten.
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { openSignedIn, violationsInBothThemes } from '../steps.ts'
import { REMEMBER_MADE } from './stored-keys.ts'

let browser: Browser
let server: Server
let page: Page
const CLEAN = { light: [], dark: [] }
const OPERATOR = { username: 'operator', password: 'correct horse' }
const PASSPHRASE = 'a vault that is locked'

beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  const opened = await openPage(browser, { baseURL: server.origin.replace('127.0.0.1', 'localhost') }, /status of 401/)
  ;({ page } = opened)
  await opened.context.addInitScript(REMEMBER_MADE)
  await openSignedIn(page, OPERATOR, '/profile/keys')
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

async function generateKey(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Generate a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Generate a key' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('New passphrase', { exact: true }).fill(PASSPHRASE)
  await dialog.getByLabel('New passphrase again').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Generate a key' }).click()
  await page
    .getByRole('dialog', { name: `Register ${name}?` })
    .getByRole('button', { name: 'Not now' })
    .click()
}

/** Chooses a file with this text as the backup to restore. */
async function restore(text: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Restore a backup' }).click(),
  ])
  await chooser.setFiles({ name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from(text) })
}

it('is saved encrypted, is refused elsewhere, and restores keys that were forgotten', async () => {
  await generateKey('laptop')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save a backup' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^bowline-keys-\d{4}-\d{2}-\d{2}\.json$/)
  const backup = await readFile(await download.path(), 'utf8')
  const made = await page.evaluate<string[]>('globalThis.made')
  expect(made).toHaveLength(1)
  for (const secret of made) expect(backup).not.toContain(secret)
  await page.getByRole('button', { name: 'Forget all keys' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget all keys' }).click()
  await restore('{"keys":[]}')
  await page.getByText('This file is no backup of keys, or it is damaged. Nothing was changed.').waitFor()
  await restore(backup.replace(new URL(page.url()).origin, 'https://elsewhere.example'))
  await page.getByText('This backup is of another account or server').waitFor()
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  await restore(backup)
  await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor()
  await page.getByLabel('Passphrase of your stored keys', { exact: true }).fill(PASSPHRASE)
  await page.getByRole('button', { name: 'Unlock', exact: true }).click()
  await page.getByText('Unlocked', { exact: true }).waitFor()
  expect(await violationsInBothThemes(page)).toEqual(CLEAN)
})
