// Small screens of recordings: in the list of sessions, where the audit log names who saw one, and on the timeline of the
// player.
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import { recordSession, switchRecordingOn, untilIndexed } from '../long-recording.ts'
import type { Site } from '../site.ts'
import { accessibilityViolations, eventually, hasFocus, openSignedIn, violationsInBothThemes } from '../steps.ts'

const PHONE = { width: 390, height: 844 }
const TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
/** A prompt with a command that the shell marks (OSC 133), and output on a green ground. */
const COMMAND = `printf '$ \\033]133;B\\007water tomatoes\\r\\n\\033]133;C\\007\\033[42m%40s\\033[0m\\r\\n' ''; sleep 1`

const COUNT_COLOURS = (canvas: {
  readonly width: number
  readonly height: number
  getContext(kind: '2d'): { getImageData(...box: number[]): { readonly data: Uint8ClampedArray } }
}): number => {
  const { width, height } = canvas
  if (width === 0 || height === 0) return 0
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  return new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(at * 4, at * 4 + 3).join())).size
}
/** Number of colours on a canvas. */
const colours = (canvas: Locator): Promise<number> => canvas.evaluate(COUNT_COLOURS as never)
export function previewJourneys(site: Site): void {
  describe('previews of recordings', () => {
    let uid: SessionUid
    beforeAll(async () => {
      const { product } = site.world
      await switchRecordingOn(product)
      uid = await recordSession(product, COMMAND, () => Promise.resolve())
      await untilIndexed(product, uid)
    })
    const row = (page: Page): Locator =>
      page.getByRole('row').filter({ has: page.locator(`a[href="/sessions/${uid}/play/0"]`) })
    const button = (page: Page): Locator => row(page).getByRole('button', { name: /^Preview of the recording/ })
    const preview = (page: Page): Locator => page.getByRole('dialog', { name: /^Preview of the recording/ })
    const entries = async (): Promise<number> => {
      const { body } = await site.world.client.call(operations.audit.list, { query: { per_page: '100' } })
      return body.filter(({ action, target }) => action === 'recording.preview' && target === uid).length
    }

    it('shows the last screen while the mouse rests on it, and not before, and the audit log has it once', async () => {
      const { page } = site
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/preview')) asked.push(request.url())
      })
      await page.goto('/sessions')
      await button(page).waitFor()
      expect([asked, await entries()]).toEqual([[], 0])
      await button(page).hover()
      const screen = preview(page).getByRole('img', { name: 'The last screen' })
      await screen.waitFor()
      await eventually(async () => (await colours(screen)) > 2)
      await preview(page).getByText('1 command', { exact: true }).waitFor()
      await preview(page).getByRole('list', { name: 'The last commands' }).getByText('water tomatoes').waitFor()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await page.mouse.move(0, 0)
      await preview(page).waitFor({ state: 'detached' })
      await page.reload()
      await button(page).hover()
      await preview(page).getByText('water tomatoes').first().waitFor()
      await page.keyboard.press('Escape')
      await preview(page).waitFor({ state: 'detached' })
      expect([asked.length, await entries()]).toEqual([2, 1])
    })

    it('sums recordings up in their list, and shows last screens there only where they are asked for', async () => {
      const { page } = site
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/preview')) asked.push(request.url())
      })
      await page.goto('/recordings')
      const item = page
        .getByRole('list', { name: 'Latest recordings' })
        .locator('> li')
        .filter({ has: page.locator(`a[href="/sessions/${uid}/play/0"]`) })
      await item.getByRole('list', { name: 'Summary' }).getByText('2 commands', { exact: true }).waitFor()
      await item.getByText('printf', { exact: true }).waitFor()
      expect(asked).toEqual([])
      await page.getByLabel('Show last screens').check()
      await page.waitForURL('**screens=yes**')
      await item.scrollIntoViewIfNeeded()
      await eventually(async () => (await colours(item.getByRole('img', { name: 'The last screen' }))) > 2)
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      expect(await entries()).toBe(1)
      await page.goto(`/sessions/${uid}`)
      await page.getByRole('list', { name: 'Summary' }).getByText('2 commands', { exact: true }).waitFor()
    })

    it('lists what was typed, and the end, in the timeline of the session, each command at its moment', async () => {
      const { page } = site
      await page.goto(`/sessions/${uid}`)
      const timeline = page.getByRole('region', { name: 'Timeline' })
      await timeline.getByRole('listitem').filter({ hasText: /Ended/ }).last().waitFor()
      expect(await accessibilityViolations(page)).toEqual([])
      await timeline.getByRole('listitem').filter({ hasText: 'Command typed' }).getByRole('link').click()
      await page.waitForURL(new RegExp(`/sessions/${uid}/play/0[?]t=\\d+`))
    })

    it('opens by a key, takes the focus and gives it back', async () => {
      const { page } = site
      await page.goto('/sessions')
      await button(page).waitFor()
      await page.mouse.move(0, 0)
      await button(page).focus()
      expect(await preview(page).count()).toBe(0)
      await page.keyboard.press('Enter')
      const play = preview(page).getByRole('link', { name: /^Play the recording/ })
      await eventually(() => hasFocus(play))
      await page.keyboard.press('Escape')
      await preview(page).waitFor({ state: 'detached' })
      await eventually(() => hasFocus(button(page)))
    })

    it('opens by a tap on a phone, and fits it', async () => {
      const options = { baseURL: site.world.product.console, viewport: PHONE, hasTouch: true }
      const { context, page, complaints } = await openPage(site.browser, options)
      await openSignedIn(page, site.world.product, '/sessions')
      await button(page).tap()
      await preview(page).getByRole('img', { name: 'The last screen' }).waitFor()
      expect(await page.evaluate(TOO_WIDE)).toBe(false)
      const box = await preview(page).boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= PHONE.width).toBe(true)
      expect(await accessibilityViolations(page)).toEqual([])
      await page.getByRole('heading', { name: 'Sessions' }).tap()
      await preview(page).waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    })

    it('shows the screen at the moment of the timeline under the pointer, and after a key', async () => {
      const { page } = site
      await page.goto(`/sessions/${uid}/play/0`)
      const slider = page.getByRole('slider', { name: 'Time' })
      await page.locator('figure[aria-busy=false]').waitFor()
      const thumbnail = page.locator('[data-thumbnail]')
      expect(await thumbnail.count()).toBe(0)
      const { width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
      await slider.hover({ position: { x: width * 0.9, y: height / 2 } })
      await eventually(async () => (await colours(thumbnail.locator('canvas'))) > 2)
      const under = Number(await thumbnail.getAttribute('data-thumbnail'))
      expect(under / Number(await slider.getAttribute('max'))).toBeCloseTo(0.9, 1)
      await page.mouse.move(0, 0)
      await thumbnail.waitFor({ state: 'detached' })
      await slider.focus()
      await page.keyboard.press('5')
      await thumbnail.waitFor()
      await thumbnail.waitFor({ state: 'detached' })
    })
  })
}
