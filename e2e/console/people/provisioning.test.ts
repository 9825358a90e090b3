// Provisioning in the namespace's settings, on a real server: from the switch to a member whom a provider has described.
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, openSignedIn } from '../steps.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

it('is set up in the settings, works with what they show, and can be revoked', async () => {
  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, OPERATOR, '/settings')
  const card = page.getByRole('region', { name: 'Provisioning' })
  await card.getByText('Let an identity provider manage members').waitFor()
  const toggle = card.getByRole('switch', { name: 'Let an identity provider manage members' })
  await toggle.focus()
  await page.keyboard.press('Space')
  await card.getByText('No tokens yet').waitFor()
  await card.getByRole('textbox', { name: 'Name of the group' }).fill('Navy')
  await card.getByRole('button', { name: 'Add group' }).click()
  await card.getByRole('button', { name: 'Remove the role of Navy' }).waitFor()

  await card.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name of the token' }).fill('Entra ID')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = (await dialog.locator('code').textContent()) ?? ''
  expect(token).toMatch(/^scim_[\w-]{43}$/)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await card.getByText('Never used.').waitFor()

  const base = (await card.locator('code').first().textContent()) ?? ''
  expect(new URL(base).pathname).toBe(`/api/scim/v2/${server.tenant}`)
  const send = (path: string, body: object) =>
    fetch(`${server.origin}${new URL(base).pathname}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    })
  const { id } = (await (await send('/Users', { userName: 'grace@example.com' })).json()) as { id: string }
  expect((await send('/Groups', { displayName: 'navy', members: [{ value: id }] })).status).toBe(201)
  expect((await send('/Users', { userName: 'grace@example.com' })).status).toBe(409)
  const client = await server.client()
  const { body } = await client.call(operations.namespaces.get, { params: { tenant: server.tenant } })
  expect(body.members.find(({ email }) => email === 'grace@example.com')).toMatchObject({ role: 'operator' })

  await page.reload()
  await card.getByText('userName is taken.').waitFor()
  await card.getByText('Received from the provider so far: users 1, groups 1.').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])

  await page.getByRole('link', { name: 'Team' }).click()
  const member = page.getByRole('row').filter({ hasText: 'grace@example.com' })
  await member.getByText('Managed by your directory').waitFor()
  expect(await member.getByRole('combobox', { name: 'Role of grace@example.com' }).isDisabled()).toBe(true)
  await member.getByText('Your directory’s groups decide the role.').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await card.getByRole('button', { name: 'Revoke Entra ID' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await card.getByText('No tokens yet').waitFor()
  expect((await send('/Users', { userName: 'grace@example.com' })).status).toBe(401)
  expect(complaints).toEqual([])
})
