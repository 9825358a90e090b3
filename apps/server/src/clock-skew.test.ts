// Two nodes on one database, one with a wrong clock: people and devices must not notice which node serves them.
import { testContext } from './testing/context.ts'
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkUp } from './devices/presence.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, databaseUrl } from './testing/boot.ts'

let right: BootedServer
let ada: Person
beforeAll(async () => {
  right = await bootServer()
  ada = await right.setUpAccount()
})
afterAll(() => right.close())

describe.each([
  ['ahead', 600_000],
  ['behind', -600_000],
])('node whose clock is ten minutes %s', (_, skewMs) => {
  let wrong: BootedServer
  beforeAll(async () => {
    const settings = { BOWLINE_DATABASE_URL: databaseUrl(right.owner), BOWLINE_SECRET_KEY: right.secretKey }
    wrong = await bootServer({ clock: new ManualClock(Date.now() + skewMs), sharedTime: true, settings })
  })
  afterAll(() => wrong.close())

  it('shares tokens between nodes in both directions', async () => {
    expect((await wrong.client(ada.auth.token).call(operations.stats.get, {})).body).toBeDefined()
    const signedIn = await wrong.client().call(operations.auth.login, { body: ada })
    expect((await right.client(signedIn.body.token).call(operations.stats.get, {})).body).toBeDefined()
    const forDevice = await right.registerDevice(ada.tenant)
    expect(forDevice.token).not.toBe('')
  })

  it('reports the same online state of devices as other nodes', async () => {
    const device = await right.acceptedDevice(ada)
    const silent = await right.acceptedDevice(ada)
    const clock = new ManualClock(Date.now() + skewMs)
    const context = testContext(right.database, ada.tenant, { clock })
    expect(await linkUp(context, device.uid, randomUUID(), '203.0.113.9')).toBeDefined()
    const onlineOn = async (node: BootedServer, uid: typeof device.uid) =>
      (await node.client(ada.auth.token).call(operations.devices.get, { params: { uid } })).body.online
    for (const node of [right, wrong]) {
      expect([await onlineOn(node, device.uid), await onlineOn(node, silent.uid)]).toEqual([true, false])
    }
  })

  it('issues API keys that every node accepts', async () => {
    const name = `key-${skewMs < 0 ? 'behind' : 'ahead'}`
    const { body: key } = await wrong
      .client(ada.auth.token)
      .call(operations.apiKeys.create, { body: { name, expires_at: 30 } })
    for (const node of [right, wrong]) {
      expect((await node.fetch('/api/stats', { headers: { 'x-api-key': key.id } })).status).toBe(200)
    }
  })
})
