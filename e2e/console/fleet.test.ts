// The device list as an instrument, on the product with 1,200 devices: narrowing, shaping, exporting, deciding about all.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from '../../bench/src/site/seed.ts'
import { type WatchedPage, launchBrowser, openPage } from '../support/browser.ts'
import { cleanups } from '../support/cleanup.ts'
import { type Product, startProduct } from '../support/product.ts'
import {
  accessibilityViolations,
  eventually,
  hasFocus,
  openSignedIn,
  rowOf,
  savedFile,
  violationsInBothThemes,
} from './steps.ts'

const undo = cleanups()
const COUNT = 1_200
let product: Product
let page: Page
let complaints: WatchedPage['complaints']

beforeAll(async () => {
  product = await startProduct()
  undo(() => product.stop())
  const tenant = TenantId.parse(product.tenant)
  await withDatabase(product.dataFolder, (database) =>
    database.query(
      `insert into devices (uid, tenant_id, name, mac, info, public_key, status, tags, remote_addr, last_seen, disconnected_at)
       select encode(sha256(convert_to($1 || i, 'UTF8')), 'hex'), $1::uuid, 'unit-' || lpad(i::text, 4, '0'), lpad(to_hex(i), 12, '0'),
         jsonb_build_object('id', 'x', 'pretty_name', case when i % 2 = 0 then 'Debian 12' else 'Alpine 3.22' end,
           'version', '0.1.0', 'arch', case when i % 3 = 0 then 'arm64' else 'x64' end, 'platform', 'native'),
         'key', case when i > 1000 then 'pending' else 'accepted' end,
         case when i % 4 = 0 then '{kiosk,berlin}'::text[] when i % 4 = 1 then '{a-tag,b-tag,c-tag}' else '{}' end,
         '192.0.2.' || i % 250, now() - make_interval(hours => i), now()
       from generate_series(1, ${COUNT}) as i`,
      [tenant],
    ),
  )
  const browser = await launchBrowser()
  undo(() => browser.close())
  const opened = await openPage(browser, { baseURL: product.console })
  page = opened.page
  complaints = opened.complaints
  await openSignedIn(page, product, '/devices?sort=name')
}, 120_000)

const choose = async (menu: string, item: RegExp): Promise<void> => {
  await page.getByRole('button', { name: new RegExp(`^${menu}`) }).click()
  await page.getByRole('menuitemcheckbox', { name: item }).click()
  await page.keyboard.press('Escape')
}

describe('narrowing the list', () => {
  it('narrows by values with their counts, in the tabs too, and clears them', async () => {
    await page.goto('/devices?sort=name')
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: /^kiosk\s*250$/ }).click()
    await page.keyboard.press('Escape')
    await page.getByText('1–25 of 250').waitFor()
    await page.getByRole('link', { name: /^Accepted\s*250\b/ }).waitFor()
    await page.getByRole('link', { name: /^Pending\s*50\b/ }).waitFor()
    await choose('Architecture', /^arm64\s*83$/)
    await page.getByText('1–25 of 83').waitFor()
    expect(new URL(page.url()).search).toContain('tag=kiosk&arch=arm64')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('of 1,001').waitFor()
  })

  it('finds a device by any of its words', async () => {
    await page.goto('/devices')
    await page.getByRole('combobox', { name: 'Search devices' }).fill('192.0.2.77 alpine')
    await rowOf(page, 'unit-0077').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(5)
  })

  it('finds devices by words with keywords, in the counts of the tabs too', async () => {
    await page.goto('/devices')
    const field = page.getByRole('combobox', { name: 'Search devices' })
    await field.fill('tag:kiosk -arch:arm64 os:"Debian 12" is:offline')
    await page.getByText('1–25 of 167').waitFor()
    await page.getByRole('link', { name: /^Pending\s*33 found by the search and filters$/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(26)
    await field.fill('tag:kiosk -os:alpine -name:unit-00')
    await page.getByText('1–25 of 226').waitFor()
    await field.fill('tag:kios')
    await page.getByText('A keyword looks at one of them: tag: name: os: arch: agent: ip: mac: note: is:').waitFor()
    await page.getByRole('link', { name: 'Pending', exact: true }).waitFor()
    await field.fill('status:accepted')
    const note = page.getByText('“status:” isn’t a keyword, so it’s searched for as text. Keywords: tag: name: os:')
    await note.waitFor()
    await field.fill('02:00:5e')
    await note.waitFor({ state: 'detached' })
  })

  it('completes keywords and values of the search by keyboard', async () => {
    await page.goto('/devices')
    const field = page.getByRole('combobox', { name: 'Search devices' })
    const list = page.getByRole('listbox', { name: 'Completions' })
    expect((await field.boundingBox())?.width).toBeGreaterThan(240)
    await field.click()
    expect(await list.count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await list.getByRole('option', { name: /^is:/ }).waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('-')
    await list.getByRole('option', { name: /^-os:/ }).waitFor()
    await page.keyboard.type('ta')
    await list.getByRole('option', { name: /^-tag:/ }).waitFor()
    await page.keyboard.press('Tab')
    expect(await field.inputValue()).toBe('-tag:')
    await list.getByRole('option', { name: /^-tag:kiosk$/ }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.type('ki')
    await page.keyboard.press('ArrowDown')
    expect(await list.getByRole('option', { selected: true }).textContent()).toContain('-tag:kiosk')
    expect(await field.getAttribute('aria-activedescendant')).toBe(
      await list.getByRole('option', { selected: true }).getAttribute('id'),
    )
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('-tag:kiosk ')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('is:of')
    await list.getByRole('option', { name: /^is:offline/ }).click()
    await page.waitForURL((url) => url.searchParams.get('q') === '-tag:kiosk is:offline')
    await expect.poll(() => field.inputValue()).toBe('-tag:kiosk is:offline ')
    // Nothing is offered for it: Tab leaves the field.
    await page.keyboard.press('Tab')
    expect(await hasFocus(field)).toBe(false)
    await page.getByRole('button', { name: 'Clear the search' }).click()
  })

  it('finds a device by its note and custom fields', async () => {
    await page.goto('/devices?q=unit-0123')
    await rowOf(page, 'unit-0123').getByRole('link', { name: 'unit-0123' }).focus()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Edit unit-0123' })
    await dialog.getByLabel('Note').fill('Behind the false wall')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await dialog.getByLabel('Field name').fill('Inventory')
    await dialog.getByLabel('Value: Inventory').fill('BX-4711')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unit-0123 saved.').first().waitFor()
    for (const words of ['false wall', 'bx-4711']) {
      await page.goto(`/devices?q=${encodeURIComponent(words)}`)
      await rowOf(page, 'unit-0123').waitFor()
      await expect.poll(() => page.getByRole('row').count()).toBe(2)
    }
    await page.getByRole('link', { name: 'unit-0123' }).click()
    await page.getByText('BX-4711').waitFor()
  })

  it('keeps favorites of a person, and shows only those', async () => {
    await page.goto('/devices?sort=name&q=unit-000')
    await page.getByRole('button', { name: 'Add unit-0003 to favorites' }).click()
    await page.getByRole('button', { name: 'Remove unit-0003 from favorites' }).waitFor()
    await page.getByRole('button', { name: 'Favorites', exact: true }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await rowOf(page, 'unit-0003').getByRole('button', { name: 'Remove unit-0003 from favorites' }).waitFor()
  })
})

describe('shaping the list', () => {
  it('sorts by a column without an index, and back', async () => {
    await page.goto('/devices?q=unit-00')
    await page
      .getByRole('button', { name: /^System/ })
      .last()
      .click()
    await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('Alpine')
    await page
      .getByRole('button', { name: /^System/ })
      .last()
      .click()
    await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('Debian')
  })

  it('shows the chosen columns, rows and height, and keeps them for the next visit', async () => {
    await page.goto('/devices?sort=name')
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'MAC address' }).click()
    await page.getByRole('menuitemradio', { name: 'Compact' }).click()
    await page.getByRole('menuitemradio', { name: '100 rows' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'MAC address' }).waitFor()
    await page.getByText('1–100 of 1,001').waitFor()
    const height = async () => (await page.getByRole('row').nth(2).boundingBox())?.height ?? 0
    expect(await height()).toBeLessThan(33)
    await page.goto('/devices?sort=name')
    await page.getByRole('columnheader', { name: 'MAC address' }).waitFor()
    expect(await height()).toBeLessThan(33)
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('menuitem', { name: 'Reset columns' }).click()
    await page.getByRole('columnheader', { name: 'MAC address' }).waitFor({ state: 'detached' })
    await page.getByRole('menuitemradio', { name: 'Comfortable' }).click()
    await page.keyboard.press('Escape')
  })

  it('saves a view for the namespace and opens it', async () => {
    await page.goto('/devices?sort=name&tag=kiosk&arch=x64')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name', { exact: true }).fill('Intel kiosks')
    await dialog.getByLabel('Share with everyone in this namespace').check()
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('View “Intel kiosks” saved.').first().waitFor()
    await page.goto('/devices')
    await page.getByText('of 1,001').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Intel kiosks', exact: true }).click()
    await page.getByText('of 167').waitFor()
    await page.getByRole('button', { name: 'Intel kiosks' }).waitFor()
    const { body } = await (await product.client()).call(operations.views.list, {})
    expect(body).toMatchObject([{ name: 'Intel kiosks', shared: true, query: { tag: ['kiosk'], arch: ['x64'] } }])
  })

  it('keeps the names of the columns in sight while rows scroll', async () => {
    await page.goto('/devices?sort=name&size=100')
    await page.getByRole('link', { name: 'unit-0099', exact: true }).focus()
    expect(await page.getByRole('columnheader', { name: 'Name' }).isVisible()).toBe(true)
    const header = await page.getByRole('columnheader', { name: 'Name' }).boundingBox()
    expect(header && header.y >= 0 && header.y < 400).toBe(true)
  })

  it.each([
    ['CSV', 'devices.csv', '"unit-0004"'],
    ['JSON (one object per line)', 'devices.jsonl', '"name":"unit-0004"'],
  ])('exports all that match as %s, beyond the page', async (format, file, part) => {
    await page.goto('/devices?sort=name&tag=kiosk')
    await page.getByText('1–25 of 250').waitFor()
    await page.getByRole('button', { name: 'Display' }).click()
    const saved = await savedFile(page, () => page.getByRole('menuitem', { name: format }).click())
    expect(saved.name).toBe(file)
    expect(saved.lines.join('\n')).toContain(part)
    expect(saved.lines).toHaveLength(file.endsWith('csv') ? 251 : 250)
  })
})

describe('the keyboard in the list', () => {
  it('has the first row in focus on arrival and is one Tab stop', async () => {
    await page.goto('/devices?sort=name')
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    await eventually(() => hasFocus(link('unit-0001')))
    await page.keyboard.press('j')
    expect(await hasFocus(link('unit-0002'))).toBe(true)
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await page.getByText('3 devices selected').waitFor()
    // Nothing lies on the pager.
    await page.getByRole('link', { name: 'Next page' }).click({ trial: true })
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate('document.activeElement.closest("tr") !== null')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("table") === null')).toBe(true)
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate('document.activeElement.closest("tr") !== null')).toBe(true)
  })
})

describe('all devices that match', () => {
  it('tags all of them in one go, groups the failures by cause, and takes it back', async () => {
    const tagged = async (): Promise<number> => {
      const item = { type: 'property', params: { name: 'tags', operator: 'eq', value: 'rollout' } }
      const filter = Buffer.from(JSON.stringify([item])).toString('base64')
      return (await (await product.client()).call(operations.devices.list, { query: { filter, per_page: '1' } })).total
    }
    await page.goto('/devices?sort=name&q=unit-0')
    await page.getByText('1–25 of 999').waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click()
    await page.getByRole('button', { name: 'Select all 999 matching devices' }).click()
    await page.getByText('All 999 matching devices selected').waitFor()
    await page.getByRole('button', { name: 'Add tags' }).click()
    await page.getByRole('dialog').getByLabel('Tags').fill('rollout')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tags added to 749 devices' })
    await dialog.getByText('Finished: 749 succeeded, 250 failed.').waitFor({ timeout: 120_000 })
    await dialog.getByText('250 failed: At most 3 tags are allowed.').waitFor()
    expect(await tagged()).toBe(749)
    expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Finished: 749 succeeded, 0 failed.').waitFor({ timeout: 120_000 })
    expect(await tagged()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  }, 300_000)

  it('accepts all pending devices after one question', async () => {
    await page.goto('/devices?status=pending')
    await page.getByText('1–25 of 200').waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click()
    await page.getByRole('button', { name: 'Select all 200 matching devices' }).click()
    await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('dialog', { name: 'Accept 200 devices?' }).getByRole('button', { name: 'Accept' }).click()
    await page.getByText('Finished: 200 succeeded, 0 failed.').waitFor({ timeout: 120_000 })
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('No pending devices').waitFor()
    expect(complaints).toEqual([])
  }, 200_000)
})

it('passes accessibility rules in both themes with its menus open, and fits a phone', async () => {
  await page.goto('/devices?sort=name&tag=kiosk')
  await page.getByText('1–25 of').waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  for (const menu of ['Display', 'Views', 'System']) {
    await page.getByRole('button', { name: menu, exact: true }).first().click()
    // A menu without items is none, and values come from the server.
    await page.getByRole('menu').locator('[role^=menuitem]:not([aria-disabled])').first().waitFor()
    expect({ menu, ...(await violationsInBothThemes(page)) }).toEqual({ menu, light: [], dark: [] })
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1_280, height: 800 })
})
