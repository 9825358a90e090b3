// Health that real agents of this machine report, in the console.
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withDatabase } from '../../../bench/src/site/seed.ts'
import { type Agent, startAgent } from '../../support/agent.ts'
import { launchBrowser, openPage } from '../../support/browser.ts'
import { type Server, startServer } from '../../support/server.ts'
import { until } from '../../support/wait.ts'
import { openSignedIn, rowOf, violationsInBothThemes } from '../steps.ts'

let browser: Browser
let server: Server
const agents: Agent[] = []
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), startServer()])
})
afterAll(async () => {
  await browser.close()
  for (const agent of agents) await agent.remove()
  await server.remove()
})

async function device(name: string, settings: Readonly<Record<string, string>> = {}): Promise<DeviceUid> {
  const agent = await startAgent(server, name, undefined, settings)
  agents.push(agent)
  return agent.device.uid
}
/** The first report of a device: the server polls within ten seconds, and writes within ten. */
async function healthOf(uid: DeviceUid) {
  const { call } = await server.client()
  const look = async () => (await call(operations.devices.get, { params: { uid } })).body.health
  return until('the device has reported', look, 60_000)
}

it('shows the health of a device, finds it when it is in trouble, and says why another does not report', async () => {
  const [greenhouse, silent] = [await device('greenhouse'), await device('silent', { BOWLINE_HEALTH: 'off' })]
  const health = await healthOf(greenhouse)
  expect(health).toMatchObject({ state: 'reported', cpus: expect.any(Number) })
  expect(health.memory).toBeGreaterThan(0)
  expect(health.filesystems.map(({ path }) => path)).toContain('/')
  expect(await healthOf(silent)).toMatchObject({ state: 'off', cpu: null, filesystems: [] })

  // A day of points, for which nobody can wait, and a disk that fills.
  await withDatabase(server.dataFolder, async (database) => {
    // The busy share of this machine is whatever it is.
    await database.query('delete from device_health_points where device_uid = $1', [greenhouse])
    await database.query(
      `insert into device_health_points (device_uid, tenant_id, step_minutes, begins_at, cpu, memory, disk, load, latency)
        select $1, $2, 5, date_trunc('hour', now()) - make_interval(hours => hour), array_fill(20 + hour, '{12}'),
          array_fill(40 + hour, '{12}'), array_fill(80 + hour / 2, '{12}'), array_fill(30 + hour * 5, '{12}'),
          array_fill(10 + hour * 2, '{12}') from generate_series(1, 23) as hour where hour not between 8 and 10`,
      [greenhouse, server.tenant],
    )
    await database.query(`update device_health set disk = 93.4 where device_uid = $1`, [greenhouse])
  })

  const { page, complaints } = await openPage(browser, { baseURL: server.origin })
  await openSignedIn(page, server.account, '/')
  await page.getByRole('link', { name: /^Devices in trouble/ }).click()
  await rowOf(page, 'greenhouse').waitFor()
  await rowOf(page, 'silent').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'greenhouse' }).first().click()
  const card = page.getByRole('region', { name: 'Health' })
  await card.getByText('Disk nearly full').waitFor()
  await card.getByText(/^\/: .+ of .+ free$/).waitFor()
  await card.getByText('93%', { exact: true }).waitFor()
  await card.getByText('Between 21% and 43%').waitFor()
  await card.getByRole('button', { name: 'Show as a table' }).click()
  expect(await card.getByRole('row').count()).toBeGreaterThan(240)
  await card.getByRole('button', { name: 'Hide the table' }).click()
  await card.getByRole('button', { name: '30 days' }).click()
  await card
    .getByText(/^Between/)
    .first()
    .waitFor()
  expect(await violationsInBothThemes(page)).toEqual({ light: [], dark: [] })
  await page.goto(`/devices/${silent}`)
  await page.getByText('The operator of this device has switched reports off.', { exact: false }).waitFor()
  expect(complaints).toEqual([])
})
