// Behaviours of documentation pages.
import { expect } from 'vitest'
import { type Behaviour, scrollTo, scrollTop } from './behaviour.ts'

export const PAGE_BEHAVIOURS: readonly Behaviour[] = [
  {
    sentence: 'pages can be copied as Markdown',
    options: { permissions: ['clipboard-read', 'clipboard-write'] },
    async check({ page, open }) {
      await open('overview/faq')
      await page.getByRole('button', { name: 'Copy page as Markdown' }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^# Questions and answers\n/)
    },
  },
  {
    sentence: 'feedback goes to the own server',
    async check({ page, open }) {
      await open('overview/faq')
      await page.getByRole('button', { name: 'No', exact: true }).click()
      await page.getByLabel('What is missing or wrong?').fill('an example')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Thank you.').waitFor()
    },
  },
  {
    sentence: 'the install command follows what is chosen, and the choice is in the address',
    async check({ page, open }) {
      await open('developers/agent/installing')
      await page.getByLabel('Address of the server').fill('https://b.example.org/')
      await page.getByLabel('Runs as').selectOption('systemd')
      await page.getByText("curl -fsSL --proto '=https' 'https://b.example.org/install.sh?").first().waitFor()
      await page.getByText('sudo INSTALL_METHOD=systemd sh').waitFor()
      expect(page.url()).toContain('method=systemd')
    },
  },
  {
    sentence: 'what is for another edition is hidden until it is chosen',
    async check({ page, open }) {
      await open('overview/editions')
      const part = page.getByText('At the device limit, accepting another device')
      await part.waitFor({ state: 'hidden' })
      await page.getByLabel('Edition').selectOption('cloud')
      await part.waitFor()
    },
  },
  {
    sentence: 'a call of the API can be sent from its page',
    async check({ page, open }) {
      await open('developers/openapi/community/instance-info')
      await page.getByText('Send it from this page').click()
      await page.getByRole('button', { name: 'Send', exact: true }).first().click()
      await page.locator('.try-it output').getByText('200 OK').waitFor()
    },
  },
  {
    sentence: 'pictures can be zoomed 1000 ms after the route update, and no earlier',
    async check({ page, open }) {
      // Before the first page, whose own timer the second page cancels.
      await page.clock.install()
      await open('user-guides/')
      await page.clock.pauseAt(new Date(Date.now() + 60_000))
      await page.getByRole('link', { name: 'Get started' }).click()
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
      const ready = page.locator('.markdown img.medium-zoom-image')
      await page.clock.runFor(990)
      expect(await ready.count()).toBe(0)
      await page.clock.runFor(20)
      // The page marks them soon after; its clock stands still.
      await ready.first().waitFor()
    },
  },
  {
    sentence: 'a zoomed picture closes 150 ms after a scroll of more than 40 px, and not for a shorter one',
    options: { viewport: { width: 1280, height: 700 } },
    async check({ page, open }) {
      await open('overview/getting-started/')
      const image = page.locator('.markdown img.medium-zoom-image').first()
      await image.scrollIntoViewIfNeeded()
      await image.evaluate((one) => {
        one.addEventListener('medium-zoom:opened', () => one.setAttribute('data-opened', ''))
      })
      await image.click()
      // Scrolls while the picture is still zooming in do not count.
      await page.locator('[data-opened]').waitFor({ state: 'attached' })
      await page.clock.install()
      await page.clock.pauseAt(new Date(Date.now() + 60_000))
      const opened = page.locator('.medium-zoom--opened')
      const from = await scrollTop(page)
      const scrolled = async (pixels: number): Promise<void> => {
        const received = page.evaluate("new Promise((resolve) => addEventListener('scroll', resolve, { once: true }))")
        await scrollTo(page, from - pixels)
        await received
      }
      await scrolled(40)
      await page.clock.runFor(1_000)
      expect(await opened.count()).toBe(1)
      await scrolled(41)
      await page.clock.runFor(140)
      expect(await opened.count()).toBe(1)
      await page.clock.runFor(20)
      expect(await opened.count()).toBe(0)
    },
  },
]
