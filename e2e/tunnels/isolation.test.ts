// Two tunnels that do not trust each other, in Chromium: cookies, service workers and headers that act on a whole site.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type World, startWorld } from './world.ts'

let world: World
let browser: Browser
let context: BrowserContext
let page: Page
let victim: Tunnel
let hostile: Tunnel
const services: Server[] = []
/** Cookie headers that the victim's service has got, newest last. */
const cookies: string[] = []
/** Headers that the hostile service answers with. */
let headers: Record<string, string | string[]> = {}

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld(), launchBrowser('--ignore-certificate-errors')])
  victim = await world.openTunnel(
    await serve((incoming, answer) => {
      cookies.push(incoming.headers.cookie ?? '')
      answer.setHeader('set-cookie', 'session=of-the-victim; Path=/; Secure; HttpOnly')
      answer.end('<!doctype html><title>Victim</title><h1>Victim</h1>')
    }),
  )
  hostile = await world.openTunnel(
    await serve((incoming, answer) => {
      for (const [name, value] of Object.entries(headers)) answer.setHeader(name, value)
      if (incoming.url === '/worker.js') {
        answer.setHeader('content-type', 'text/javascript')
        answer.setHeader('service-worker-allowed', '/')
        return answer.end("addEventListener('fetch', (e) => e.respondWith(new Response('of the worker')))")
      }
      return answer.end('<!doctype html><title>Hostile</title><h1>Hostile</h1>')
    }),
  )
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
  for (const service of services) service.close()
})
beforeEach(async () => {
  context = await browser.newContext({ ignoreHTTPSErrors: true })
  page = await context.newPage()
  headers = {}
  await visit(victim)
})
afterEach(() => context.close())

async function serve(answer: (incoming: IncomingMessage, answer: ServerResponse) => void): Promise<number> {
  const service = createServer((incoming, outgoing) => {
    outgoing.setHeader('content-type', 'text/html')
    answer(incoming, outgoing)
  })
  services.push(service)
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  return (service.address() as AddressInfo).port
}

const originOf = ({ full_address: host }: Tunnel): string => `https://${host}:${world.port}`
const consoleOrigin = (): string => `https://localhost:${world.port}`
const visit = (tunnel: Tunnel) => page.goto(`${originOf(tunnel)}/`)

it('binds a cookie to its tunnel, whatever domain its service names', async () => {
  const names = ['Domain=tunnels.localhost', 'domain = .tunnels.localhost', `DOMAIN=${victim.full_address}`]
  headers = { 'set-cookie': names.map((name, index) => `tossed${index}=1; Path=/; ${name}; Secure`) }
  await visit(hostile)
  await visit(victim)
  expect(cookies.at(-1)).toBe('session=of-the-victim')
})

it('keeps the cookies of other tunnels and of the console when a service clears site data', async () => {
  await page.goto(consoleOrigin())
  await page.evaluate("document.cookie = 'kept=1; Secure'; localStorage.setItem('kept', '1')")
  headers = { 'clear-site-data': '"cookies", "storage", "cache"' }
  await visit(hostile)
  headers = { 'clear-site-data': '*' }
  await visit(hostile)
  await visit(victim)
  expect(cookies.at(-1)).toBe('session=of-the-victim')
  await page.goto(consoleOrigin())
  expect(await page.evaluate("document.cookie + localStorage.getItem('kept')")).toContain('kept=1')
})

it('keeps a service worker to its tunnel', async () => {
  await visit(hostile)
  await page.evaluate(
    "navigator.serviceWorker.register('/worker.js', { scope: '/' }).then(() => navigator.serviceWorker.ready)",
  )
  await visit(hostile)
  expect(await page.textContent('body')).toBe('of the worker')
  await visit(victim)
  await page.getByRole('heading', { name: 'Victim' }).waitFor()
  const register = (url: string) =>
    page.evaluate(`navigator.serviceWorker.register('${url}').then(() => 'registered', (error) => error.name)`)
  expect(await register(`${originOf(hostile)}/worker.js`)).toBe('SecurityError')
})

it('keeps the pass of a door out of reach of the scripts of another tunnel', async () => {
  const guarded = await world.openTunnel(Number(new URL(world.server.origin).port), { door: 'namespace' })
  const { body } = await world.client.call(operations.tunnels.visit, {
    params: { address: guarded.address },
    body: { path: '/' },
  })
  await page.goto(body.url)
  const pass = async () =>
    (await context.cookies(originOf(guarded))).filter(({ name }) => name.endsWith('bowline-tunnel'))
  const before = await pass()
  expect(before).toHaveLength(1)
  await visit(hostile)
  // Without an entry in the Public Suffix List browsers let scripts set cookies for the domain of tunnels.
  for (const attributes of ['Domain=tunnels.localhost; Path=/; Secure', 'Path=/; Secure'])
    await page.evaluate(`document.cookie = '__Host-bowline-tunnel=forged; ${attributes}'`)
  expect(await pass()).toEqual(before)
})
