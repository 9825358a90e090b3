// Bounded storage of failed logins.
import { testContext } from '../testing/context.ts'
import { randomBytes } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'
import { noteRefusal, sweepFailedLogins } from './failed-logins.ts'
import { authenticateSession, endSession, openSession } from './service.ts'

const MINUTE = 60_000
let server: BootedServer
let clock: ManualClock
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await server.addPerson(`p${randomBytes(4).toString('hex')}`)
  device = await server.acceptedDevice(person)
})

const contextOf = (tenant = person.tenant) => testContext(server.database, tenant, { clock })
const sweep = () => sweepFailedLogins(server.database.system(), contextOf, clock.now(), 30)
const newUid = () => SessionUid.parse(randomBytes(32).toString('hex'))
const sessions = () =>
  server.database.system().selectFrom('sessions').selectAll().where('tenant_id', '=', person.tenant)
const trail = async () => {
  const { body } = await person.client.call(operations.audit.list, { query: { per_page: '100' } })
  return body.filter(({ action }) => action.startsWith('session.'))
}

describe('refusals by a firewall rule', () => {
  const refuse = (address: string, rule = 7) =>
    noteRefusal(contextOf(), {
      session: newUid(),
      address,
      rule,
      username: 'root',
      device: { uid: device.uid, name: 'box' },
    })

  it('logs the first refusal immediately and later ones as a count', async () => {
    await Promise.all(Array.from({ length: 30 }, () => refuse('192.0.2.1')))
    await refuse('192.0.2.2')
    await refuse('192.0.2.1', 8)
    expect(await trail()).toHaveLength(3)
    await sweep()
    expect(await trail()).toHaveLength(3)
    clock.advance(11 * MINUTE)
    await sweep()
    const entries = await trail()
    expect(entries).toHaveLength(4)
    expect(entries[0]).toMatchObject({
      action: 'session.refuse',
      ip: '192.0.2.1',
      details: { rule: 7, username: 'root', device: 'box', count: 29 },
    })
    await refuse('192.0.2.1')
    expect(await trail()).toHaveLength(5)
  })
})

const identity = { person: undefined, method: 'password' as const, factor: undefined, key: undefined }

describe('failed logins', () => {
  const open = async (address = '192.0.2.1') => {
    const uid = newUid()
    const session = { uid, device: device.uid, username: 'root', address, type: 'term' as const, node: 'n', identity }
    await openSession(contextOf(), session)
    return uid
  }
  const close = (uid: SessionUid) =>
    endSession(contextOf(), uid, { by: 'user', reason: 'gone', message: 'The connection was closed.' })
  const fill = (startedAt: Date) =>
    server.database
      .system()
      .insertInto('sessions')
      .values(
        Array.from({ length: LIMITS.failedLoginsPerHour }, () => ({
          uid: newUid(),
          tenant_id: person.tenant,
          device_uid: device.uid,
          username: 'root',
          type: 'term' as const,
          started_at: startedAt,
          closed_at: startedAt,
          cause_by: 'user' as const,
          cause_reason: 'gone',
          cause_message: '',
        })),
      )
      .execute()

  it('counts failed logins beyond the hourly limit instead of storing them', async () => {
    await fill(new Date())
    for (let i = 0; i < 3; i += 1) await close(await open())
    expect(await sessions().execute()).toHaveLength(LIMITS.failedLoginsPerHour)
    clock.advance(120 * MINUTE)
    await sweep()
    expect(await trail()).toMatchObject([{ action: 'session.guesses', details: { count: 3 } }])
  })

  it('keeps authenticated sessions beside many failed logins', async () => {
    await fill(new Date())
    const uid = await open()
    await authenticateSession(contextOf(), uid, identity)
    await close(uid)
    expect((await sessions().execute()).filter((row) => row.authenticated)).toHaveLength(1)
  })

  it('deletes failed logins after a month', async () => {
    const days = (count: number) => new Date(clock.now() - count * 86_400_000)
    await fill(days(31))
    await fill(days(29))
    const uid = await open()
    await authenticateSession(contextOf(), uid, identity)
    await server.database
      .system()
      .updateTable('sessions')
      .set({ started_at: days(90) })
      .where('uid', '=', uid)
      .execute()
    await close(uid)
    await sweep()
    expect(await sessions().execute()).toHaveLength(LIMITS.failedLoginsPerHour + 1)
  })
})
