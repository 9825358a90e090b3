// Undoing an acceptance: by whom, how long, and of what.
import { randomUUID } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { type DeviceUid, SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome, setStatus } from '../testing/boot.ts'

const { devices, auth, audit } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const undo = ({ client }: Person, { uid }: { readonly uid: DeviceUid }) =>
  outcome(client.call(devices.undoAccept, { params: { uid } }))
const statusOf = async ({ client }: Person, { uid }: { readonly uid: DeviceUid }) =>
  (await client.call(devices.get, { params: { uid } })).body.status

it.each(['pending', 'rejected'] as const)('gives a device that was %s its status back, once', async (before) => {
  const person = await newcomer()
  const device = await server.registerDevice(person.tenant)
  if (before === 'rejected') await setStatus(person, device.uid, 'reject')
  await setStatus(person, device.uid, 'accept')
  expect(await undo(person, device)).toBe('200')
  expect(await statusOf(person, device)).toBe(before)
  expect(await undo(person, device)).toBe('409 ACCEPTANCE_FINAL')
  const { body } = await person.client.call(audit.list, { query: { action: 'device.accept-undo' } })
  expect(body).toMatchObject([{ details: { before: 'accepted', after: before } }])
  await setStatus(person, device.uid, 'accept')
  expect(await statusOf(person, device)).toBe('accepted')
})

it('ends 15 minutes after the acceptance', async () => {
  const person = await newcomer()
  const [early, late] = [await server.acceptedDevice(person), await server.acceptedDevice(person)]
  clock.advance(15 * 60_000 - 1_000)
  expect(await undo(person, early)).toBe('200')
  clock.advance(1_000)
  expect(await undo(person, late)).toBe('409 ACCEPTANCE_FINAL')
})

it('ends with the first session, and not with somebody who only tries', async () => {
  const person = await newcomer()
  const [tried, used] = [await server.acceptedDevice(person), await server.acceptedDevice(person)]
  const row = { tenant_id: person.tenant, username: 'root', type: 'term' as const, started_at: new Date(clock.now()) }
  await server.database
    .system()
    .insertInto('sessions')
    .values([
      { ...row, uid: SessionUid.parse('1'.repeat(64)), device_uid: tried.uid, authenticated: false },
      { ...row, uid: SessionUid.parse('2'.repeat(64)), device_uid: used.uid, authenticated: true },
    ])
    .execute()
  expect(await undo(person, tried)).toBe('200')
  expect(await undo(person, used)).toBe('409 ACCEPTANCE_FINAL')
})

it('is for whoever accepted the device, and not for one that has replaced another', async () => {
  const owner = await newcomer()
  const guest = await newcomer()
  await server.addMember(owner.tenant, guest.id, 'operator')
  const { body } = await guest.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  const device = await server.acceptedDevice(owner)
  expect(await undo({ ...guest, client: server.client(body.token) }, device)).toBe('409 ACCEPTANCE_FINAL')
  expect(await undo(await newcomer(), device)).toBe('404 NOT_FOUND')
  const mac = '02:00:00:00:07:11'
  await server.acceptedDevice(owner, { hostname: 'gate', identity: { mac } })
  const other = await server.registerDevice(owner.tenant, { hostname: 'other', identity: { mac } })
  await setStatus(owner, other.uid, 'accept')
  expect(await undo(owner, other)).toBe('409 ACCEPTANCE_FINAL')
})
