// Development through a tunnel: Vite's server on the device, its page in Chromium by the tunnel's domain, and a change of
// a file that shows without a reload.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { freePort } from '@bowline/testkit/free-port'
import { root } from '../support/product.ts'
import { type Running, run } from '../support/running.ts'
import { until } from '../support/wait.ts'
import { type World, startWorld } from './world.ts'

let world: World
let browser: Browser
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-vite-'))
  ;[world, browser] = await Promise.all([startWorld(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const PAGE = '<!doctype html><title>Board</title><h1></h1><script type="module" src="/main.js"></script>'
const MAIN = `import { words } from './words.js'
import './colour.css'
const show = (text) => (document.querySelector('h1').textContent = text)
show(words)
import.meta.hot.accept('./words.js', (changed) => show(changed.words))`

async function startVite(port: number): Promise<Running> {
  const settings = { server: { host: '127.0.0.1', port, strictPort: true, allowedHosts: ['.tunnels.localhost'] } }
  const files = {
    'index.html': PAGE,
    'main.js': MAIN,
    'words.js': "export const words = 'before'",
    'colour.css': 'h1 { color: rgb(1, 2, 3) }',
    'vite.config.js': `export default ${JSON.stringify(settings)}`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const vite = run([process.execPath, join(root, 'node_modules/vite/bin/vite.js')], { cwd: folder })
  await until('Vite listens', () => vite.output().includes(String(port)) || vite.child.exitCode !== null, 60_000)
  return vite
}

it('shows a page of Vite, and its changes without a reload', async () => {
  const port = await freePort()
  const vite = await startVite(port)
  try {
    const { full_address: host } = await world.openTunnel(port)
    const origin = `https://${host}:${world.port}`
    const { page, complaints, context } = await openPage(browser, { ignoreHTTPSErrors: true }, /favicon|status of 404/)
    const sockets: string[] = []
    page.on('websocket', (socket) => sockets.push(new URL(socket.url()).host))
    const protocols = new Set<unknown>()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    devtools.on('Network.responseReceived', ({ response }) => protocols.add(response.protocol))

    await page.goto(`${origin}/`)
    await page.getByRole('heading', { name: 'before' }).waitFor()
    await page.evaluate('globalThis.isSamePage = true')
    await writeFile(join(folder, 'words.js'), "export const words = 'after'")
    await page.getByRole('heading', { name: 'after' }).waitFor()
    await writeFile(join(folder, 'colour.css'), 'h1 { color: rgb(4, 5, 6) }')
    await page.waitForFunction("getComputedStyle(document.querySelector('h1')).color === 'rgb(4, 5, 6)'")
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    // Vite's client would try the port of the device when the tunnel carries no WebSocket.
    expect(new Set(sockets)).toEqual(new Set([`${host}:${world.port}`]))
    expect(protocols).toEqual(new Set(['h2']))
    expect(complaints).toEqual([])
    await context.close()
  } finally {
    await vite.end()
  }
})
