// Journeys of the firewall's dry run: what a rule would have done, and the question before one cuts off who adds it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { userInfo, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { operations } from '@bowline/contract/operations'
import { describe, expect, it } from 'vitest'
import { startEcho } from '../../support/ssh.ts'
import type { Site } from '../site.ts'

const { firewall, publicKeys } = operations

export function firewallJourneys(site: Site): void {
  describe('the history of the firewall', () => {
    it('shows who changed what, and brings back a rule that was changed and one that was removed', async () => {
      const { page, world } = site
      const { call } = world.client
      const body = {
        action: 'allow' as const,
        active: true,
        priority: 1,
        source_ip: '.*',
        source_networks: ['192.0.2.0/24'],
        username: '^visitor$',
        filter: { hostname: '.*' },
      }
      const { id } = (await call(firewall.create, { body })).body
      const visitors = async () =>
        (await call(firewall.list, {})).body.filter(({ username }) => username === '^visitor$')
      await call(firewall.update, { params: { id }, body: { ...body, source_networks: ['198.51.100.0/24'] } })

      await page.goto('/firewall')
      await page.getByRole('button', { name: 'History' }).click()
      const dialog = page.getByRole('dialog', { name: 'History of the rules' })
      const entries = dialog.getByRole('listitem')
      const changed = entries.filter({ hasText: '198.51.100.0/24' }).first()
      await changed.getByText('192.0.2.0/24').waitFor()
      await changed.getByRole('button', { name: 'Restore' }).click()
      await expect.poll(async () => (await visitors())[0]?.source_networks).toEqual(['192.0.2.0/24'])

      await call(firewall.remove, { params: { id } })
      await page.reload()
      await entries.filter({ hasText: 'Removed' }).first().getByRole('button', { name: 'Restore' }).click()
      await expect.poll(async () => (await visitors()).length).toBe(1)
      const [back] = await visitors()
      expect(back).toMatchObject({ action: 'allow', source_networks: ['192.0.2.0/24'] })
      await call(firewall.remove, { params: { id: back?.id ?? 0 } })
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    })
  })

  describe('the firewall rules as JSON', () => {
    it('shows what an edited file changes, applies it, and brings the rules back by undo', async () => {
      const { page, world } = site
      const { call } = world.client
      const listed = async () => (await call(firewall.list, { query: { per_page: '100' } })).body
      const before = await listed()
      const about = (rule: (typeof before)[number]) => ({ ...rule, id: undefined })
      await page.goto('/firewall')
      await page.getByRole('button', { name: 'Rules as JSON' }).click()
      const dialog = page.getByRole('dialog', { name: 'Rules as JSON' })
      const text = dialog.getByRole('textbox', { name: 'Rules' })
      const review = dialog.getByRole('button', { name: 'Review changes' })
      const rules = JSON.parse(await text.inputValue()) as Record<string, unknown>[]
      expect(rules.map(({ id }) => id)).toEqual(before.map(({ id }) => id).toReversed())
      await text.fill(JSON.stringify([{ ...rules[0], action: 'perhaps' }]))
      await review.click()
      await dialog.getByText('Rule 1: action must be "allow" or "deny", not "perhaps".').waitFor()

      const [first, ...others] = rules
      const added = { ...first, id: undefined, action: 'deny', username: '^nobody$', priority: 1 }
      await text.fill(JSON.stringify([...others, added]))
      await review.click()
      const changes = dialog.getByRole('region', { name: 'Changes' }).getByRole('listitem')
      await changes.filter({ hasText: '^nobody$' }).waitFor()
      expect(await changes.count()).toBe(2)
      await dialog.getByRole('button', { name: 'Apply 2 changes' }).click()
      await dialog.waitFor({ state: 'detached' })
      const usernames = async () => (await listed()).map(({ username }) => username)
      await expect.poll(usernames).toContain('^nobody$')
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(usernames).not.toContain('^nobody$')
      await expect.poll(async () => (await listed()).map(about)).toEqual(before.map(about))
    })
  })

  describe('a dry run of the firewall', () => {
    it('shows what a rule would have done, and asks before it cuts off who adds it', async () => {
      const { page, world } = site
      const { client, product } = world
      const folder = await mkdtemp(join(tmpdir(), 'bowline-dry-run-'))
      const file = join(folder, 'key')
      await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
      const data = Buffer.from(await readFile(`${file}.pub`)).toString('base64')
      const body = { name: 'dry-run', username: '.*', filter: { hostname: '.*' }, data }
      const { fingerprint } = (await client.call(publicKeys.create, { body })).body
      const target = { ...product.ssh, login: `${userInfo().username}@${product.sshid}`, password: '' }
      const session = await startEcho(target, [
        '-i',
        file,
        '-o',
        'IdentitiesOnly=yes',
        '-o',
        'PubkeyAuthentication=yes',
      ])
      const before = (await client.call(firewall.list, {})).body.length

      await page.goto('/firewall?edit=new')
      const dialog = page.getByRole('dialog', { name: 'Add a rule' })
      await dialog.getByLabel('Action').selectOption('deny')
      await dialog.getByLabel('People').first().click()
      await page.getByRole('option', { name: 'Owner', exact: true }).click()
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: 'Preview effect' }).click()
      await dialog.getByText(/this would have blocked [1-9]/).waitFor()
      await dialog.getByText(/you would lose access to the device you connected to/).waitFor()
      await dialog.getByText(/^Blocked: \d+$/).click()
      await dialog.getByText('This rule decides.').first().waitFor()
      // A preview of another rule than the form has would mislead.
      await dialog.getByLabel('Action').selectOption('allow')
      await dialog.getByText(/this would have blocked/).waitFor({ state: 'detached' })
      await dialog.getByLabel('Action').selectOption('deny')

      const question = page.getByRole('dialog', { name: 'Lock yourself out?' })
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await question.getByText(/This would lock (you out|out you)/).waitFor()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      expect((await client.call(firewall.list, {})).body).toHaveLength(before)
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await question.getByRole('button', { name: 'Save anyway' }).click()
      const rule = page.getByRole('link', { name: /^Rule 1: Owner/ })
      await rule.waitFor()
      expect((await session.result).code).toBe(255)

      const made = (await client.call(firewall.list, {})).body.find(({ roles }) => roles.includes('owner'))
      await client.call(firewall.remove, { params: { id: made?.id ?? 0 } })
      await client.call(publicKeys.remove, { params: { fingerprint } })
      await rule.waitFor({ state: 'detached' })
      await rm(folder, { recursive: true })
    })
  })
}
