// Files of a device in the console, on the product with a real agent: list, upload, download, rename, delete.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { eventually, openSignedIn, rowOf, violationsInBothThemes } from '../steps.ts'

const CLEAN = { light: [], dark: [] }
const me = userInfo().username
/** Reversed by a mark of direction, with a line break: `exe.gpj`. */
const HOSTILE = 'photo\u202Egpj\n.exe'

let browser: Browser
let server: Server
let agent: Agent
let watched: WatchedPage
let page: Page
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-console-files-'))
  await mkdir(join(folder, 'reports'))
  await writeFile(join(folder, 'notes.txt'), 'from the device')
  await writeFile(join(folder, '.hidden'), '')
  await writeFile(join(folder, HOSTILE), '')
  await symlink('reports', join(folder, 'latest'))
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'archive')
  const { call } = await server.client()
  const body = { settings: { session_record: true } }
  await call(operations.namespaces.update, { params: { tenant: server.tenant }, body })
  watched = await openPage(browser, { baseURL: server.origin, viewport: { width: 1280, height: 800 } })
  page = watched.page
  // Without it a download goes through the browser's downloads, which a test can read.
  await page.addInitScript('delete window.showSaveFilePicker')
  await openSignedIn(page, { username: 'operator', password: 'correct horse' }, '/devices')
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })

/** Chooses a file in the upload's picker. */
async function upload(name: string, buffer: Buffer): Promise<void> {
  await page.getByLabel('Files to upload').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

async function savedBytes(act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

describe('the files of a device', () => {
  it('are listed after a sign-in, with kinds, link targets and escaped names', async () => {
    await button('Files of archive').click()
    await page.getByLabel('User on the device').fill(me)
    await page.getByLabel('Password on the device').fill(agent.target.password)
    await button('Connect').click()
    await button('Enter a path').click()
    await page.getByLabel('Path', { exact: true }).fill(folder)
    await page.keyboard.press('Enter')
    await rowOf(page, 'notes.txt').waitFor()
    expect(await rowOf(page, 'reports').getByText('Folder', { exact: true }).count()).toBe(1)
    await rowOf(page, 'latest').getByText('→ reports').waitFor()
    await rowOf(page, String.raw`photo\xe2\x80\xaegpj\x0a.exe`).waitFor()
    expect(await rowOf(page, '.hidden').count()).toBe(0)
    await page.getByRole('switch', { name: 'Hidden files' }).click({ force: true })
    await rowOf(page, '.hidden').waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('are uploaded and downloaded byte by byte', async () => {
    const contents = randomBytes(3_000_000)
    await upload('firmware.bin', contents)
    await rowOf(page, 'firmware.bin').waitFor()
    expect((await readFile(join(folder, 'firmware.bin'))).equals(contents)).toBe(true)
    expect((await readdir(folder)).filter((name) => name.startsWith('.bowline'))).toEqual([])
    const saved = await savedBytes(() => button('Download firmware.bin').click())
    expect(saved.name).toBe('firmware.bin')
    expect(saved.bytes.equals(contents)).toBe(true)
    const { name } = await savedBytes(() => button(String.raw`Download photo\xe2\x80\xaegpj\x0a.exe`).click())
    expect(name).toBe('photo_gpj_.exe')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('replace others after a question only', async () => {
    await upload('notes.txt', Buffer.from('from the browser'))
    await dialog('notes.txt exists').getByRole('button', { name: 'Cancel' }).click()
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('from the device')
    await upload('notes.txt', Buffer.from('from the browser'))
    await dialog('notes.txt exists').getByRole('button', { name: 'Replace' }).click()
    await eventually(async () => (await readFile(join(folder, 'notes.txt'), 'utf8')) === 'from the browser')
  })

  it('are renamed, made and deleted by the keyboard', async () => {
    await page.getByRole('link', { name: 'notes.txt', exact: true }).focus()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('reports')
    await page.keyboard.press('Enter')
    await page.getByText('This name exists already.').waitFor()
    await page.getByLabel('New name').fill('minutes.txt')
    await page.keyboard.press('Enter')
    await rowOf(page, 'minutes.txt').waitFor()
    expect(await readFile(join(folder, 'minutes.txt'), 'utf8')).toBe('from the browser')

    await button('New folder').click()
    await page.getByLabel('Name', { exact: true }).fill('empty')
    await page.keyboard.press('Enter')
    await rowOf(page, 'empty').waitFor()

    await writeFile(join(folder, 'reports', 'may'), '')
    await page.getByRole('link', { name: 'reports', exact: true }).focus()
    await page.keyboard.press('Delete')
    const question = dialog('Delete reports')
    await question.getByText('the one entry in it').waitFor()
    await question.getByRole('button', { name: 'Delete' }).click()
    await rowOf(page, 'reports').waitFor({ state: 'detached' })
    expect(await readdir(folder)).not.toContain('reports')
  })

  it('are opened and left by keys and by the path', async () => {
    await page.getByRole('link', { name: 'empty', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('This folder is empty').waitFor()
    await page.goBack()
    await rowOf(page, 'minutes.txt').waitFor()
    await page.getByRole('link', { name: 'minutes.txt', exact: true }).focus()
    await page.keyboard.press('Backspace')
    const above = page.getByRole('navigation', { name: 'Folders above' })
    await above.getByRole('link', { name: basename(folder), exact: true }).waitFor({ state: 'detached' })
    await button('Enter a path').click()
    await page.getByLabel('Path', { exact: true }).fill('/does/not/exist')
    await page.keyboard.press('Enter')
    const refused = page.getByRole('alert').filter({ hasText: 'The folder could not be opened.' })
    expect(await refused.textContent()).toContain('There is no such file or folder.')
  })

  it('open from a terminal with its sign-in, lead back to it, and say why they ask after a reload', async () => {
    const { page: other, complaints } = await openPage(browser, { baseURL: server.origin })
    await openSignedIn(other, { username: 'operator', password: 'correct horse' }, '/terminal')
    await other.getByRole('button', { name: 'Connect to archive' }).click()
    await other.getByLabel('User on the device').fill(me)
    await other.getByLabel('Password on the device').fill(agent.target.password)
    await other.getByRole('button', { name: 'Connect', exact: true }).click()
    const tab = other.getByRole('tab', { name: 'archive, connected' })
    await tab.waitFor()
    const open = () => other.getByRole('button', { name: 'Files', exact: true }).click()
    await open()
    await other.getByRole('button', { name: 'Disconnect' }).waitFor()
    await other.getByRole('button', { name: 'Parent folder' }).click()
    await other.getByRole('button', { name: 'Disconnect' }).click()
    await other.getByLabel('Password on the device').waitFor()
    const back = other.getByRole('main').getByRole('link', { name: 'Terminal', exact: true })
    await back.click()
    await tab.waitFor()
    await open()
    await other.getByRole('button', { name: 'Disconnect' }).waitFor()
    await back.click()
    await other.reload()
    await tab.waitFor()
    await open()
    await other.getByText('Sign in once more.').waitFor()
    expect(complaints).toEqual([])
    await other.close()
  })

  it('stand in the session that ends with them', async () => {
    await button('Disconnect').click()
    await page.getByLabel('User on the device').waitFor()
    const { call } = await server.client()
    const row = await until('the session is closed', async () => {
      const { body } = await call(operations.sessions.list, { query: {} })
      return body[0]?.closed && body[0]
    })
    expect(row).toMatchObject({ type: 'web', authenticated: true, username: me, closed: { by: 'user' } })
    const { body } = await call(operations.sessions.get, { params: { uid: row.uid } })
    const told = JSON.stringify(body.events)
    for (const part of ['upload', 'download', 'rename', 'mkdir', 'rmdir', 'firmware.bin']) expect(told).toContain(part)
    await page.goto('/recordings?screens=yes')
    const latest = page.getByRole('list', { name: 'Latest recordings' })
    await latest.getByText('File transfer', { exact: true }).first().waitFor()
    expect(await latest.innerText()).not.toMatch(/sftp|screen is empty/)
    expect(watched.complaints).toEqual([])
  })
})
