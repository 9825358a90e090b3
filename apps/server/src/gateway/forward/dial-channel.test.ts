// First bytes of a forwarded connection: the device may send the connection, its first bytes and its end in one chunk,
// before the channel to the client exists.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import * as n from '@bowline/ssh/wire/numbers'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { WireWriter } from '@bowline/ssh/wire/writer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { fakeDevice, judging, signedIn } from '../../testing/gateway.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_MAX_CHANNELS: '64' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** A device that runs `speak` synchronously when a connection is opened: one chunk on the wire. */
async function clientOf(speak: (stream: LinkStream) => void): Promise<TestClient> {
  const handler: StreamHandler = { data: () => undefined, closed: () => undefined }
  const device = await fakeDevice(server, person, (kind, _, stream) => {
    if (kind === 'auth') return judging(stream)
    speak(stream)
    return handler
  })
  return signedIn(server, device.login('root'))
}

const TCP = new WireWriter().string('127.0.0.1').uint32(22).string('127.0.0.1').uint32(1_024).done()
const UNIX = new WireWriter().string('/run/some.sock').string('').uint32(0).done()

/** Opens a channel and reads it until the server closes it. */
async function readAll(client: TestClient, id: number, type: string, fields: Uint8Array<ArrayBuffer>) {
  client.sendOpen(type, id, { fields })
  const confirmation = await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION)
  const seen: string[] = []
  for (;;) {
    const payload = await client.next(n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_EOF, n.MSG_CHANNEL_CLOSE)
    if (payload[0] === n.MSG_CHANNEL_CLOSE) break
    seen.push(payload[0] === n.MSG_CHANNEL_EOF ? 'EOF' : payload.subarray(9).toString())
  }
  client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, confirmation.readUInt32BE(5)).done())
  return seen
}

it('delivers bytes that a target sends with the report of its connection', async () => {
  const client = await clientOf((stream) => {
    stream.control({ type: 'connected' })
    stream.write(Buffer.from('welcome, '))
    stream.write(Buffer.from('and goodbye'))
    stream.eof()
    stream.close()
  })
  for (let id = 0; id < 10; id += 1) {
    const seen = await readAll(
      client,
      id,
      id % 2 ? 'direct-tcpip' : 'direct-streamlocal@openssh.com',
      id % 2 ? TCP : UNIX,
    )
    expect(seen.join('')).toBe('welcome, and goodbyeEOF')
  }
})

it('closes the channel of a target that hangs up with the report of its connection', async () => {
  const client = await clientOf((stream) => {
    stream.control({ type: 'connected' })
    stream.close({ by: 'agent', reason: 'reset', message: 'read ECONNRESET' })
  })
  // More than the channel limit: a leaked channel would refuse later ones.
  for (let id = 0; id < 130; id += 1) expect(await readAll(client, id, 'direct-tcpip', TCP)).toEqual(['EOF'])
})
