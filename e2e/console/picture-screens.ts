// Screens that are captured for the docs only: a terminal with a session, and the recording of another one.
import { userInfo } from 'node:os'
import type { Page } from 'playwright-core'
import { recordSession, switchRecordingOn, untilIndexed } from './long-recording.ts'
import { type Screen, SCREENS } from './screens.ts'
import type { World } from './world.ts'

/** Commands, and the text on the screen after each of them. */
const COMMANDS = [
  ['cat /etc/debian_version', 'debian_version[^]*\\d'],
  ['df -h /', 'Mounted'],
  ['ls --color=always /etc | head -12', 'adduser.conf'],
] as const

/** All screens, including those that need earlier sessions. */
export async function screensToDraw(world: World): Promise<readonly Screen[]> {
  const { product, own } = world
  await switchRecordingOn(product)
  const shown = COMMANDS.map(([command]) => `echo '$ ${command}'; ${command}; sleep 2`).join('; ')
  const uid = await recordSession(product, shown, () => Promise.resolve())
  await untilIndexed(product, uid)
  const signIn = async (page: Page) => {
    await page.getByLabel('User on the device').fill(userInfo().username)
    await page.getByLabel('Password on the device').fill(product.device_password)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
  }
  const terminal: Screen = {
    name: 'terminal',
    path: () => `/terminal?device=${own.uid}`,
    async ready(page) {
      await signIn(page)
      await page.getByRole('tab', { name: `${own.name}, connected` }).waitFor()
      const prompt = async (behind: string) => {
        const hasText = new RegExp(`${behind}[^]*[#$]\\s*$`)
        await page.locator('.xterm-accessibility-tree', { hasText }).waitFor({ state: 'attached' })
      }
      await prompt('Connected to')
      for (const [command, output] of COMMANDS) {
        await page.keyboard.type(command)
        await page.keyboard.press('Enter')
        await prompt(output)
      }
    },
  }
  const files: Screen = {
    name: 'files',
    path: () => `/devices/${own.uid}/files?path=/etc`,
    async ready(page) {
      await signIn(page)
      await page.getByRole('row').filter({ hasText: 'debian_version' }).waitFor()
    },
  }
  const player: Screen = {
    name: 'player',
    path: () => `/sessions/${uid}/play/0?q=etc`,
    async ready(page) {
      await page.getByText('Verified', { exact: true }).waitFor()
      await page.locator('figure[aria-busy=false]').waitFor()
      await page.keyboard.press('End')
      await page.getByRole('tab', { name: 'Text' }).click()
      await page.getByRole('log').filter({ hasText: 'ready' }).waitFor()
    },
  }
  const preview: Screen = {
    name: 'session-preview',
    path: () => '/sessions',
    async ready(page) {
      const row = page.getByRole('row').filter({ has: page.locator(`a[href="/sessions/${uid}/play/0"]`) })
      await row.getByRole('button', { name: /^Preview of the recording/ }).click()
      await page.getByRole('img', { name: 'The last screen' }).waitFor()
    },
  }
  const thumbnail: Screen = {
    name: 'player-thumbnail',
    path: () => `/sessions/${uid}/play/0`,
    async ready(page) {
      await page.locator('figure[aria-busy=false]').waitFor()
      const slider = page.getByRole('slider', { name: 'Time' })
      const { width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
      await slider.hover({ position: { x: width * 0.7, y: height / 2 } })
      await page.locator('[data-thumbnail] canvas').waitFor()
    },
  }
  const recordings: Screen = {
    name: 'recordings',
    path: () => '/recordings',
    ready: (page) => page.getByRole('list', { name: 'Latest recordings' }).getByRole('link').first().waitFor(),
  }
  const ended: Screen = {
    name: 'ended-session',
    path: () => `/sessions/${uid}`,
    ready: (page) => page.getByText('Verify integrity').waitFor(),
  }
  return [...SCREENS, terminal, files, player, thumbnail, preview, recordings, ended]
}
