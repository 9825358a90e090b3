// Recordings in the browser: a real session from end to end, ten hours in a few requests, a tampered one, one still
// being made, and hostile output.
import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Locator, Page, Request, Response } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPage } from '../../support/browser.ts'
import {
  exchangeRecording,
  longCast,
  newestRecording,
  recordSession,
  switchRecordingOn,
  untilIndexed,
} from '../long-recording.ts'
import type { Site } from '../site.ts'
import { accessibilityViolations, openSignedIn, violationsInBothThemes } from '../steps.ts'

const LONG_BYTES = 8_000_000
const HOSTILE = [
  // First, because they remove lines.
  '\\033[2147483647L\\033[2147483647b\\302\\2332147483647M',
  '\\033]0;owned\\007',
  '\\033]8;;javascript:alert(1)\\033\\\\click-me\\033]8;;\\033\\\\',
  '\\033]52;c;b3duZWQ=\\007',
  '\\033[6n\\033[c\\033[>c\\033[21t\\033P$qowned\\033\\\\\\005',
  // C1 controls as single characters (ECMA-48 section 5.3).
  '\\302\\2352;owned\\302\\234\\302\\2336n\\302\\220$qm\\302\\234',
  '<img src=x onerror=document.title=1>',
].join('')

const address = (uid: SessionUid, search = ''): string => `/sessions/${uid}/play/0${search}`
const screenText = (page: Page): Locator => page.getByRole('log', { name: 'Screen of the recording' })
const time = (page: Page): Locator => page.getByRole('slider', { name: 'Time' })

/** Waits until the requested moment is on the screen. */
const shown = (page: Page) => page.locator('figure[aria-busy=false]').waitFor()

export function playerJourneys(site: Site): void {
  describe('the player', () => {
    let short: SessionUid
    let long: SessionUid
    let followed: SessionUid

    beforeAll(async () => {
      const { product } = site.world
      await switchRecordingOn(product)
      short = await recordSession(product, `printf 'sun\\153en treasure\\r\\n'; printf '${HOSTILE}\\r\\n'`, (_, type) =>
        Promise.resolve(type('the last words\n')),
      )
      long = await recordSession(product, 'true', () => exchangeRecording(product, longCast(LONG_BYTES)))
      await Promise.all([untilIndexed(product, short), untilIndexed(product, long, 90_000)])
    })

    it('plays a session from its row to its end, neutralizing escape sequences', async () => {
      const { page, world } = site
      const { origin } = new URL(world.product.console)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
      await page.goto('/sessions')
      await page.evaluate(`navigator.clipboard.writeText('mine')`)
      await page.locator(`a[href="${address(short)}"]`).click()
      await page.getByText('Verified', { exact: true }).waitFor()
      const sent: string[] = []
      const note = (request: Request): void => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
      }
      page.on('request', note)
      page.on('websocket', (socket) => sent.push(socket.url()))
      await page.getByRole('tab', { name: 'Text' }).click()
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await page.getByRole('button', { name: 'Play again' }).waitFor()
      const output = await screenText(page).filter({ hasText: 'the last words' }).textContent()
      expect(output).toContain('sunken treasure')
      expect(output).toContain('click-me<img src=x onerror=document.title=1>')
      expect(await page.title()).toMatch(/^Recording of /)
      expect(await page.locator('a[href^="javascript"], img').count()).toBe(0)
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mine')
      expect(sent).toEqual([])
      page.off('request', note)
    })

    it('finds words in a recording and jumps to them, by mouse and by keys', async () => {
      const { page } = site
      await page.goto(address(short))
      await shown(page)
      await page.getByRole('tab', { name: 'Text' }).click()
      const focused = await page.evaluate(`
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }))
        document.activeElement?.getAttribute('type')
      `)
      expect(focused, 'the very next key is a letter of the field').toBe('search')
      await page.keyboard.type('sunken')
      await page.keyboard.press('Enter')
      await page.getByText('1 hit').waitFor()
      expect(page.url()).toContain('q=sunken')
      await page.getByRole('button', { name: /sunken treasure/ }).click()
      await shown(page)
      await page.getByRole('tab', { name: 'Text' }).click()
      await screenText(page).filter({ hasText: 'sunken treasure' }).waitFor()
    })

    it('opens at the first hit of the words in its address', async () => {
      const { page } = site
      await page.goto(address(short, '?q=sunken'))
      await page.getByText('1 hit').waitFor()
      await page
        .getByRole('button', { name: /sunken treasure/ })
        .and(page.locator('[aria-current=true]'))
        .waitFor()
      await page.getByRole('tab', { name: 'Text' }).click()
      await screenText(page).filter({ hasText: 'sunken treasure' }).waitFor()
      expect(new URL(page.url()).searchParams.get('t')).toBeNull()
    })

    it('shows any moment of ten hours by fetching a small part of them', async () => {
      const { page } = site
      let requests = 0
      let bytes = 0
      const count = (response: Response): void => {
        if (!response.url().includes('/records/0?')) return
        requests += 1
        response.body().then(
          (body) => (bytes += body.length),
          () => undefined,
        )
      }
      page.on('response', count)
      await page.goto(address(long, '?t=18000'))
      await page.getByRole('tab', { name: 'Text' }).click()
      await screenText(page).filter({ hasText: 'tick 18000' }).waitFor()
      expect(await screenText(page).textContent()).not.toContain('tick 18001')
      await time(page).focus()
      await page.keyboard.press('7')
      await screenText(page).filter({ hasText: 'tick 25200' }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await screenText(page).filter({ hasText: 'tick 25195' }).waitFor()
      await page.keyboard.press('.')
      await screenText(page).filter({ hasText: 'tick 25196' }).waitFor()
      expect(await screenText(page).textContent()).not.toContain('tick 25197')
      await time(page).fill('3600500')
      await screenText(page).filter({ hasText: 'tick 3600' }).waitFor()
      expect(requests).toBeLessThanOrEqual(4 * 5)
      expect(bytes).toBeLessThan(LONG_BYTES / 2)
      page.off('response', count)
    })

    it('plays at another speed, pauses, and shows that and where the recording was altered', async () => {
      const { page } = site
      await page.goto(address(long))
      await page
        .getByRole('alert')
        .getByText(/^Chunk 0: /)
        .waitFor()
      await page.getByText('Changed in chunk 0').waitFor()
      await shown(page)
      await page.keyboard.press('>')
      await page.keyboard.press('>')
      const speed = page.getByRole('combobox', { name: 'Speed' })
      expect(await speed.inputValue()).toBe('2')
      await speed.selectOption('16')
      await page.getByRole('tab', { name: 'Text' }).click()
      await time(page).focus()
      await page.keyboard.press('Space')
      await screenText(page)
        .filter({ hasText: /tick \d{2,}/ })
        .waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
      const paused = await time(page).inputValue()
      expect(Number(paused)).toBeGreaterThan(10_000)
    })

    it('follows a session while it is running', async () => {
      const { page, world } = site
      followed = await recordSession(world.product, 'true', async (session, type) => {
        await page.goto(address(session.uid))
        await page.getByRole('button', { name: 'Go to live' }).waitFor()
        await page.getByRole('tab', { name: 'Text' }).click()
        type('output just now\n')
        await screenText(page).filter({ hasText: 'output just now' }).waitFor()
        expect(await time(page).inputValue()).toBe(await time(page).getAttribute('max'))
      })
    })

    it('finds a recording by words in all sessions, and detects a flipped byte', async () => {
      const { page, world } = site
      const file = await newestRecording(world.product.dataFolder)
      await page.goto('/recordings')
      const latest = page.getByRole('list', { name: 'Latest recordings' })
      await latest
        .getByText(/echo ready/)
        .first()
        .waitFor()
      expect(await latest.locator('> li').count()).toBeLessThanOrEqual(10)
      await page.getByRole('searchbox', { name: /Search commands and output/ }).fill('tick 31234')
      const hit = page.getByRole('link', { name: /tick 31234/ })
      await hit.waitFor()
      // None of the sessions is from then.
      await page.getByRole('button', { name: 'Date' }).click()
      const calendar = page.getByRole('dialog', { name: 'Date' })
      await calendar.getByRole('button', { name: 'Previous month' }).click()
      expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
      await calendar.getByRole('button', { name: / 3, / }).click()
      await calendar.getByRole('button', { name: / 1, / }).click()
      await page.getByText('No matches').waitFor()
      const { searchParams } = new URL(page.url())
      expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
        expect.stringMatching(/^\d{4}-\d{2}-01$/),
        expect.stringMatching(/^\d{4}-\d{2}-03$/),
      ])
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await hit.click()
      await page.getByRole('tab', { name: 'Text' }).click()
      await screenText(page).filter({ hasText: 'tick 31234' }).waitFor()
      const bytes = await readFile(file, 'latin1')
      await writeFile(file, bytes.replace('output just now', 'output just NOW'), 'latin1')
      await page.goto('/sessions')
      await page.locator(`a[href="${address(followed)}"]`).click()
      expect(await page.getByText(/^Changed in chunk/).textContent()).toMatch(/ \d+$/)
    })

    it('verifies, downloads and deletes a recording on the page of its session', async () => {
      const { page, world } = site
      await page.goto(`/sessions/${short}`)
      const part = page.getByRole('region', { name: 'Recording' })
      await part.getByRole('button', { name: 'Verify integrity' }).click()
      await part.getByText('Unchanged').waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        part.getByRole('button', { name: 'Download' }).click(),
      ])
      expect(await text(await download.createReadStream())).toMatch(/^\{"version":3,[\s\S]*sunken treasure/)
      await part.getByRole('link', { name: /^Play/ }).click()
      await page.waitForURL(`**${address(short)}`)
      await page.goBack()
      await part.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete the recording?' }).getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Recording deleted.').waitFor()
      await part.waitFor({ state: 'detached' })
      const { body } = await world.client.call(operations.sessions.get, { params: { uid: short } })
      expect(body.recorded).toBe(false)
    })

    it('shows the player accessibly in both themes, and fits a phone', async () => {
      const { world, browser } = site
      const { context, page } = await openPage(browser, { baseURL: world.product.console })
      await openSignedIn(page, world.product, '/devices')
      const found: Record<string, unknown> = {}
      const check = async (name: string): Promise<void> => {
        const light = await accessibilityViolations(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await accessibilityViolations(page)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 390, height: 844 })
        const tooWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        )
        await page.setViewportSize({ width: 1280, height: 800 })
        if (light.length || dark.length || tooWide) found[name] = { light, dark, tooWide }
      }
      await page.goto(address(long, '?t=18000&q=tick'))
      await page.getByText('Changed in chunk 0').waitFor()
      await page.getByRole('button', { name: /tick/ }).first().waitFor()
      await check('search')
      await page.getByRole('tab', { name: 'Events' }).click()
      await check('events')
      await page.getByRole('tab', { name: 'Text' }).click()
      await screenText(page).waitFor()
      await check('text')
      await page.goto('/recordings?q=tick')
      await page.getByRole('link', { name: /tick/ }).first().waitFor()
      await check('recordings')
      expect(found).toEqual({})
      await context.close()
    })
  })
}
