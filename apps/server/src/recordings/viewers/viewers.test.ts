// Who looks at a recording is told: in the session, to its listeners, and in the audit log.
import { randomBytes } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { postFrame } from '../../testing/http-server.ts'

const { sessions } = operations
const clock = new ManualClock(Date.now())
let server: BootedServer
let person: Person
let device: Awaited<ReturnType<BootedServer['acceptedDevice']>>
beforeAll(async () => {
  server = await bootServer({ clock })
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person)
})
afterAll(() => server.close())

async function recorded(state: 'recording' | 'complete'): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const row = { uid, tenant_id: person.tenant, device_uid: device.uid, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  await postFrame(server, uid, '$ uptime\r\n')
  await server.database.system().updateTable('recordings').set({ state }).where('session_uid', '=', uid).execute()
  return uid
}

const look = (uid: SessionUid) =>
  person.client.open(sessions.getRecord, { params: { uid, seat: '0' }, query: { format: 'cast3', after: '0' } })
async function known(uid: SessionUid) {
  const { body } = await person.client.call(sessions.get, { params: { uid } })
  const events = (body.events.items ?? []).map(({ type, data }) => ({ type, data }))
  return { watchers: body.watchers, events }
}
const audited = async (uid: SessionUid) => {
  const entries = await server.database
    .system()
    .selectFrom('audit_log')
    .select(['action', 'actor_id', 'details'])
    .where('target', '=', uid)
    .execute()
  return entries.map(({ action }) => action)
}

it('names those who watch a running session until they have stopped for a while', async () => {
  const uid = await recorded('recording')
  const by = { by: person.username }
  await look(uid)
  await look(uid)
  expect(await known(uid)).toEqual({ watchers: [person.username], events: [{ type: 'watch', data: by }] })
  await clock.advanceAsync(10_000)
  await look(uid)
  await clock.advanceAsync(14_000)
  expect((await known(uid)).watchers).toEqual([person.username])
  await clock.advanceAsync(2_000)
  await expect
    .poll(() => known(uid))
    .toEqual({
      watchers: [],
      events: [
        { type: 'watch', data: by },
        { type: 'watch-end', data: by },
      ],
    })
  expect(await audited(uid)).toEqual(['recording.watch'])
})

it('notes a look at an ended session once in an hour', async () => {
  const uid = await recorded('complete')
  await look(uid)
  await look(uid)
  await clock.advanceAsync(3_600_000)
  await look(uid)
  expect(await known(uid)).toMatchObject({ watchers: [], events: [{ type: 'play' }, { type: 'play' }] })
  expect(await audited(uid)).toEqual(['recording.play', 'recording.play'])
})

it('leaves nobody as a watcher of a session that is over, even one that is late', async () => {
  const uid = await recorded('recording')
  await look(uid)
  await person.client.call(sessions.close, { params: { uid }, body: { device: device.uid } })
  expect((await known(uid)).watchers).toEqual([])
  await clock.advanceAsync(20_000)
  await expect.poll(async () => (await known(uid)).events.at(-1)?.type).toBe('watch-end')
  await look(uid)
  expect((await known(uid)).watchers).toEqual([])
})
