// A program let in by its code in the console, on a real server.
import { ApiError, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { accessibilityViolations, openSignedIn } from '../steps.ts'
import { ageSignIns } from './mails.ts'

const OPERATOR = { username: 'operator', password: 'correct horse' }
const { programs } = operations
let browser: Browser
let server: Server
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  await server.remove()
})

const start = async () =>
  (await createClient({ origin: server.origin }).call(programs.start, { body: { name: 'a printer' } })).body
const exchange = async (device_code: string) =>
  (await createClient({ origin: server.origin }).call(programs.token, { body: { device_code } })).body

describe.each(['light', 'dark'] as const)('activation page, %s', (colorScheme) => {
  it('approves a program by keyboard, on a narrow screen', async () => {
    const { device_code, user_code } = await start()
    const viewport = { width: 390, height: 800 }
    const { page, context, complaints } = await openPage(browser, { baseURL: server.origin, colorScheme, viewport })
    await openSignedIn(page, OPERATOR, '/activate')
    const field = page.getByRole('textbox', { name: 'Code' })
    await field.focus()
    await page.keyboard.type(user_code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByText('Let a printer sign in as you?').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.focus()
    await page.keyboard.press('Enter')
    await page.getByText('a printer is signed in.').waitFor()
    expect((await exchange(device_code)).user).toBe('operator')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('fills in the code of a link and denies it', async () => {
    const { device_code, user_code } = await start()
    const { page, context, complaints } = await openPage(browser, { baseURL: server.origin, colorScheme })
    await openSignedIn(page, OPERATOR, `/activate?code=${user_code}`)
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe(user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('a printer was denied.').waitFor()
    const refused = await exchange(device_code).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ code: 'CODE_DENIED' })
    expect(complaints).toEqual([])
    await context.close()
  })
})

it('shows an unknown code at the field', async () => {
  const { page, context } = await openPage(browser, { baseURL: server.origin }, /status of 4(01|04)/)
  await openSignedIn(page, OPERATOR, '/activate')
  await page.getByRole('textbox', { name: 'Code' }).fill('BBBB-BBBB')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Code is unknown or has expired').waitFor()
  expect(await page.getByRole('textbox', { name: 'Code' }).getAttribute('aria-invalid')).toBe('true')
  await context.close()
})

it('asks for the password before an older sign-in approves', async () => {
  const { device_code, user_code } = await start()
  const allowed = /status of 40[013]/
  const { page, context, complaints } = await openPage(browser, { baseURL: server.origin }, allowed)
  await openSignedIn(page, OPERATOR, `/activate?code=${user_code}`)
  await ageSignIns(server.dataFolder)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const password = dialog.getByLabel('Your password', { exact: true })
  await password.fill('wrong')
  await page.keyboard.press('Enter')
  await dialog.getByText('is wrong').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await password.fill(OPERATOR.password)
  await page.keyboard.press('Enter')
  await page.getByText('a printer is signed in.').waitFor()
  expect((await exchange(device_code)).user).toBe('operator')
  expect(complaints).toEqual([])
  await context.close()
})
