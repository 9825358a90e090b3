// Doors of tunnels against pages of other tunnels, in a browser: hosts below one domain are one site to it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type World, startWorld } from './world.ts'

let world: World
let browser: Browser
let guarded: Tunnel
let foreign: Tunnel
let context: BrowserContext
let page: Page
const services: Server[] = []
/** What has reached the guarded service. */
let reached: string[] = []

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld(), launchBrowser()])
  const secret = await serve((line, html) => {
    if (!line.endsWith('favicon.ico')) reached.push(line)
    html('<!doctype html><title>Secret</title><h1>Secret</h1><button>Delete</button>')
  })
  const other = await serve((_, html) => html('<!doctype html><title>Other</title><h1>Other</h1>'))
  guarded = await world.openTunnel(secret, { door: 'namespace' })
  foreign = await world.openTunnel(other)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
  for (const service of services) service.close()
})
beforeEach(async () => {
  context = await browser.newContext({ ignoreHTTPSErrors: true })
  page = await context.newPage()
  const params = { address: guarded.address }
  const { body } = await world.client.call(operations.tunnels.visit, { params, body: { path: '/inside' } })
  await page.goto(body.url)
  await page.getByRole('heading', { name: 'Secret' }).waitFor()
  await page.goto(originOf(foreign))
  await page.getByRole('heading', { name: 'Other' }).waitFor()
  reached = []
})
afterEach(() => context.close())

/** A service with pages. @returns its port */
async function serve(answer: (line: string, html: (text: string) => void) => void): Promise<number> {
  const service = createServer((incoming, outgoing) => {
    outgoing.setHeader('content-type', 'text/html')
    answer(`${incoming.method} ${incoming.url}`, (text) => outgoing.end(text))
  })
  services.push(service)
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  return (service.address() as AddressInfo).port
}

const originOf = ({ full_address: host }: Tunnel): string => `https://${host}:${world.port}`

it('follows a link from another tunnel', async () => {
  await page.evaluate(`location.href = '${originOf(guarded)}/linked'`)
  await page.getByRole('heading', { name: 'Secret' }).waitFor()
  expect(reached).toContain('GET /linked')
})

it.each(['iframe', 'embed', 'object'])(
  'shows nothing in an <%s> of another tunnel, where clicks could be stolen',
  async (tag) => {
    const attribute = tag === 'object' ? 'data' : 'src'
    const answered = page.waitForResponse(/\/framed/)
    await page.evaluate(`{
    const frame = document.createElement('${tag}')
    frame.${attribute} = '${originOf(guarded)}/framed'
    document.body.append(frame)
  }`)
    expect((await answered).status()).toBe(403)
    expect(reached).toEqual([])
  },
)

it.each([
  ['fetch', `fetch('URL', { credentials: 'include', mode: 'no-cors' })`],
  ['fetch with a body', `fetch('URL', { credentials: 'include', method: 'POST', mode: 'no-cors', body: 'x' })`],
  ['an image', `new Promise((done) => Object.assign(new Image(), { src: 'URL', onload: done, onerror: done }))`],
  [
    'a script',
    `new Promise((done) => document.body.append(
      Object.assign(document.createElement('script'), { src: 'URL', onload: done, onerror: done })))`,
  ],
  [
    'a WebSocket',
    `new Promise((done) => Object.assign(new WebSocket('URL'.replace('https', 'wss')), { onclose: done, onopen: done }))`,
  ],
  [
    'an event stream',
    `new Promise((done) => Object.assign(new EventSource('URL', { withCredentials: true }), { onerror: done, onopen: done }))`,
  ],
])('lets %s of another tunnel reach nothing', async (_, script) => {
  await page.evaluate(`(async () => { await ${script.replaceAll('URL', `${originOf(guarded)}/asked`)} })()`)
  expect(reached).toEqual([])
})

it('takes no form of another tunnel', async () => {
  await page.evaluate(`{
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '${originOf(guarded)}/formed' })
    document.body.append(form)
    form.submit()
  }`)
  await page.getByText('another origin').waitFor()
  expect(reached).toEqual([])
})

it('gives its cookies to no script, no other tunnel and not to the console', async () => {
  const cookies = await context.cookies()
  expect(cookies.map(({ name, httpOnly, secure, domain }) => ({ name, httpOnly, secure, domain }))).toEqual([
    { name: '__Host-bowline-tunnel', httpOnly: true, secure: true, domain: guarded.full_address },
  ])
})
