// A device without an agent whose host key has changed, in a browser.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type FakeBackend, startFakeBackend } from '../backend.ts'
import { accessibilityViolations, openSignedIn } from '../steps.ts'

let browser: Browser
let backend: FakeBackend
beforeAll(async () => {
  ;[browser, backend] = await Promise.all([launchBrowser(), startFakeBackend()])
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})
const open = (allowed?: RegExp) => openPage(browser, { baseURL: backend.origin }, allowed)

const fingerprint = (letter: string): string => `SHA256:${letter.repeat(43)}`
const presenting = (letter: string) => ({
  type: 'ssh-ed25519',
  fingerprint: fingerprint('A'),
  presented: { type: 'ssh-ed25519', fingerprint: fingerprint(letter), since: new Date().toISOString() },
})

it('shows both keys, and accepts the new one', async () => {
  const { context, page, complaints } = await open()
  const { uid } = backend.fake.state.addDevice({ name: 'router', status: 'accepted', host_key: presenting('B') })
  await openSignedIn(page, backend, `/devices/${uid}`)
  await page.getByText('The SSH host key has changed').waitFor()
  await page.getByText(fingerprint('B')).waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Accept new key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept the new host key of router?' })
  await dialog.getByText(fingerprint('A')).waitFor()
  await dialog.getByText(fingerprint('B')).waitFor()
  await dialog.getByRole('button', { name: 'Accept key' }).click()
  await page.getByText('router has a new host key.').waitFor()
  await page.getByText('The SSH host key has changed').waitFor({ state: 'detached' })
  expect(backend.fake.state.devices.get(uid)?.host_key).toMatchObject({
    fingerprint: fingerprint('B'),
    presented: null,
  })
  expect(complaints).toEqual([])
  await context.close()
})

it('lists the devices whose key has changed, and no others', async () => {
  const { context, page, complaints } = await open()
  backend.fake.state.addDevice({ name: 'changed-one', status: 'accepted', host_key: presenting('B') })
  backend.fake.state.addDevice({ name: 'steady-one', status: 'accepted' })
  await openSignedIn(page, backend, '/devices')
  await page.getByRole('link', { name: 'steady-one' }).first().waitFor()
  await page.getByRole('button', { name: 'Host key changed' }).click()
  await page.getByRole('link', { name: 'steady-one' }).first().waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'changed-one' }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('hostKey')).toBe('changed')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: 'steady-one' }).first().waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('does not accept a third key that appears while the dialog is open', async () => {
  const { context, page } = await open(/status of 409/)
  const { uid } = backend.fake.state.addDevice({ name: 'switch', status: 'accepted', host_key: presenting('B') })
  await openSignedIn(page, backend, `/devices/${uid}`)
  await page.getByRole('button', { name: 'Accept new key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept the new host key of switch?' })
  await dialog.waitFor()
  backend.fake.state.changeDevice(uid, { host_key: presenting('C') })
  await page.getByText(fingerprint('C')).waitFor()
  await dialog.getByText(fingerprint('B')).waitFor()
  await dialog.getByRole('button', { name: 'Accept key' }).click()
  await page.getByRole('alert').filter({ hasText: 'does not present this host key now' }).waitFor()
  expect(backend.fake.state.devices.get(uid)?.host_key?.fingerprint).toBe(fingerprint('A'))
  await context.close()
})

it('leaves the decision to those who may remove devices', async () => {
  const { context, page, complaints } = await open()
  const { uid } = backend.fake.state.addDevice({ name: 'nas', status: 'accepted', host_key: presenting('B') })
  if (backend.fake.state.user) backend.fake.state.user.role = 'operator'
  await openSignedIn(page, backend, `/devices/${uid}`)
  expect(await page.getByRole('button', { name: 'Accept new key' }).isDisabled()).toBe(true)
  if (backend.fake.state.user) backend.fake.state.user.role = 'owner'
  expect(complaints).toEqual([])
  await context.close()
})
