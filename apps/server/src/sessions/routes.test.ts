// One session over HTTP: reading, ending and marking it. Ending a live connection is tested with real clients.
import { randomBytes, randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'

const { sessions, audit } = operations
let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  person = await server.addPerson(`p${randomUUID().slice(0, 8)}`)
  device = await server.acceptedDevice(person)
})
afterAll(() => server.close())

async function row(values: { username?: string; active?: boolean; authenticated?: boolean } = {}): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const of = { uid, tenant_id: person.tenant, device_uid: device.uid, username: 'root', type: 'term' as const }
  await server.database
    .system()
    .insertInto('sessions')
    .values({ ...of, ...values })
    .execute()
  return uid
}
const get = async (uid: SessionUid) => (await person.client.call(sessions.get, { params: { uid } })).body
const close = (uid: SessionUid, of: { uid: string } = device) =>
  outcome(person.client.call(sessions.close, { params: { uid }, body: { device: of.uid } }))

describe('reading a session', () => {
  it('returns a session with its device and ordered events, which lists omit', async () => {
    const uid = await row()
    const of = { tenant_id: person.tenant, session_uid: uid }
    await server.database
      .system()
      .insertInto('session_events')
      .values([
        { ...of, seat: 0, type: 'pty-req', data: { term: 'xterm' } },
        { ...of, seat: 1, type: 'exec' },
      ])
      .execute()
    const session = await get(uid)
    expect(session).toMatchObject({ uid, device_uid: device.uid, device: { uid: device.uid }, closed: null })
    expect(session.events.items?.map(({ type, seat, data }) => [type, seat, data])).toEqual([
      ['pty-req', 0, { term: 'xterm' }],
      ['exec', 1, {}],
    ])
    const { body } = await person.client.call(sessions.list, {})
    expect(body.every(({ events }) => events.items === undefined)).toBe(true)
  })

  it('answers 404 for an unknown session', async () => {
    const uid = SessionUid.parse('a'.repeat(64))
    expect(await outcome(get(uid))).toBe('404 NOT_FOUND')
    expect(await close(uid)).toBe('404 NOT_FOUND')
  })
})

describe('ending a session', () => {
  it('closes a session without a connection, with an administrator as cause', async () => {
    const uid = await row({ active: true, authenticated: true })
    expect(await close(uid)).toBe('200')
    const session = await get(uid)
    expect(session).toMatchObject({ active: false, authenticated: true, closed: { by: 'admin', reason: 'closed' } })
    expect(await close(uid)).toBe('200')
    expect((await get(uid)).closed).toEqual(session.closed)
    const [last] = (await person.client.call(audit.list, {})).body
    expect(last).toMatchObject({ action: 'session.close', target: uid })
  })

  it('rejects ending a session with another device’s uid', async () => {
    const [uid, other] = [await row(), await server.acceptedDevice(person)]
    expect(await close(uid, other)).toBe('400 INVALID_INPUT device')
    expect(await close(uid, { uid: 'x' })).toBe('400 INVALID_INPUT device')
    expect((await get(uid)).closed).toBeNull()
  })
})

it('marks a session as authenticated or not', async () => {
  const uid = await row()
  const mark = (authenticated: boolean) =>
    person.client.call(sessions.setAuthenticated, { params: { uid }, body: { authenticated } })
  await mark(true)
  expect((await get(uid)).authenticated).toBe(true)
  await mark(false)
  expect((await get(uid)).authenticated).toBe(false)
})
