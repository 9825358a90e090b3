// Every screen of the console in the world of world.ts, for the accessibility tests and the screenshots.
import type { Locator, Page } from 'playwright-core'
import type { World } from './world.ts'

export interface Screen {
  /** Also the name of its screenshot. */
  readonly name: string
  readonly path: (world: World) => string
  /** Brings the screen into the state to be checked. */
  readonly ready: (page: Page, world: World) => Promise<unknown>
}

const shows = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor()

/** The dialog of a first key, which sets the store up. */
async function openKeyForm(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Generate a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Generate a key' })
  await dialog.getByLabel('New passphrase again').waitFor()
  return dialog
}

/** Sets the store up with a key; it is unlocked then. */
async function storeKey(page: Page): Promise<void> {
  const dialog = await openKeyForm(page)
  await dialog.getByLabel('Name').fill('laptop')
  await dialog.getByLabel('New passphrase', { exact: true }).fill('never lock a bicycle')
  await dialog.getByLabel('New passphrase again').fill('never lock a bicycle')
  await dialog.getByRole('button', { name: 'Generate a key' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.getByText('Unlocked', { exact: true }).waitFor()
}

export const SCREENS: readonly Screen[] = [
  { name: 'overview', path: () => '/', ready: shows('kiosk-lobby') },
  { name: 'devices', path: () => '/devices', ready: shows('greenhouse-pi') },
  {
    name: 'devices-map',
    path: () => '/devices/map',
    ready: (page) => page.getByRole('button', { name: /^0\/2 online/ }).waitFor(),
  },
  { name: 'pending-devices', path: () => '/devices?status=pending', ready: shows('attic-sensor') },
  { name: 'rejected-devices', path: () => '/devices?status=rejected', ready: shows('a-device') },
  { name: 'device', path: ({ own }) => `/devices/${own.uid}`, ready: shows('SHA256:') },
  {
    name: 'device-presence',
    path: ({ own }) => `/devices/${own.uid}`,
    ready: async (page) => {
      const card = page.getByRole('region', { name: 'Presence' })
      await card.getByRole('button', { name: '30 days' }).click()
      await card.getByText('of the last 30 days').waitFor()
      await card.scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'device-health',
    path: ({ own }) => `/devices/${own.uid}`,
    ready: async (page) => {
      const card = page.getByRole('region', { name: 'Health' })
      await card.getByText(/^\/: .+ free$/).waitFor()
      await card.scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'files-sign-in',
    path: ({ own }) => `/devices/${own.uid}/files`,
    ready: (page) => page.getByLabel('User on the device').waitFor(),
  },
  {
    name: 'presence-table',
    path: () => '/',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Show as a table' }).click()
      await page.getByRole('columnheader', { name: 'On average' }).waitFor()
    },
  },
  { name: 'incidents', path: () => '/incidents', ready: shows('from 203.0.113.0/24') },
  {
    name: 'incident',
    path: () => '/incidents',
    ready: async (page) => {
      await page
        .getByRole('link', { name: /from 203\.0\.113\.0\/24/ })
        .first()
        .click()
      await page.getByText('First disconnect').waitFor()
      await page.getByRole('link', { name: 'greenhouse-pi' }).waitFor()
    },
  },
  { name: 'alerts', path: () => '/alerts', ready: shows('Kiosks offline') },
  {
    name: 'add-alert',
    path: () => '/alerts',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.getByLabel('Notify by').waitFor()
    },
  },
  {
    name: 'alert-messages',
    path: () => '/alerts',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Messages of Kiosks offline' }).click()
      await page.getByText('Given up').first().waitFor()
    },
  },
  { name: 'add-device', path: () => '/devices?add=linux', ready: shows('curl') },
  { name: 'add-container', path: () => '/devices?add=container', ready: shows('podman run') },
  { name: 'add-cloud-init', path: () => '/devices?add=cloud', ready: shows('#cloud-config') },
  { name: 'add-devices', path: () => '/devices?add=fleet', ready: shows('ansible all') },
  { name: 'add-agentless', path: () => '/devices?add=agentless', ready: shows('-R 0:localhost:22') },
  {
    name: 'add-by-code',
    path: () => '/devices?add=code',
    ready: (page) => page.getByLabel('Device code').waitFor(),
  },
  {
    name: 'sessions',
    path: () => '/sessions',
    ready: (page) => page.getByRole('row').filter({ hasText: 'sign-in failed' }).first().waitFor(),
  },
  {
    name: 'session-groups',
    path: () => '/sessions?group=device',
    ready: (page) => page.getByRole('columnheader', { name: 'Last started' }).waitFor(),
  },
  { name: 'public-keys', path: () => '/public-keys', ready: shows('ada@laptop') },
  { name: 'add-public-key', path: () => '/public-keys?edit=new', ready: shows('Read from a file') },
  { name: 'firewall', path: () => '/firewall', ready: shows('Otherwise') },
  { name: 'firewall-history', path: () => '/firewall?history=yes', ready: shows('History of the rules') },
  { name: 'access-requests', path: () => '/access-requests', ready: shows('The disk is full, ticket 4711') },
  { name: 'add-rule', path: () => '/firewall?edit=new', ready: shows('Login name') },
  { name: 'tags', path: () => '/tags', ready: shows('garden') },
  { name: 'agent-updates', path: () => '/agent-updates', ready: shows('Releases in use') },
  { name: 'install-keys', path: () => '/install-keys', ready: shows('No install keys yet') },
  { name: 'sign-in-settings', path: () => '/instance/sign-in', ready: shows('For your identity provider') },
  { name: 'certificates', path: () => '/instance/certificates', ready: shows('This server has no certificate') },
  { name: 'nodes', path: () => '/instance/nodes', ready: shows('This is the only node.') },
  { name: 'news', path: () => '/instance/announcements', ready: shows('Maintenance on Saturday') },
  { name: 'billing elsewhere', path: () => '/settings/billing', ready: shows('This server has no billing') },
  { name: 'members', path: () => '/team', ready: shows('olga@example.com') },
  { name: 'api-keys', path: () => '/team?tab=keys', ready: shows('provisioning') },
  { name: 'add-api-key', path: () => '/team?tab=keys&add=yes', ready: shows('Expires after') },
  { name: 'containers', path: () => '/containers', ready: shows('web-frontend') },
  {
    name: 'selected-devices',
    path: () => '/devices?sort=name',
    ready: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
      await page.getByText('devices selected').waitFor()
    },
  },
  {
    name: 'palette',
    path: () => '/tags',
    ready: async (page) => {
      await page.getByText('garden').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'palette-action',
    path: () => '/tags',
    ready: async (page) => {
      await page.getByText('garden').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search devices,/ }).fill('tag gre')
      await page.getByRole('option', { name: /^Tag greenhouse-pi/ }).waitFor()
    },
  },
  {
    name: 'device-search',
    path: () => '/devices',
    ready: async (page) => {
      await page.getByText('greenhouse-pi').first().waitFor()
      await page.getByRole('combobox', { name: 'Search devices' }).pressSequentially('tag:')
      await page.getByRole('option', { name: /^tag:garden/ }).waitFor()
    },
  },
  {
    name: 'shortcuts',
    path: () => '/tags',
    ready: async (page) => {
      await page.getByText('garden').first().waitFor()
      await page.keyboard.press('?')
      await page.getByText('Select the row').waitFor()
    },
  },
  {
    name: 'bell',
    path: () => '/tags',
    ready: async (page) => {
      await page.getByRole('button', { name: /devices are waiting/ }).click()
      // Sessions, or the empty state.
      await page.getByRole('region', { name: 'Recently ended sessions' }).locator('li, p').first().waitFor()
    },
  },
  { name: 'audit-log', path: () => '/audit', ready: shows('Created an API key') },
  { name: 'roles', path: () => '/team?tab=roles', ready: shows('Kiosk staff') },
  {
    name: 'add-role',
    path: () => '/team?tab=roles',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add role' }).click()
      await page.getByLabel('Applies to').waitFor()
    },
  },
  { name: 'audit-streams', path: () => '/audit/streams', ready: shows('splunk.example.com:8088') },
  {
    name: 'add-audit-stream',
    path: () => '/audit/streams',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add stream' }).click()
      await page.getByLabel('Authorization header').waitFor()
    },
  },
  { name: 'announcements', path: () => '/announcements', ready: shows('Maintenance on Saturday') },
  {
    name: 'announcement',
    path: () => '/announcements',
    ready: async (page) => {
      await page.getByRole('link', { name: 'Maintenance on Saturday' }).click()
      await page.getByText('What happens').waitFor()
    },
  },
  { name: 'settings', path: () => '/settings', ready: shows('What people see') },
  { name: 'snippets', path: () => '/settings/snippets', ready: shows('cd /var/log ↵ ls -lt | head') },
  { name: 'profile', path: () => '/profile', ready: shows('Recovery e-mail') },
  { name: 'no-browser-keys', path: () => '/profile/keys', ready: shows('No keys are stored in this browser yet.') },
  { name: 'browser-key-form', path: () => '/profile/keys', ready: openKeyForm },
  { name: 'browser-keys', path: () => '/profile/keys', ready: storeKey },
  {
    name: 'locked-browser-keys',
    path: () => '/profile/keys',
    ready: async (page) => {
      const locked = page.getByText('Unlock your keys')
      const empty = page.getByText('No keys are stored in this browser yet.')
      await locked.or(empty).first().waitFor()
      if (await empty.count()) {
        await storeKey(page)
        await page.reload()
      }
      await locked.waitFor()
    },
  },
  {
    name: 'session',
    path: () => '/sessions',
    ready: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Running' }).getByRole('link').first().click()
      await page.getByText('Session id').waitFor()
    },
  },
  { name: 'not-found', path: () => '/nowhere', ready: shows('Page not found') },
]

const WIDE = { viewport: { width: 1280, height: 800 } }
export const VIEWS = [
  { view: 'light', options: { colorScheme: 'light', ...WIDE } },
  { view: 'dark', options: { colorScheme: 'dark', ...WIDE } },
  { view: 'phone', options: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true } },
] as const
