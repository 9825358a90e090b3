// A session that a rule let in, and that goes on from another place by approved access alone.
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { fakeDevice } from '../testing/gateway.ts'
import { readyPage, resumedPage } from '../gateway/web/testing.ts'
import { addRule, approve, ask, memberOf } from './testing.ts'

let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({
    clock,
    settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8,192.0.2.0/24', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  await server.setUpAccount()
})
afterAll(() => server.close())

it.each([true, false])('ends with the access; end_disallowed_sessions: %s', async (ends) => {
  const owner = await server.addPerson(`owner-${ends}`)
  const member = await memberOf(server, owner, 'operator')
  const device = await fakeDevice(server, owner)
  const settings = { end_disallowed_sessions: ends }
  await owner.client.call(operations.namespaces.update, { params: { tenant: owner.tenant }, body: { settings } })
  await addRule(owner)
  await addRule(owner, { action: 'allow', priority: 5, source_networks: ['127.0.0.0/8'] })
  await approve(owner.client, await ask(member.client, { device: device.device.uid }), 15)
  const person = { ...member.person, client: member.client }
  const { page, session, token } = await readyPage(server, person, device.device.uid)
  page.socket.terminate()
  const resumed = await resumedPage(server, token, page.output(), '192.0.2.7')
  await resumed.next('resumed')
  const closed = async () => {
    const rows = server.database
      .system()
      .selectFrom('sessions')
      .selectAll()
      .where('uid', '=', SessionUid.parse(session))
    return (await rows.execute()).find((row) => row.closed_at !== null)
  }
  expect(await closed()).toBeUndefined()
  clock.advance(16 * 60_000)
  await until(closed)
  expect(resumed.messages.at(-1)).toMatchObject({ type: 'ended', reason: 'access-expired' })
})
