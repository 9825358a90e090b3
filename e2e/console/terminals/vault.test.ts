// Private keys in the browser's vault, in a real browser against a real device: made, registered, used by one click,
// locked, forgotten. No byte of them may leave the browser.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { readPrivateKey } from '@bowline/ssh/keys/read-private-key'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../apps/server/src/cli/program.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { type WatchedPage, launchBrowser, openPage } from '../../support/browser.ts'
import { withoutSettings } from '../../support/product.ts'
import { register } from '../../support/registrations.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { AUTHENTICATOR, REMEMBER_MADE, WITHOUT_ED25519, changeStored, storedBy, wasSent } from './stored-keys.ts'
import { eventually, hasFocus, liveMark, openSignedIn, signIn, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
let agent: Agent
let watched: WatchedPage
let page: Page
let folder: string
const me = userInfo().username
const CLEAN = { light: [], dark: [] }
const OPERATOR = { username: 'operator', password: 'correct horse' }
const OTHER = { username: 'other', password: 'another horse' }
const PASSPHRASE = 'a vault that is locked'
/** Everything that pages have sent: addresses, headers, bodies, frames of WebSockets. */
const sent: Buffer[] = []
/** Secret halves of the keys that the page has made, base64url. */
let made: readonly string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-vault-'))
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
  agent = await startAgent(server, 'workbench')
  const params = { tenant: TenantId.parse(server.tenant) }
  const { name } = (await (await server.client()).call(operations.namespaces.get, { params })).body
  await cli('user', 'create', OTHER.username, OTHER.password, 'other@example.com')
  await cli('namespace', 'member', 'add', OTHER.username, name, 'operator')
  // Passkeys work for names of hosts only.
  const baseURL = server.origin.replace('127.0.0.1', 'localhost')
  watched = await openPage(browser, { baseURL }, /status of 4(01|29)/)
  page = watched.page
  await watched.context.addInitScript(REMEMBER_MADE)
  watched.context.on('request', (request) => {
    sent.push(
      Buffer.from(`${request.url()}\n${JSON.stringify(request.headers())}`),
      request.postDataBuffer() ?? Buffer.of(),
    )
  })
  watched.context.on('page', watchSockets)
  watchSockets(page)
  await openSignedIn(page, OPERATOR, '/profile/keys')
  await page.evaluate(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
  await page.evaluate(`localStorage.setItem('bowline.ssh-user', ${JSON.stringify(me)})`)
  await page.reload()
})
afterAll(async () => {
  await browser.close()
  await agent.remove()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

function watchSockets(of: Page): void {
  of.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(Buffer.from(payload))))
}

async function cli(...words: string[]): Promise<void> {
  const complaints: string[] = []
  const code = await runCommand(words, {
    env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: server.dataFolder },
    read: () => Promise.resolve(''),
    print: () => undefined,
    complain: (line) => complaints.push(line),
  })
  if (code !== 0) throw new Error(`bowline ${words.join(' ')}: ${complaints.join('\n')}`)
}

const heading = (of = page) => of.getByRole('heading', { name: 'Keys in this browser' })
const connected = (of = page) => of.getByRole('tab', { name: 'workbench, connected' })

async function shows(text: string): Promise<boolean> {
  const shown = page.locator('.xterm-accessibility')
  return until(`the terminal shows ${text}`, async () => (await shown.allTextContents()).join('\n').includes(text))
}

/** Ends the terminals, by their tabs. */
async function closeTerminals(): Promise<void> {
  await page.getByRole('link', { name: 'Terminal', exact: true }).click()
  const tabs = page.getByRole('tab')
  for (let open = await tabs.count(); open > 0; open -= 1) {
    await tabs.first().focus()
    await page.keyboard.press('Delete')
    await eventually(async () => (await tabs.count()) < open)
  }
}

/** Opens the keys by the menu of the account: a reload would lock them. */
async function openKeys(of = page): Promise<void> {
  await of.getByRole('button', { name: 'Account' }).click()
  await of.getByRole('menuitem', { name: 'Keys in this browser' }).click()
  await heading(of).waitFor()
}

async function connect(): Promise<void> {
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('button', { name: 'Connect to workbench' }).click()
}

async function unlock(of = page, passphrase = PASSPHRASE): Promise<void> {
  await of.getByLabel('Passphrase of your stored keys', { exact: true }).fill(passphrase)
  await of.getByRole('button', { name: 'Unlock', exact: true }).click()
}

const registered = async () => (await (await server.client()).call(operations.publicKeys.list, { query: {} })).body

describe('the keys in the browser', () => {
  it('are set up by the first one, made here, whose public half is registered', async () => {
    await heading().waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('button', { name: 'Generate a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Generate a key' })
    await dialog.getByLabel('Name').fill('laptop')
    await dialog.getByLabel('New passphrase', { exact: true }).fill('too short')
    await dialog.getByRole('button', { name: 'Generate a key' }).click()
    await dialog.getByText('New passphrase must have at least 12 characters.').waitFor()
    await dialog.getByLabel('New passphrase', { exact: true }).fill(PASSPHRASE)
    await dialog.getByLabel('New passphrase again').fill(PASSPHRASE)
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await dialog.getByRole('button', { name: 'Generate a key' }).click()
    const offer = page.getByRole('dialog', { name: 'Register laptop?' })
    await offer.waitFor()
    made = await page.evaluate<string[]>('globalThis.made')
    const line = (await offer.locator('code').textContent()) ?? ''
    expect(line).toMatch(/^ssh-ed25519 AAAA\S+ laptop$/)
    await offer.getByRole('button', { name: 'Register it in this namespace' }).click()
    const form = page.getByRole('dialog', { name: 'Add a public key' })
    expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('laptop')
    await form.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('cell', { name: 'yes', exact: true }).waitFor()
    // As the server writes it, without the comment.
    const data = Buffer.from(`${line.replace(/ laptop$/, '')}\n`).toString('base64')
    expect(await registered()).toMatchObject([{ name: 'laptop', data }])
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('open a shell by one click', async () => {
    await connect()
    await connected().waitFor()
    await page.keyboard.type('echo shown-$((6*7))\n')
    expect(await shows('shown-42')).toBe(true)
    await closeTerminals()
  })

  it('open a shell by Enter on a device in the palette', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('workbench')
    await page
      .getByRole('option', { name: /workbench/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await connected().waitFor()
    await page.keyboard.type('echo palette-$((6*7))\n')
    expect(await shows('palette-42')).toBe(true)
    await closeTerminals()
  })

  it('are locked in all tabs by one, and one prompt unlocks and goes on', async () => {
    const second = await watched.context.newPage()
    await second.goto('/profile/keys')
    await unlock(second)
    await second.getByText('Unlocked', { exact: true }).waitFor()
    await second.getByRole('button', { name: 'Lock', exact: true }).click()
    // From here by keyboard alone.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('workbench')
    await page
      .getByRole('option', { name: /workbench/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'workbench, waiting for your keys' }).waitFor()
    const field = page.getByLabel('Passphrase of your stored keys', { exact: true })
    await eventually(() => hasFocus(field))
    // Asked for again, it is the same terminal that asks.
    await connect()
    await eventually(() => hasFocus(field))
    expect(await page.getByRole('tab').count()).toBe(1)
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.keyboard.type('not the passphrase\n')
    await page.getByText('Passphrase of your stored keys is wrong.').waitFor()
    await eventually(() => hasFocus(field))
    await page.keyboard.press('Control+a')
    await page.keyboard.type(`${PASSPHRASE}\n`)
    await connected().waitFor()
    await page.keyboard.type('echo keyboard-$((6*7))\n')
    expect(await shows('keyboard-42')).toBe(true)
    await second.close()
    await closeTerminals()
  })

  it('are asked for once for several devices, each of which then says what became of it', async () => {
    const other = await startAgent(server, 'second')
    await register(server, 'asleep')
    const { call } = await server.client()
    const waiting = (await call(operations.devices.list, { query: { status: 'pending' } })).body
    for (const { uid } of waiting) {
      await call(operations.devices.setStatus, { params: { uid, status: 'accept' } })
    }
    await openKeys()
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    for (const name of ['workbench', 'second', 'asleep']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    }
    await page.getByRole('button', { name: 'Open terminals' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open terminals on 2 devices' })
    await dialog.getByText('asleep is offline and gets no terminal.').waitFor()
    await eventually(() => hasFocus(dialog.getByLabel('Passphrase of your stored keys', { exact: true })))
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await unlock()
    await connected().waitFor()
    await page.getByRole('tab', { name: 'second, connected' }).waitFor()
    expect(await page.getByRole('tab').count()).toBe(2)
    await closeTerminals()
    await other.remove()
  })

  it('are unlocked in the dialog that runs a command, which keeps what was typed', async () => {
    await openKeys()
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select workbench' }).check()
    await page.getByRole('button', { name: 'Run a command' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run a command on 1 device' })
    await dialog.getByLabel('Command').fill('echo unlocked-$((6*7))')
    await dialog.getByLabel('User on the device').fill(me)
    await dialog.getByLabel('Private key', { exact: true }).check()
    await dialog.getByText('1 key in this browser is locked.').waitFor()
    await dialog.getByRole('button', { name: 'Unlock your keys' }).click()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await unlock()
    const stored = dialog.getByLabel('Key in this browser')
    await stored.waitFor()
    expect(await stored.locator('option').allTextContents()).toContain('laptop (ssh-ed25519)')
    expect(await dialog.getByLabel('User on the device').inputValue()).toBe(me)
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByText('unlocked-42').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })
  })

  it('are kept when another tab changes them, and a key added there signs here', async () => {
    await openKeys()
    const second = await watched.context.newPage()
    await second.goto('/profile/keys')
    const file = join(folder, 'encrypted')
    execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', 'of the file', '-C', 'desk', '-f', file])
    await second.getByRole('button', { name: 'Add a key' }).click()
    const dialog = second.getByRole('dialog', { name: 'Add a key' })
    await dialog.getByLabel('Name').fill('desk')
    await dialog.getByLabel('Private key', { exact: true }).fill(await readFile(file, 'utf8'))
    await dialog.getByLabel('Passphrase of your stored keys', { exact: true }).fill('wrong one entirely')
    const submit = dialog.getByRole('button', { name: 'Add a key' })
    await submit.click()
    await dialog.getByText('Passphrase of the key is required: the key is encrypted.').waitFor()
    await dialog.getByLabel('Passphrase of the key', { exact: true }).fill('of another file')
    await submit.click()
    await dialog.getByText('Passphrase of the key is wrong.').waitFor()
    await dialog.getByLabel('Passphrase of the key', { exact: true }).fill('of the file')
    await submit.click()
    await dialog.getByText('Passphrase of your stored keys is wrong.').waitFor()
    await dialog.getByLabel('Passphrase of your stored keys', { exact: true }).fill(PASSPHRASE)
    await submit.click()
    await second.getByRole('dialog', { name: 'Register desk?' }).getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('cell', { name: 'desk', exact: true }).waitFor()
    await second.close()

    const { call } = await server.client()
    const line = await readFile(`${file}.pub`, 'utf8')
    await call(operations.publicKeys.create, {
      body: {
        name: 'desk',
        username: me,
        filter: { hostname: 'workbench' },
        data: Buffer.from(line).toString('base64'),
      },
    })
    const [laptop] = await registered()
    await call(operations.publicKeys.remove, { params: { fingerprint: laptop?.fingerprint ?? '' } })
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor()
    await connect()
    await connected().waitFor()
    await closeTerminals()
    const { d = '' } = (await readPrivateKey(await readFile(file, 'utf8'), 'of the file')).jwk
    expect(wasSent(sent, d)).toBe(false)
    expect(await storedBy(page)).not.toContain(d)
  })

  it('lead to the form with the reason when the server refuses the key, and when none is registered', async () => {
    const { call } = await server.client()
    const [desk] = await registered()
    const params = { fingerprint: desk?.fingerprint ?? '' }
    const body = { name: 'desk', filter: { hostname: 'workbench' } }
    await call(operations.publicKeys.update, { params, body: { ...body, username: `(${me}x)+` } })
    await connect()
    await page.getByText('The key is not registered for this user and device').waitFor()
    expect(await page.getByLabel('Key in this browser').locator('option:checked').textContent()).toContain('desk')
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await closeTerminals()

    await call(operations.publicKeys.update, { params, body: { ...body, username: 'nobody' } })
    await page.reload()
    await connect()
    await page.getByText(`None of the keys in this browser is registered for ${me} on this device.`).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
    await page.getByRole('link', { name: 'Register one' }).click()
    await heading().waitFor()
    await call(operations.publicKeys.update, { params, body: { ...body, username: '.*' } })
    await closeTerminals()
  })

  it('are unlocked by a passkey, which is no passkey of the account', async () => {
    await openKeys()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
    await dialog.getByLabel('Passphrase of your stored keys', { exact: true }).fill(PASSPHRASE)
    const cdp = await watched.context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const plain = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...AUTHENTICATOR, hasPrf: false } })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('This passkey cannot unlock keys').waitFor()
    await cdp.send('WebAuthn.removeVirtualAuthenticator', plain)
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText(/^Passkey “/).waitFor()
    await page.getByRole('button', { name: 'Unlock with a passkey' }).click()
    await page.getByText('Unlocked', { exact: true }).waitFor()
    expect((await (await server.client()).call(operations.passkeys.list, {})).body).toEqual([])

    // The passphrase is changed by the passkey alone.
    await page.getByRole('button', { name: 'Change the passphrase' }).click()
    const change = page.getByRole('dialog', { name: 'Change the passphrase' })
    await change.getByLabel('New passphrase', { exact: true }).fill('an entirely new one')
    await change.getByLabel('New passphrase again').fill('an entirely new one')
    await change.getByRole('button', { name: 'Save' }).click()
    await change.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await unlock()
    await page.getByText('Passphrase of your stored keys is wrong.').waitFor()
    await unlock(page, 'an entirely new one')
    await page.getByText('Unlocked', { exact: true }).waitFor()
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('lock after the minutes without input, but not while another tab is used', async () => {
    const idle = await watched.context.newPage()
    await idle.clock.install()
    await idle.goto('/profile/keys')
    await unlock(idle, 'an entirely new one')
    await idle.getByText('Unlocked', { exact: true }).waitFor()
    await idle.evaluate(
      `new BroadcastChannel('bowline.vault').onmessage = ({ data }) => (globalThis.heard = data.type)`,
    )
    await idle.clock.fastForward('14:00')
    await page.keyboard.press('Shift')
    await eventually(async () => (await idle.evaluate('globalThis.heard')) === 'active')
    await idle.clock.fastForward('14:00')
    expect(await idle.getByText('Unlocked', { exact: true }).count()).toBe(1)
    await idle.clock.fastForward('02:00')
    await idle.getByText('Locked', { exact: true }).waitFor()
    await page.getByText('Locked', { exact: true }).waitFor()
    await idle.close()
  })

  it('are locked by signing out, and nobody else sees them', async () => {
    await unlock(page, 'an entirely new one')
    await page.getByText('Unlocked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page, OTHER)
    await liveMark(page, 'live').waitFor()
    await openKeys()
    await page.getByText('No keys are stored in this browser yet.').waitFor()
    await connect()
    await page.getByLabel('Password on the device').waitFor()
    expect(await page.getByText('Unlock your keys').count()).toBe(0)
    await closeTerminals()

    // A store of their own, which only a passkey unlocks.
    await openKeys()
    await page.getByRole('button', { name: 'Generate a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Generate a key' })
    await dialog.getByLabel('Name').fill('of another')
    await dialog.getByLabel('Unlock with').selectOption('Passkey')
    await dialog.getByRole('button', { name: 'Generate a key' }).click()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByText('If the only passkey is lost, so are the keys.').waitFor()
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('button', { name: 'Unlock with a passkey' }).click()
    await page.getByText('Unlocked', { exact: true }).waitFor()
    expect(await page.getByRole('cell', { name: 'laptop', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page, OPERATOR)
    await liveMark(page, 'live').waitFor()
    await openKeys()
    await page.getByText('Locked', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor()
  })

  it('never leave the browser, and are stored encrypted only', async () => {
    expect(made.length).toBe(1)
    const texts = await storedBy(page)
    // The test would find them.
    sent.push(Buffer.from(JSON.stringify({ d: 'A'.repeat(43) })))
    expect(wasSent(sent, 'A'.repeat(43))).toBe(true)
    for (const secret of made) {
      expect(wasSent(sent, secret)).toBe(false)
      expect(texts).not.toContain(secret)
    }
    for (const phrase of [PASSPHRASE, 'an entirely new one', 'of the file']) {
      expect(sent.some((chunk) => chunk.includes(phrase))).toBe(false)
      expect(texts).not.toContain(phrase)
    }
    expect(texts).toContain('laptop')
  })

  it('are marked when the browser lacks their type, and the others work', async () => {
    const older = await watched.context.newPage()
    await older.addInitScript(WITHOUT_ED25519)
    await older.goto('/profile/keys')
    await unlock(older, 'an entirely new one')
    await older.getByText('Unlocked', { exact: true }).waitFor()
    expect(await older.getByText('This browser cannot use keys of this type.').count()).toBe(1)
    await older.getByRole('button', { name: 'Generate a key' }).click()
    const dialog = older.getByRole('dialog', { name: 'Generate a key' })
    await dialog.getByLabel('Name').fill('impossible')
    await dialog.getByLabel('Confirm with').selectOption('Passphrase')
    await dialog.getByLabel('Passphrase of your stored keys', { exact: true }).fill('an entirely new one')
    await dialog.getByRole('button', { name: 'Generate a key' }).click()
    await dialog.getByText('This browser cannot use keys of this type. Update it').waitFor()
    await older.close()
  })

  it('show a record that was swapped as damaged, and use the others', async () => {
    await changeStored(
      page,
      `
      const [one, other] = (await all('keys')).filter(({ name }) => name !== 'of another')
      await put('keys', { ...one, iv: other.iv, sealed: other.sealed })`,
    )
    await page.reload()
    await unlock(page, 'an entirely new one')
    await page.getByText('Unlocked', { exact: true }).waitFor()
    expect(await page.getByText('Damaged: remove it and add it again.').count()).toBe(1)
    expect(await violationsInBothThemes(page)).toEqual(CLEAN)
  })

  it('say when another version has stored them, or a defect, and destroy nothing', async () => {
    const before = await storedBy(page)
    await changeStored(page, `const header = await own(); await put('headers', { ...header, version: 2 })`)
    const newer = await storedBy(page)
    await page.reload()
    await page.getByText('Another version of the console has stored keys in this browser').waitFor()
    expect(await storedBy(page)).toBe(newer)
    await changeStored(page, `const header = await own(); await put('headers', { ...header, version: 1, ways: [] })`)
    await page.reload()
    await page.getByText('are damaged or have been tampered with. Nothing was changed.').waitFor()
    expect(JSON.parse(await storedBy(page))[0][1]).toEqual(JSON.parse(before)[0][1])
    await page.getByRole('button', { name: 'Forget all keys' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget all keys' }).click()
    await page.getByText('No keys are stored in this browser yet.').waitFor()
    // Those of the other person stay.
    expect(JSON.parse(await storedBy(page))[0].map((records: unknown[]) => records.length)).toEqual([1, 1, 0])
    expect(watched.complaints).toEqual([])
  })
})
