// Clients and devices that do not read, against the whole gateway: what is held for all of them is bounded.
import { operations } from '@bowline/contract/operations'
import * as n from '@bowline/ssh/wire/numbers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice, judging, signedIn } from '../testing/gateway.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_MAX_UNREAD_MEGABYTES: '4' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const PIECE = new Uint8Array(32_768)

/** A device whose processes read nothing. @param writes whether they write as much as they may */
const unreadingDevice = (writes: boolean): Promise<FakeDevice> =>
  fakeDevice(server, person, (kind, _, stream) => {
    if (kind === 'auth') return judging(stream)
    stream.control({ type: 'started' })
    const fill = (): void => {
      while (stream.write(PIECE.slice()));
    }
    if (!writes) return { data: () => undefined, closed: () => undefined }
    fill()
    return { data: () => undefined, drain: fill, closed: () => undefined }
  })

/** Starts a command on each of so many channels of one client. */
async function runMany(login: string, count: number, window: number) {
  const client = await signedIn(server, login)
  for (let id = 0; id < count; id += 1) {
    const channel = await client.openSession(id, { window })
    client.send(client.channelRequest(channel, 'exec').string('cat').done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
  }
  return client
}

const causesOn = async ({ device }: FakeDevice) => {
  const { body } = await person.client.call(operations.sessions.list, { query: { per_page: '100' } })
  return body.filter((one) => one.device_uid === device.uid).map(({ closed }) => closed?.reason)
}

it('ends a client that leaves too much output unread, and none that leaves little', async () => {
  const device = await unreadingDevice(true)
  const slow = await runMany(device.login('slow'), 1, 0)
  const hoarder = await runMany(device.login('root'), 20, 0)
  const { message } = await hoarder.disconnected()
  expect(message).toMatch(/too much data waits to be read/)
  await expect.poll(() => causesOn(device), { timeout: 10_000 }).toEqual(['unread-output', undefined])
  expect(slow.ended).toBe(false)
})

it('ends a client that sends too much to a device that does not read', async () => {
  const device = await unreadingDevice(false)
  const client = await runMany(device.login('root'), 12, 0)
  for (let id = 0; id < 12; id += 1) for (let sent = 0; sent < 1 << 20; sent += PIECE.length) client.sendData(id, PIECE)
  expect((await client.disconnected()).message).toMatch(/too much data waits to be read/)
})
