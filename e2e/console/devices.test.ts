// Tests of the device pages in a browser: adding, accepting, watching, removing.
import { devices } from '@bowline/contract/operations/devices'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { type FakeBackend, startFakeBackend } from './backend.ts'
import { eventually, hasFocus, liveMark, openSignedIn, rowOf } from './steps.ts'

/** A name that does not mean the machine itself, of the loopback address. */
const NAMED = '--host-resolver-rules=MAP bowline.test 127.0.0.1'

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(NAMED), startFakeBackend()])
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})
beforeEach(() => {
  for (const device of backend.fake.state.devices.values()) backend.fake.state.removeDevice(device.uid)
})
const open = (allowed?: RegExp) => openPage(browser, { baseURL: backend.origin }, allowed)

describe('adding a device', () => {
  it('adds a device, from the install command to its SSH line, without a reload', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/')
    await page.getByText('No devices yet').waitFor()
    await page.getByRole('button', { name: 'Add device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a device' })
    await dialog.getByText(`curl -fsSL '${backend.origin}/install.sh?tenant_id=`).first().waitFor()
    await dialog.getByText('A phone cannot open this address: 127.0.0.1').waitFor()
    await dialog.getByText('Waiting for the device to register').waitFor()

    const uid = await backend.registerDevice('workshop-cam')
    await dialog.getByText('workshop-cam is waiting').waitFor()
    await dialog.getByText(/SHA256:/).waitFor()
    await dialog.getByRole('button', { name: 'Accept workshop-cam' }).click()
    await dialog.getByText('workshop-cam is accepted and connects').waitFor()
    backend.setOnline(uid, true)
    await dialog.getByText('workshop-cam is connected').waitFor()
    await dialog.getByText('@acme.workshop-cam@127.0.0.1').waitFor()

    await page.keyboard.press('Escape')
    await rowOf(page, 'workshop-cam').getByText('Online').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('leads a phone to the dialog where a phone can reach it', async () => {
    const { port } = new URL(backend.origin)
    const baseURL = `http://bowline.test:${port}`
    const { context, page, complaints } = await openPage(browser, { baseURL })
    await openSignedIn(page, backend, '/devices?add=yes')
    const dialog = page.getByRole('dialog', { name: 'Add a device' })
    await dialog.locator('svg').filter({ hasText: 'QR code' }).waitFor()
    await dialog.getByText('A phone cannot open this').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await context.close()
  })

  it('has a command for each platform, fills in the install key, and remembers the platform', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/devices?add=yes')
    const dialog = page.getByRole('dialog', { name: 'Add a device' })
    const key = `ik-${'b'.repeat(26)}`
    await dialog.getByLabel('Install key (optional)').fill('ik-short')
    await dialog.getByText('An install key is ik-').waitFor()
    await dialog.getByLabel('Install key (optional)').fill(key)
    for (const [platform, part] of [
      ['Container', `podman run -d --name bowline`],
      ['Cloud-init', '#cloud-config'],
      ['Fleet', 'ansible all -b -m shell'],
    ] as const) {
      await dialog.getByRole('tab', { name: platform }).click()
      await dialog.getByText(part).filter({ hasText: key }).waitFor()
    }
    await dialog.getByRole('tab', { name: 'Without an agent' }).click()
    await dialog.getByText(`-R 0:localhost:22 ${key}@`).waitFor()
    await dialog.getByRole('tab', { name: 'Fleet' }).click()
    expect(new URL(page.url()).searchParams.get('add')).toBe('fleet')
    expect(page.url()).not.toContain(key)
    await page.goto('/devices?add=yes')
    expect(await dialog.getByRole('tab', { selected: true }).textContent()).toBe('Fleet')
    // A device that the key accepts never waits: it is shown as it arrives.
    await dialog.getByText('Waiting for the device to register').waitFor()
    backend.fake.state.addDevice({
      name: 'kiosk-9',
      status: 'accepted',
      online: false,
      created_at: new Date().toISOString(),
    })
    await dialog.getByText('kiosk-9 is accepted and connects').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows the ways of the dialog where there is no device yet', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/devices')
    await page.getByText('No devices yet').waitFor()
    await page.getByRole('tab', { name: 'Cloud-init' }).click()
    await page.getByText('#cloud-config').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Add device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a device' })
    expect(await dialog.getByRole('tab', { selected: true }).textContent()).toBe('Cloud-init')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('pins the key of a self-signed certificate and says when only this machine can reach the server', async () => {
    const { context, page, complaints } = await open()
    backend.fake.state.pin = 'sha256//AAAA='
    backend.fake.state.reachable = false
    await openSignedIn(page, backend, '/devices?add=yes')
    const dialog = page.getByRole('dialog')
    await dialog.getByText("curl -fsSLk --pinnedpubkey 'sha256//AAAA=' 'http").first().waitFor()
    await dialog.getByText('BOWLINE_HOST').waitFor()
    backend.fake.state.pin = ''
    backend.fake.state.reachable = true
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('deciding about a device', () => {
  it('accepts a device from the bell on any page', async () => {
    const { context, page, complaints } = await open()
    await openSignedIn(page, backend, '/sessions')
    await backend.registerDevice('greenhouse-pi')
    await page.getByRole('button', { name: '1 device is waiting' }).click()
    const pending = page.getByRole('region', { name: 'Pending approval' })
    await pending.getByText(/^SHA256:[\w+/]{43}$/).waitFor()
    await page.getByRole('button', { name: 'Accept greenhouse-pi' }).click()
    await page.getByText('Devices that register').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Pending approval').waitFor({ state: 'detached' })
    await eventually(() => hasFocus(page.getByRole('button', { name: '0 devices are waiting' })))
    await eventually(() => [...backend.fake.state.devices.values()].every(({ status }) => status === 'accepted'))
    expect(complaints).toEqual([])
    await context.close()
  })

  it('accepts a device with the keyboard alone', async () => {
    const { context, page, complaints } = await open()
    for (const name of ['cam-1', 'cam-2', 'cam-3']) await backend.registerDevice(name)
    await openSignedIn(page, backend, '/devices?status=pending&sort=name')
    await rowOf(page, 'cam-1').waitFor()
    await page.getByRole('link', { name: 'cam-1' }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('k')
    expect(await hasFocus(page.getByRole('link', { name: 'cam-2' }))).toBe(true)
    await page.keyboard.press('a')
    await rowOf(page, 'cam-2').waitFor({ state: 'detached' })
    // The row that replaces the removed one has the focus.
    await eventually(() => hasFocus(page.getByRole('link', { name: 'cam-3' })))
    await page.keyboard.press('r')
    await rowOf(page, 'cam-3').waitFor({ state: 'detached' })
    await eventually(() => hasFocus(page.getByRole('link', { name: 'cam-1' })))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'cam-1' }).waitFor()
    const statuses = [...backend.fake.state.devices.values()].map(({ name, status }) => `${name} ${status}`)
    expect(statuses.toSorted()).toEqual(['cam-1 pending', 'cam-2 accepted', 'cam-3 rejected'])
    expect(complaints).toEqual([])
    await context.close()
  })

  it('rolls a decision back when the server refuses, showing the cause and a retry', async () => {
    const { context, page, complaints } = await open(/status of 4/)
    backend.fake.state.addDevice({ name: 'twin', status: 'accepted' })
    await backend.registerDevice('twin')
    await openSignedIn(page, backend, '/devices?status=pending')
    await page.getByRole('button', { name: 'Accept twin' }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'twin could not be accepted' })
    await failure.getByText('Another accepted device of the namespace is named twin.').waitFor()
    await failure.getByText(/fake-/).waitFor()
    await rowOf(page, 'twin').waitFor()
    const accepted = [...backend.fake.state.devices.values()].find(({ status }) => status === 'accepted')
    if (accepted) backend.fake.state.removeDevice(accepted.uid)
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No pending devices').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('disables decisions for an observer before the server has to refuse', async () => {
    const { context, page, complaints } = await open()
    await backend.registerDevice('cam-1')
    if (backend.fake.state.user) backend.fake.state.user.role = 'observer'
    await openSignedIn(page, backend, '/devices?status=pending')
    expect(await page.getByRole('button', { name: 'Accept cam-1' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'cam-1' }).focus()
    await page.keyboard.press('a')
    await page.getByRole('link', { name: 'cam-1' }).waitFor()
    if (backend.fake.state.user) backend.fake.state.user.role = 'owner'
    expect([...backend.fake.state.devices.values()].map(({ status }) => status)).toEqual(['pending'])
    expect(complaints).toEqual([])
    await context.close()
  })
})

it('folds the notices of devices that are rejected quickly into one, and undoes all of them', async () => {
  const { context, page, complaints } = await open()
  for (const name of ['cam-1', 'cam-2', 'cam-3']) await backend.registerDevice(name)
  await openSignedIn(page, backend, '/devices?status=pending&sort=name')
  for (const name of ['cam-1', 'cam-2', 'cam-3']) await page.getByRole('button', { name: `Reject ${name}` }).click()
  const notice = page.getByRole('alert').filter({ hasText: '3 devices rejected.' })
  await notice.waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1)
  await notice.getByRole('button', { name: 'Undo' }).click()
  await eventually(() => [...backend.fake.state.devices.values()].every(({ status }) => status === 'pending'))
  expect(complaints).toEqual([])
  await context.close()
})

describe('adding a device in a low window', () => {
  it('scrolls the dialog to its end', async () => {
    const viewport = { width: 1280, height: 600 }
    const { context, page, complaints } = await openPage(browser, { baseURL: backend.origin, viewport })
    await openSignedIn(page, backend, '/devices?add=yes')
    const waiting = page.getByRole('dialog', { name: 'Add a device' }).getByText('Waiting for the device to register')
    await waiting.waitFor()
    await page.mouse.move(640, 300)
    await page.mouse.wheel(0, 2_000)
    await eventually(async () => {
      const { y = 600, height = 0 } = (await waiting.boundingBox()) ?? {}
      return y + height <= 600
    })
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('charts without data', () => {
  it('say so in place of an empty box, on the overview and on the page of a device', async () => {
    const { context, page, complaints } = await open()
    const device = backend.fake.state.addDevice({ name: 'new-router' })
    const charts = page.locator('svg[preserveAspectRatio=none]')
    await openSignedIn(page, backend, '/')
    await page.getByText('Recording has just started.').waitFor()
    expect(await charts.count()).toBe(0)
    await page.goto(`/devices/${device.uid}`)
    await page.getByText('Nothing has been recorded yet.').waitFor()
    expect(await charts.count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('removing a device', () => {
  it('confirms the removal of a device, goes back to the list, and can take it back for some seconds', async () => {
    const { context, page, complaints } = await open()
    const device = backend.fake.state.addDevice({ name: 'old-router' })
    await openSignedIn(page, backend, `/devices/${device.uid}`)
    await page.getByRole('button', { name: 'Remove old-router' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove old-router?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(backend.fake.state.devices.size).toBe(1)
    await page.getByRole('button', { name: 'Remove old-router' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(backend.fake.state.devices.size).toBe(1)
    await page.getByRole('button', { name: 'Remove old-router' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('old-router will be removed in a few seconds.').first().waitFor()
    expect(backend.fake.state.devices.size).toBe(1)
    await page.getByText('No devices yet').waitFor()
    expect(backend.fake.state.devices.size).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('removing many devices', () => {
  it('asks for their number, and removes what was confirmed when the page is left in the grace period', async () => {
    const { context, page, complaints } = await open()
    for (let count = 1; count <= 26; count++) backend.fake.state.addDevice({ name: `cell-${count}` })
    await openSignedIn(page, backend, '/devices?size=50')
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove 26 devices?' })
    const confirm = dialog.getByRole('button', { name: 'Remove' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 26 to confirm').fill('25')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 26 to confirm').fill('26')
    await confirm.click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(backend.fake.state.devices.size).toBe(26)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })

    for (const name of ['cell-1', 'cell-2', 'cell-3'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('3 devices will be removed in a few seconds.').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(backend.fake.state.devices.size).toBe(26)

    await page.getByRole('button', { name: 'Remove cell-26' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.goto('about:blank')
    await expect.poll(() => backend.fake.state.devices.size).toBe(25)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('the list', () => {
  it('follows devices as they come online, change their name and leave', async () => {
    const { context, page, complaints } = await open()
    const first = backend.fake.state.addDevice({ name: 'first', online: false })
    const second = backend.fake.state.addDevice({ name: 'second' })
    await openSignedIn(page, backend, '/devices')
    await rowOf(page, 'first').getByText('Offline').waitFor()
    backend.fake.state.setOnline(first.uid, true)
    await rowOf(page, 'first').getByText('Online').waitFor()
    backend.fake.state.changeDevice(first.uid, { name: 'renamed' })
    await rowOf(page, 'renamed').waitFor()
    backend.fake.state.removeDevice(second.uid)
    await rowOf(page, 'second').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Accepted 1' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('misses no change that happens while the stream is broken', async () => {
    const { context, page, complaints } = await open(/ERR_|status of/)
    const device = backend.fake.state.addDevice({ name: 'edge', online: false })
    await openSignedIn(page, backend, '/devices')
    await rowOf(page, 'edge').waitFor()
    backend.fake.state.changeDevice(device.uid, { remote_addr: '198.51.100.77' })
    await rowOf(page, 'edge').getByText('198.51.100.77').waitFor()
    backend.fake.credentials.endStreams()
    backend.fake.state.setOnline(device.uid, true)
    await rowOf(page, 'edge').getByText('Online').waitFor()
    await liveMark(page, 'live').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('reloads the list when the server reports missed events', async () => {
    const { context, page, complaints } = await open()
    const device = backend.fake.state.addDevice({ name: 'edge', online: false })
    await openSignedIn(page, backend, '/devices')
    await rowOf(page, 'edge').getByText('Offline').waitFor()
    // Changed without an event, as after a restart of the server.
    backend.fake.state.devices.set(device.uid, { ...device, online: true })
    backend.fake.state.publish({ type: 'reset' })
    await rowOf(page, 'edge').getByText('Online').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps tab, order and page in the URL, and supports the back button', async () => {
    const { context, page, complaints } = await open()
    for (let count = 0; count < 60; count += 1) backend.fake.state.addDevice()
    await openSignedIn(page, backend, '/devices')
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.waitForURL('**/devices?sort=name&order=asc')
    await rowOf(page, 'edge-01').waitFor()
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**/devices?**page=2**')
    await page.getByText('26–50 of 60').waitFor()
    const grid = page.getByRole('grid', { name: 'Accepted devices' })
    expect(await grid.getAttribute('aria-rowcount')).toBe('61')
    expect(await rowOf(page, 'edge-26').getAttribute('aria-rowindex')).toBe('27')
    await page.getByRole('link', { name: 'First page' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Previous page' }).click()
    await page.getByRole('link', { name: 'Last page' }).click()
    await page.getByText('51–60 of 60').waitFor()
    await page.getByRole('link', { name: 'First page' }).click()
    await page.getByText('1–25 of 60').waitFor()
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByText('26–50 of 60').waitFor()
    await page.getByRole('link', { name: 'Rejected' }).click()
    await page.getByText('No rejected devices').waitFor()
    await page.goBack()
    await page.getByText('26–50 of 60').waitFor()
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending')
    await page.reload()
    await page.getByText('26–50 of 60').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('searches as you type, keeping the words in the URL and across tabs', async () => {
    const { context, page, complaints } = await open()
    for (const name of ['kitchen-pi', 'garden-pi', 'router']) backend.fake.state.addDevice({ name })
    await backend.registerDevice('new-pi')
    await openSignedIn(page, backend, '/devices')
    await rowOf(page, 'router').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('pi')
    await rowOf(page, 'router').waitFor({ state: 'detached' })
    await page.waitForURL('**/devices?q=pi')
    expect(await page.getByRole('row').count()).toBe(3)
    await page.getByRole('link', { name: 'Pending 1' }).click()
    await rowOf(page, 'new-pi').waitFor()
    await page.getByRole('combobox', { name: 'Search devices' }).fill('nobody')
    await page.getByText('No matching devices').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await rowOf(page, 'new-pi').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows the last page when the one in the URL is gone', async () => {
    const { context, page, complaints } = await open()
    for (let count = 0; count < 30; count += 1) backend.fake.state.addDevice()
    await openSignedIn(page, backend, '/devices?page=9')
    await page.getByText('26–30 of 30').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows why the list could not be loaded and retries on request', async () => {
    const { context, page, complaints } = await open(/status of (401|500)/)
    backend.fake.state.addDevice({ name: 'edge' })
    backend.fake.failNext(devices.list, 'INTERNAL', 20)
    await openSignedIn(page, backend, '/devices?status=rejected')
    const failure = page.getByRole('alert').filter({ hasText: 'The devices could not be loaded.' })
    await failure.getByText('Internal Server Error').waitFor()
    await failure.getByText(/fake-/).waitFor()
    backend.fake.failNext(devices.list, 'INTERNAL', 0)
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    await page.route(/api\/devices\?/, async (route) => {
      await mayAnswer
      await route.continue()
    })
    await failure.getByRole('button', { name: 'Try again' }).click()
    // The error stays on the screen until the next answer arrives.
    await failure.locator('button[data-loading=true]').waitFor()
    await failure.getByText('Internal Server Error').waitFor()
    answer()
    await page.getByText('No rejected devices').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('copies the SSH line with the user name that was last used', async () => {
    const { context, page, complaints } = await open()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { uid } = backend.fake.state.addDevice({ name: 'edge' })
    await openSignedIn(page, backend, `/devices/${uid}`)
    await page.getByRole('button', { name: 'Change user root' }).click()
    await page.getByLabel('User name for SSH').fill('pi')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Change user pi' }).waitFor()
    await page.goto('/devices')
    await rowOf(page, 'edge').getByRole('button', { name: 'Copy the SSH command of edge' }).click()
    await eventually(
      async () => (await page.evaluate('navigator.clipboard.readText()')) === 'ssh -p 2222 pi@acme.edge@127.0.0.1',
    )
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('a device that is not there', () => {
  it.each(['f'.repeat(64), 'nonsense'])('shows that there is no device at the address of %s', async (uid) => {
    const { context, page, complaints } = await open(/status of 4/)
    await openSignedIn(page, backend, `/devices/${uid}`)
    await page.getByText('It was removed, or it belongs to another namespace.').waitFor()
    expect(await page.getByRole('heading', { name: 'Device not found' }).count()).toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })
})
