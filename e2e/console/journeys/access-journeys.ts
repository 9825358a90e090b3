// Access control journeys: keys, rules, tags; each change is verified through the API.
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { eventually, hasFocus, rowOf, violationsInBothThemes } from '../steps.ts'
import type { Site } from '../site.ts'
import { freshKeyLine } from '../world.ts'

const { publicKeys, firewall, tags, devices } = operations

export function accessJourneys(site: Site): void {
  describe('public keys', () => {
    const names = async () => (await site.world.client.call(publicKeys.list, {})).body.map(({ name }) => name)

    it('adds a key for the devices of a tag, removes it, and restores it by undo', async () => {
      const { page } = site
      await page.goto('/public-keys')
      await page.getByRole('button', { name: 'Add key' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a public key' })
      await dialog.getByLabel('Public key').fill('-----BEGIN OPENSSH PRIVATE KEY-----')
      await dialog.getByRole('button', { name: 'Add key' }).click()
      await dialog.getByText('must be the public key: this is a private key').waitFor()
      await dialog.getByLabel('Public key').fill(freshKeyLine('grace@desk'))
      expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('grace@desk')
      await dialog.getByLabel('Devices').selectOption('By tag')
      await dialog.getByLabel('Tags').fill('garden')
      await page.keyboard.press('Enter')
      await dialog.getByText(/Matches 1 of \d+ devices and containers: greenhouse-pi\./).waitFor()
      await dialog.getByRole('button', { name: 'Add key' }).click()
      await rowOf(page, 'grace@desk').getByText('tagged garden').waitFor()

      await page.getByRole('button', { name: 'Remove grace@desk' }).click()
      await rowOf(page, 'grace@desk').waitFor({ state: 'detached' })
      expect(await names()).not.toContain('grace@desk')
      await page.getByRole('button', { name: 'Undo' }).click()
      await rowOf(page, 'grace@desk').getByText('tagged garden').waitFor()
      expect(await names()).toContain('grace@desk')
    })

    it('shows the server’s rejection of a key at the field', async () => {
      const { page } = site
      await page.goto('/public-keys')
      await page.getByRole('link', { name: 'deploy' }).click()
      const dialog = page.getByRole('dialog', { name: 'Public key deploy' })
      await dialog.getByText(/Matches (\d+) of \1 devices and containers/).waitFor()
      await dialog.getByLabel('Login names: pattern').fill('(')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText(/^Login names .*\./).waitFor()
      expect(await dialog.getByLabel('Login names: pattern').getAttribute('aria-invalid')).toBe('true')
      // Escape may be an accident; the button that cancels is none.
      await page.keyboard.press('Escape')
      const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await dialog.getByLabel('Login names: pattern').inputValue()).toBe('(')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Tags' }).click()
      await page.getByRole('heading', { name: 'Tags' }).waitFor()
    })

    it('shows the fingerprint that ssh-keygen prints, and finds the key by it', async () => {
      const { page, world } = site
      const { body } = await world.client.call(publicKeys.list, {})
      const { fingerprint_sha256: fingerprint = '' } = body.find(({ name }) => name === 'deploy') ?? {}
      expect(fingerprint).toMatch(/^SHA256:/)
      await page.goto('/public-keys')
      await page.getByRole('searchbox', { name: 'Search keys' }).fill(fingerprint)
      await rowOf(page, 'ada@laptop').waitFor({ state: 'detached' })
      await rowOf(page, 'deploy').getByText(fingerprint).waitFor()
      await page.getByRole('link', { name: 'deploy' }).click()
      await page.getByRole('dialog', { name: 'Public key deploy' }).getByText(fingerprint).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
  })

  describe('install keys', () => {
    it('creates a key that accepts and tags a device, and deletes it', async () => {
      const { page, world } = site
      await page.goto('/install-keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('kiosks')
      await dialog.getByLabel('Tags').fill('garden')
      await dialog.getByLabel('Tags').press('Enter')
      await dialog.getByLabel('Devices that may use it').fill('5')
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await dialog.getByText('The key is shown this once.').waitFor()
      const command = await dialog.getByText(/install[.]sh.*[|] sh -s -- --key ik-/).textContent()
      const key = /--key (ik-[a-z2-7]{26})/.exec(command ?? '')?.[1] ?? ''
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      const uid = await world.register('lobby-screen', undefined, 'native', key)
      const { body } = await world.client.call(devices.get, { params: { uid } })
      expect(body).toMatchObject({ status: 'accepted', tags: ['garden'] })
      await page.reload()
      await page.getByText('1 of 5').waitFor()
      await page.getByRole('button', { name: 'Delete kiosks' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
      await page.getByText('No install keys yet').waitFor()
      await world.client.call(devices.remove, { params: { uid } })
    })
  })

  describe('the firewall', () => {
    const order = async () => {
      const { body } = await site.world.client.call(firewall.list, {})
      return body.toSorted((a, b) => b.priority - a.priority).map(({ priority, username }) => `${priority} ${username}`)
    }

    it('reorders rules with the keyboard, and back by undo', async () => {
      const { page } = site
      await page.goto('/firewall')
      const before = await order()
      await page.getByRole('button', { name: 'Rule 2 of 3; the arrow keys move it' }).focus()
      await page.keyboard.press('ArrowUp')
      await eventually(() => hasFocus(page.getByRole('button', { name: 'Rule 1 of 3; the arrow keys move it' })))
      await eventually(async () => (await order())[0]?.endsWith('^root$') ?? false)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(order).toEqual(before)
    })

    it('reorders rules by dragging', async () => {
      const { page } = site
      await page.goto('/firewall')
      const handle = page.getByRole('button', { name: 'Rule 3 of 3; the arrow keys move it' })
      const target = await page.getByRole('button', { name: 'Rule 1 of 3; the arrow keys move it' }).boundingBox()
      const start = await handle.boundingBox()
      if (!target || !start) throw new Error('the handles are not on screen')
      await page.mouse.move(start.x + 5, start.y + 5)
      await page.mouse.down()
      await page.mouse.move(start.x + 5, target.y + 20, { steps: 4 })
      await page.mouse.move(start.x + 5, target.y - 4, { steps: 2 })
      await page.mouse.up()
      await page.getByRole('link', { name: 'Rule 1' }).getByText('named kiosk').waitFor()
      const first = async () => (await site.world.client.call(firewall.list, {})).body.at(-1)?.filter.hostname
      await expect.poll(first).toBe('kiosk')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: 'Rule 3' }).getByText('named kiosk').waitFor()
    })

    it('tests a connection and names the rule that decides', async () => {
      const { page } = site
      await page.goto('/firewall')
      const tester = page.getByRole('region', { name: 'Test a connection' })
      await tester.getByLabel('Login name').fill('root')
      await tester.getByLabel('From address').fill('not an address')
      await tester.getByRole('combobox', { name: 'Device' }).fill('lab-nas')
      await page.getByRole('option', { name: 'lab-nas' }).click()
      await tester.getByRole('button', { name: 'Test' }).click()
      await tester.getByText('must be an IP address').waitFor()
      await tester.getByLabel('From address').fill('203.0.113.9')
      await tester.getByRole('button', { name: 'Test' }).click()
      await tester.getByText('Denied. Rule 2 decides.').waitFor()
      await tester.getByLabel('From address').fill('127.0.0.1')
      await tester.getByRole('button', { name: 'Test' }).click()
      await tester.getByText('Allowed. Rule 1 decides.').waitFor()
      expect(await page.locator('li[data-marked]').textContent()).toContain('^127')
    })

    it('adds a rule, turns it off and removes it', async () => {
      const { page } = site
      await page.goto('/firewall?edit=new')
      const dialog = page.getByRole('dialog', { name: 'Add a rule' })
      await dialog.getByLabel('Address').selectOption('Matching a pattern')
      await dialog.getByLabel('Address: pattern').fill('^198\\.51\\.')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText('Action is required.').waitFor()
      await dialog.getByLabel('Action').selectOption('deny')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await page.getByRole('link', { name: 'Rule 1' }).getByText('^198\\.51\\.').waitFor()
      await page.getByRole('switch', { name: 'Rule 1 is active' }).click({ force: true })
      const rules = async () => (await site.world.client.call(firewall.list, {})).body
      await eventually(async () => (await rules()).at(-1)?.active === false)
      await page.getByRole('button', { name: 'More for rule 1' }).click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await page.getByRole('link', { name: 'Rule 4' }).waitFor({ state: 'detached' })
      expect(await rules()).toHaveLength(3)
    })
  })

  describe('the fields of a rule', () => {
    it('shows the example of a missing pattern as an example, and its error until it is changed', async () => {
      const { page } = site
      await page.goto('/firewall?edit=new')
      const dialog = page.getByRole('dialog', { name: 'Add a rule' })
      await dialog.getByLabel('Action').selectOption('deny')
      await dialog.getByLabel('Login name').selectOption('Matching a pattern')
      const pattern = dialog.getByLabel('Login name: pattern')
      const colours = () =>
        page.evaluate<string[]>(`(() => {
          const field = document.querySelector('[placeholder="^root$"]')
          return [getComputedStyle(field, '::placeholder').color, getComputedStyle(field).color]
        })()`)
      const [before] = await colours()
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText('Login name is required.').waitFor()
      const [after, wrong] = await colours()
      expect(after).toBe(before)
      expect(after).not.toBe(wrong)
      await pattern.fill('^root$')
      await dialog.getByText('Login name is required.').waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    })
  })

  describe('the source of a rule', () => {
    it('saves networks in canonical form and shows them as networks again', async () => {
      const { page } = site
      await page.goto('/firewall?edit=new')
      const dialog = page.getByRole('dialog', { name: 'Add a rule' })
      await dialog.getByLabel('Action').selectOption('deny')
      await dialog.getByLabel('Address').selectOption('Matching a pattern')
      await dialog.getByLabel('Address: pattern').fill('203.0.113.9/24')
      await dialog.getByLabel('Priority').focus()
      await dialog.getByText('Saved as 203.0.113.0/24').waitFor()
      const networks = dialog.getByLabel('Networks or addresses')
      await networks.fill('172.16.0.0/33')
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByText('neither an address nor a network').waitFor()
      await networks.fill('172.16.9.9/12, 2001:DB8::1/33')
      await dialog.getByText('Saved as 172.16.0.0/12, 2001:db8::/33').waitFor()
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      const rule = page.getByRole('link', { name: /^Rule \d+: .*172\.16\.0\.0\/12/ })
      // The whole line is the link's target; its contents lie above it.
      await rule.press('Enter')
      const edited = page.getByRole('dialog', { name: /^Rule \d+$/ })
      expect(await edited.getByLabel('Networks or addresses').inputValue()).toBe('172.16.0.0/12, 2001:db8::/33')
      const { body } = await site.world.client.call(firewall.list, {})
      const made = body.find(({ source_networks }) => source_networks.length > 0)
      expect(made).toMatchObject({ source_ip: '.*', source_networks: ['172.16.0.0/12', '2001:db8::/33'] })
      await page.keyboard.press('Escape')
      await site.world.client.call(firewall.remove, { params: { id: made?.id ?? 0 } })
      await rule.waitFor({ state: 'detached' })
    })
  })

  describe('tags', () => {
    it('renames tags everywhere and links them to their devices', async () => {
      const { page } = site
      await page.goto('/tags')
      await page.getByRole('button', { name: 'Rename garden' }).click()
      await page.getByRole('dialog').getByLabel('Tag').fill('orchard')
      await page.keyboard.press('Enter')
      await rowOf(page, 'orchard').getByText('1', { exact: true }).waitFor()
      expect((await site.world.client.call(tags.list, {})).body).toContain('orchard')
      await page.getByRole('link', { name: 'orchard' }).click()
      await rowOf(page, 'greenhouse-pi').waitFor()
      expect(await page.getByRole('row').count()).toBe(2)
      await page.goto('/tags')
      await page.getByRole('button', { name: 'Rename orchard' }).click()
      await page.getByRole('dialog').getByLabel('Tag').fill('garden')
      await page.keyboard.press('Enter')
      await rowOf(page, 'garden').waitFor()
    })
  })
}
