// Takes pictures of a node that is lost under a running `top`: `node scripts/run.js e2e/cluster/pictures.ts <folder>`. A
// person has two terminals at the first node; the device of one is connected to the node that is killed.
import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { acceptDevice, startAgent } from '../support/agent.ts'
import { launchBrowser } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { openSignedIn } from '../console/steps.ts'
import { startCluster } from './cluster.ts'

const [folder = ''] = process.argv.slice(2)
if (folder === '') throw new Error('usage: node scripts/run.js e2e/cluster/pictures.ts <folder>')
await mkdir(folder, { recursive: true })

await using parts = new AsyncDisposableStack()
const cluster = await startCluster(2)
parts.defer(() => cluster.remove())
const [kept, lost] = cluster.nodes
if (!kept || !lost) throw new Error('there are no two nodes')
const near = await startAgent(kept, 'device-of-the-first')
parts.defer(() => near.remove())
cluster.prefer([1, 0])
const far = await startAgent(cluster.balanced, 'device-of-the-second', acceptDevice, {
  BOWLINE_KEEPALIVE_INTERVAL: '5',
})
parts.defer(() => far.remove())
const browser = await launchBrowser()
parts.defer(() => browser.close())
const page = await browser.newPage({ baseURL: kept.origin, viewport: { width: 1280, height: 800 } })
// Terminals are drawn on a canvas; their text is read from the screen reader copy.
await page.addInitScript(`localStorage.setItem('bowline.terminal', '{"screenReader":true}')`)
await openSignedIn(page, kept.account, '/devices')

for (const { device, target } of [near, far]) {
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('button', { name: `Connect to ${device.name}` }).click()
  await page.getByLabel('User on the device').fill(userInfo().username)
  await page.getByLabel('Password on the device').fill(target.password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('tab', { name: `${device.name}, connected` }).waitFor()
  await page.keyboard.type('top -d 1')
  await page.keyboard.press('Enter')
  await shows(page, 'load average')
}
await picture('1-before-device-of-the-second')
await open(near.device.name)
await picture('2-before-device-of-the-first')
const before = await clockOfTop(page)
await lost.process.end('SIGKILL')
await open(far.device.name)
await page
  .getByText('The connection to the server that holds the device was lost.')
  .first()
  .waitFor({ timeout: 30_000 })
await picture('3-after-device-of-the-second')
await open(near.device.name)
await until('top goes on', async () => (await clockOfTop(page)) !== before)
await picture('4-after-device-of-the-first')
await until('the device is at the first node', () =>
  kept.process
    .output()
    .split('\n')
    .some((line) => line.includes('"ev":"link.up"') && line.includes(far.device.uid)),
)
await open(far.device.name)
await page.getByRole('button', { name: 'Connect again' }).click()
await page.getByRole('tab', { name: `${far.device.name}, connected` }).waitFor()
await picture('5-device-of-the-second-connected-again')

async function open(name: string): Promise<void> {
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
}

async function picture(name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function textOf(of: Page): Promise<string> {
  return (await of.locator('.xterm-accessibility:visible').allTextContents()).join('\n')
}

function shows(of: Page, text: string): Promise<boolean> {
  return until(`the terminal shows ${text}`, async () => (await textOf(of)).includes(text))
}

async function clockOfTop(of: Page): Promise<string> {
  return /top - ([0-9:]+)/.exec(await textOf(of))?.[1] ?? ''
}
