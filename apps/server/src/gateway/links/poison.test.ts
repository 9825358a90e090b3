// Misbehaving devices: each harms only its own link.
import { once } from 'node:events'
import { getHeapStatistics } from 'node:v8'
import { operations } from '@bowline/contract/operations'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { FRAME } from '@bowline/link/testing/frame'
import * as n from '@bowline/ssh/wire/numbers'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../testing/memory.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type FakeDevice, connectClient, fakeDevice, judging, rawClient, signedIn } from '../../testing/gateway.ts'
import { until } from '@bowline/testkit/until'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const isOnline = async ({ device }: FakeDevice): Promise<boolean> =>
  (await person.client.call(operations.devices.get, { params: { uid: device.uid } })).body.online

const nameOf = (device: FakeDevice): string => device.login('').split('.').at(-1) ?? ''

/** A frame in wire format; `claims` is its declared length. */
function frame(type: number, stream: number, payload: Uint8Array = Buffer.alloc(0), claims = payload.length): Buffer {
  const head = Buffer.alloc(9)
  head.writeUInt32BE(claims >>> 0, 0)
  head.writeUInt8(type, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

async function shell(client: TestClient): Promise<number> {
  const channel = await client.openSession()
  client.send(client.channelRequest(channel, 'shell').done())
  await client.next(n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_FAILURE)
  return channel
}

async function echo(client: TestClient, channel: number, line: string): Promise<string> {
  client.sendData(channel, Buffer.from(line))
  const reader = await client.read(n.MSG_CHANNEL_DATA)
  reader.uint32('recipient')
  return Buffer.from(reader.string('data')).toString()
}

/** A device that accepts every login and runs `process` for processes. */
function careless(process: (stream: LinkStream, header: LinkMessage) => StreamHandler): Promise<FakeDevice> {
  return fakeDevice(server, person, (kind, header, stream) =>
    kind === 'auth' ? judging(stream) : process(stream, header),
  )
}
const deaf: StreamHandler = { data: () => undefined, closed: () => undefined }

describe('invalid bytes of a device', () => {
  it.each<[string, () => Buffer]>([
    ['random text', () => Buffer.from('this is no frame at all, and it goes on for a while'.repeat(40))],
    ['a frame of 4 GB', () => frame(FRAME.data, 1, Buffer.alloc(10), 0xffff_ffff)],
    ['a frame of unknown type', () => frame(99, 1)],
    ['a second greeting', () => frame(FRAME.hello, 0, Buffer.from('{"type":"proof"}'))],
    ['bytes for an unknown stream', () => frame(FRAME.data, 4_242, Buffer.from('x'))],
    ['an opening with broken JSON', () => frame(FRAME.open, 2, Buffer.from('{{'))],
    ['excessive credit', () => frame(FRAME.credit, 1, Buffer.from('ffffffff', 'hex'))],
  ])('drops at most the device’s own link on %s, and accepts its next one', async (_, bytes) => {
    const good = await fakeDevice(server, person)
    const client = await signedIn(server, good.login('root'))
    const channel = await shell(client)
    const bad = await fakeDevice(server, person)
    for (let count = 0; count < 20; count += 1) bad.transport.send([bytes()])
    expect(await echo(client, channel, 'unaffected')).toBe('unaffected')
    bad.link.close({ by: 'agent', reason: 'done', message: 'enough' })
    await bad.ended
    await until(async () => !(await isOnline(bad)))
    const again = await fakeDevice(server, person, undefined, bad.device)
    expect(await (await signedIn(server, again.login('root'))).openSession()).toBe(0)
  })

  it('drops a device that sends more than its credit', async () => {
    const streams: LinkStream[] = []
    const bad = await careless((stream) => {
      streams.push(stream)
      stream.control({ type: 'started' })
      return deaf
    })
    const client = await signedIn(server, bad.login('root'))
    const channel = await client.openSession(0, { window: 1_024 })
    client.send(client.channelRequest(channel, 'shell').done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
    const { id = 0 } = streams[0] ?? {}
    for (let count = 0; count < 64; count += 1) bad.transport.send([frame(FRAME.data, id, Buffer.alloc(131_072))])
    expect((await bad.ended).reason).toBe('protocol')
    expect((await client.disconnected()).message).toMatch(/^Bowline: /)
  })
})

describe('device messages out of order', () => {
  it.each<[string, LinkMessage[]]>([
    ['ends a process before it has started', [{ type: 'exit', status: 0 }]],
    ['starts and ends a process twice', ['started', 'started', 'exit', 'exit'].map((type) => ({ type, status: 3 }))],
    ['sends unknown messages', [{ type: 'nonsense' }, { type: 'exit', status: -1 }, { more: [] }]],
    ['reports an invalid signal', [{ type: 'exit-signal', signal: 'x'.repeat(33), coreDumped: 1 }]],
  ])('ends only the session when a device %s', async (_, messages) => {
    let honest = false
    const bad = await careless((stream) => {
      if (honest) stream.control({ type: 'started' })
      else for (const message of messages) stream.control(message)
      if (!honest) stream.close()
      return deaf
    })
    const client = await signedIn(server, bad.login('root'))
    const channel = await client.openSession()
    client.send(client.channelRequest(channel, 'shell').done())
    await client.next(n.MSG_CHANNEL_CLOSE)
    client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, channel).done())
    honest = true
    const next = await client.openSession(1)
    client.send(client.channelRequest(next, 'shell').done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
    expect(client.ended).toBe(false)
  })

  it.each<[string, LinkMessage]>([
    ['nonsense', { type: 'maybe' }],
    ['an unknown reason', { type: 'denied', reason: 'because' }],
  ])('rejects a password that a device answers with %s', async (_, answer) => {
    const bad = await fakeDevice(server, person, (_kind, _header, stream) => ({
      ...deaf,
      control: () => stream.control(answer),
    }))
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(bad.login('root'), 'right')
    const banner = await client.read(n.MSG_USERAUTH_BANNER)
    expect(banner.text('text')).toMatch(/the device cannot be reached/)
    expect(await client.authAnswer()).toBe('failure')
  })
})

describe('repeated exit of a process', () => {
  it.each([true, false])('closes a stream at the second exit (recording %s)', async (recording) => {
    const settings = { session_record: recording }
    await person.client.call(operations.namespaces.update, { params: { tenant: person.tenant }, body: { settings } })
    const { promise, resolve } = Promise.withResolvers<LinkCause>()
    const bad = await careless((stream) => {
      stream.control({ type: 'started' })
      // Far more than the client's window, so that later messages wait.
      stream.write(Buffer.alloc(1 << 20))
      for (let count = 0; count < 1_000; count += 1) stream.control({ type: 'exit', status: 0 })
      return { data: () => undefined, closed: resolve }
    })
    const client = await signedIn(server, bad.login('root'))
    const channel = await client.openSession(0, { window: 1 })
    client.send(client.channelRequest(channel, 'exec').string('job').done())
    expect(await promise).toMatchObject({ by: 'gateway', reason: 'protocol', message: 'The device sent exit twice.' })
  })
})

describe('refusal messages of a device', () => {
  it('quotes a device’s refusal on one line without control characters and disconnects', async () => {
    const message = 'The garden is \u001b[31m\u202eclosed.\u0007\r\nBowline: type your password.\n'
    const answer = { type: 'denied', reason: 'locked', message }
    const device = await fakeDevice(server, person, (_kind, _header, stream) => ({
      ...deaf,
      control: () => stream.control(answer),
    }))
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(device.login('root'), 'right')
    const expected = `The device ${nameOf(device)} said: The garden is [31mclosed. Bowline: type your password.`
    expect((await client.disconnected()).message).toBe(expected)
  })
})

describe('end messages of a device', () => {
  const cause: LinkCause = { by: 'agent', reason: 'over', message: 'Bowline needs your \u001b[31mpassword' }

  it('quotes the device’s message on the terminal when it ends a session', async () => {
    const device = await careless((stream) => {
      stream.control({ type: 'started' })
      stream.close(cause)
      return deaf
    })
    const client = await signedIn(server, device.login('root'))
    const channel = await client.openSession()
    client.send(client.channelRequest(channel, 'exec').string('job').done())
    const reader = await client.read(n.MSG_CHANNEL_EXTENDED_DATA)
    reader.uint32('recipient')
    reader.uint32('type')
    expect(Buffer.from(reader.string('data')).toString()).toBe(
      `\r\nBowline: the session has ended. The device ${nameOf(device)} said: Bowline needs your [31mpassword\r\n`,
    )
  })

  it('quotes the device’s message to the client and in the row when it ends its link', async () => {
    const device = await fakeDevice(server, person)
    const client = await signedIn(server, device.login('root'))
    device.link.close(cause)
    const expected = `The device ${nameOf(device)} said: Bowline needs your [31mpassword`
    expect((await client.disconnected()).message).toBe(expected)
    const row = await until(async () => {
      const { body } = await person.client.call(operations.sessions.list, {})
      return body.find(({ device_uid, closed }) => device_uid === device.device.uid && closed)
    })
    expect(row.closed).toMatchObject({ by: 'agent', reason: 'over', message: expected })
  })

  it('quotes the device’s message when it refuses to forward a port', async () => {
    const device = await fakeDevice(server, person, (kind, _header, stream) => {
      if (kind === 'listen') return cause
      return kind === 'auth' ? judging(stream) : deaf
    })
    const client = await signedIn(server, device.login('root'))
    client.send(client.globalRequest('tcpip-forward').string('').uint32(0).done())
    const reader = await client.read(n.MSG_DEBUG)
    reader.boolean('always_display')
    expect(reader.text('message')).toBe(
      `Bowline: port 0 cannot be forwarded. The device ${nameOf(device)} said: Bowline needs your [31mpassword`,
    )
  })

  it('reports a signal’s message on one line without control characters', async () => {
    const message = 'core \u001b[31mdumped\r\n'
    const device = await careless((stream) => {
      stream.control({ type: 'started' })
      stream.control({ type: 'exit-signal', signal: 'SEGV', coreDumped: true, message })
      return deaf
    })
    const client = await signedIn(server, device.login('root'))
    const channel = await client.openSession()
    client.send(client.channelRequest(channel, 'exec').string('job').done())
    const reader = await client.read(n.MSG_CHANNEL_REQUEST)
    reader.uint32('recipient')
    expect([reader.text('request'), reader.boolean('reply'), reader.text('signal')]).toEqual([
      'exit-signal',
      false,
      'SEGV',
    ])
    expect([reader.boolean('core'), reader.text('message')]).toEqual([true, 'core [31mdumped'])
  })
})

describe('device that reads nothing', () => {
  it('applies backpressure to the sender only when a device reads nothing', async () => {
    const bad = await careless((stream) => {
      stream.control({ type: 'started' })
      return deaf
    })
    const good = await fakeDevice(server, person)
    const other = await signedIn(server, good.login('root'))
    const otherChannel = await shell(other)
    const client = await signedIn(server, bad.login('root'))
    const channel = await shell(client)
    // The gateway's window is used up; the part that the link took is not returned twice.
    client.sendData(channel, Buffer.alloc(32_768))
    for (let sent = 32_768; sent < 1 << 20; sent += 32_768) client.sendData(channel, Buffer.alloc(32_768))
    expect(await echo(other, otherChannel, 'unaffected')).toBe('unaffected')
    expect(client.ended).toBe(false)
  })
})

describe('memory over many sessions', () => {
  it('leaks no memory over many sessions', async () => {
    const device = await fakeDevice(server, person)
    const session = async (): Promise<void> => {
      const client = await connectClient(server)
      await client.signIn(device.login('root'))
      const channel = await shell(client)
      await echo(client, channel, 'x')
      client.send(client.channelMessage(n.MSG_CHANNEL_EOF, channel).done())
      await client.next(n.MSG_CHANNEL_CLOSE)
      const closed = once(client.socket, 'close')
      client.socket.end()
      await closed
    }
    const sessions = async (count: number): Promise<number> => {
      for (let done = 0; done < count; done += 1) await session()
      await until(() => device.link.streamCount === 0)
      // The test's own records are no leak.
      device.asked.length = 0
      device.credentials.length = 0
      collectGarbage()
      return getHeapStatistics().used_heap_size
    }
    // Enough to fill what is kept on purpose: the latest thousand live events.
    const heap = [await sessions(350)]
    for (let round = 0; round < 4; round += 1) heap.push(await sessions(60))
    // Table growth and compilation show in single rounds; a leak shows in each.
    const growth = heap.slice(1).map((bytes, index) => (bytes - (heap[index] ?? 0)) / 60)
    expect(Math.min(...growth)).toBeLessThan(1_024)
    const text = await (await server.fetch('/metrics', { headers: server.nodeHeaders })).text()
    expect(text).toMatch(/^bowline_ssh_connections 0$/m)
  }, 180_000)
})
