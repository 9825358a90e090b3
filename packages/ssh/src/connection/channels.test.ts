// Channels from the client's side: exact windows, ordered requests, and the ends of both directions.
import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChannelOpen } from '../api.ts'
import { connect, settle } from '../../test/support/connect.ts'
import type { ConnectOptions } from '../../test/support/connect.ts'
import { RecordedChannel } from '../../test/support/recorded-channel.ts'
import type { TestClient } from '../../test/support/test-client.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

async function session(options: ConnectOptions = {}, open: { window?: number; packetBytes?: number } = {}) {
  const connected = connect(options)
  await connected.client.signIn()
  const id = await connected.client.openSession(5, open)
  const recorded = connected.channels[0]
  if (!recorded) throw new Error('no channel was opened')
  return { ...connected, id, recorded, channel: recorded.channel }
}

async function openFailure(client: TestClient) {
  const reader = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
  return { recipient: reader.uint32('recipient'), code: reader.uint32('code'), message: reader.text('message') }
}

/** The bytes of the next data message for our channel 5, and their type (0: ordinary). */
async function nextData(client: TestClient) {
  const payload = await client.next(n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_EXTENDED_DATA)
  const reader = new WireReader(payload, 1)
  expect(reader.uint32('recipient')).toBe(5)
  const extended = payload[0] === n.MSG_CHANNEL_DATA ? 0 : reader.uint32('type')
  return { extended, bytes: Buffer.from(reader.string('data')) }
}

describe('opening', () => {
  test('passes the addresses of a forward to the handler', async () => {
    const asked: ChannelOpen[] = []
    const { client } = connect({
      handler: {
        open: (_connection, request) => {
          asked.push(request)
          return { accept: false, code: 1, message: 'no' }
        },
      },
    })
    await client.signIn()
    const tcp = new WireWriter().string('db.internal').uint32(5_432).string('127.0.0.1').uint32(50_000).done()
    client.sendOpen('direct-tcpip', 1, { fields: tcp })
    expect(await openFailure(client)).toEqual({ recipient: 1, code: 1, message: 'no' })
    const local = new WireWriter().string('/run/app.sock').string('').uint32(0).done()
    client.sendOpen('direct-streamlocal@openssh.com', 2, { fields: local })
    await openFailure(client)
    expect(asked).toEqual([
      { type: 'direct-tcpip', host: 'db.internal', port: 5_432, originHost: '127.0.0.1', originPort: 50_000 },
      { type: 'direct-streamlocal@openssh.com', path: '/run/app.sock' },
    ])
  })

  test.each(['forwarded-tcpip', 'auth-agent@openssh.com', 'x11', 'unheard-of'])(
    'refuses a client that opens %s',
    async (type) => {
      const { client } = connect()
      await client.signIn()
      client.sendOpen(type, 3, { fields: new WireWriter().string('a').uint32(1).string('b').uint32(2).done() })
      expect(await openFailure(client)).toMatchObject({ recipient: 3, code: 3 })
    },
  )

  test.each<[string, ConnectOptions['handler']]>([
    ['rejects', { open: () => Promise.reject(new Error('secret detail')) }],
    [
      'throws',
      {
        open: () => {
          throw new Error('secret detail')
        },
      },
    ],
  ])('refuses the channel without disclosing the error of a handler that %s', async (_name, handler) => {
    const { client } = connect({ handler: handler ?? {} })
    await client.signIn()
    client.sendOpen('session', 4)
    const refused = await openFailure(client)
    expect(refused).toMatchObject({ recipient: 4, code: 2 })
    expect(refused.message).not.toContain('secret')
  })

  test('closes the channel when attach throws', async () => {
    const { client } = connect({
      handler: {
        open: () => ({
          accept: true,
          attach: () => {
            throw new Error('boom')
          },
        }),
      },
    })
    await client.signIn()
    await client.openSession(1)
    expect((await client.read(n.MSG_CHANNEL_CLOSE)).uint32('recipient')).toBe(1)
  })

  test('reuses a channel number after both sides have closed', async () => {
    const { client, id, channel } = await session()
    channel.close()
    // As sshd does; some clients wait for the end of file.
    const [ending] = await client.next(n.MSG_CHANNEL_EOF, n.MSG_CHANNEL_CLOSE)
    expect(ending).toBe(n.MSG_CHANNEL_EOF)
    await client.next(n.MSG_CHANNEL_CLOSE)
    expect(await client.openSession(6)).not.toBe(id)
    client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, id).done())
    expect(await client.openSession(7)).toBe(id)
  })
})

describe('output', () => {
  test('splits output to the packet size and stops at the window', async () => {
    const { client, channel, id } = await session({}, { window: 1_000, packetBytes: 300 })
    const bytes = randomBytes(1_500)
    expect(channel.write(bytes)).toBe(false)
    const sizes: number[] = []
    const parts: Buffer[] = []
    while (Buffer.concat(parts).length < 1_000) {
      const part = await nextData(client)
      sizes.push(part.bytes.length)
      parts.push(part.bytes)
    }
    expect(sizes).toEqual([300, 300, 300, 100])
    expect(channel.queuedBytes).toBe(500)
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(500).done())
    while (Buffer.concat(parts).length < 1_500) parts.push((await nextData(client)).bytes)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  })

  test('resumes output after drain', async () => {
    const { client, channel, id, recorded } = await session({}, { window: 1_000 })
    expect(channel.write(Buffer.alloc(1_001))).toBe(false)
    await nextData(client)
    expect(recorded.drains).toBe(0)
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(5_000).done())
    await nextData(client)
    expect(recorded.drains).toBe(1)
    expect(channel.write(Buffer.alloc(10))).toBe(true)
  })

  test('sends bulk output in full packets, and the rest at the end of the event loop iteration', async () => {
    const { client, channel } = await session()
    const bytes = randomBytes(80_000)
    for (let at = 0; at < bytes.length; at += 16_000) {
      expect(channel.write(bytes.subarray(at, at + 16_000))).toBe(true)
    }
    const parts = [await nextData(client), await nextData(client), await nextData(client)]
    expect(parts.map((part) => part.bytes.length)).toEqual([32_768, 32_768, 14_464])
    expect(Buffer.concat(parts.map((part) => part.bytes))).toEqual(bytes)
  })

  test('sends a small write at once, together with output queued before it', async () => {
    const { client, channel, connection } = await session()
    channel.write(Buffer.alloc(10_000, 'a'))
    const before = connection.bytesOut
    channel.write(Buffer.from('b'))
    expect(connection.bytesOut - before).toBeGreaterThan(10_000)
    expect((await nextData(client)).bytes.length).toBe(10_001)
  })

  test('returns false for bulk output when the window is full', async () => {
    const { client, channel, recorded, id } = await session({}, { window: 20_000 })
    expect(channel.write(Buffer.alloc(16_000))).toBe(true)
    expect(channel.write(Buffer.alloc(16_000))).toBe(false)
    expect((await nextData(client)).bytes.length).toBe(20_000)
    expect(recorded.drains).toBe(0)
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(20_000).done())
    expect((await nextData(client)).bytes.length).toBe(12_000)
    await settle()
    expect(recorded.drains).toBe(1)
  })

  test('delivers output of any size and type complete and in order', async () => {
    const piece = fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(0, 1))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const { client, channel } = await session()
        const sent = pieces.map(([length, extended], index) => ({ bytes: Buffer.alloc(length, index), extended }))
        for (const { bytes, extended } of sent) channel.write(bytes, extended)
        channel.eof()
        const got: Buffer[] = []
        for (let type = 0; type !== n.MSG_CHANNEL_EOF;) {
          const payload = await client.next(n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_EXTENDED_DATA, n.MSG_CHANNEL_EOF)
          type = payload[0] ?? 0
          const reader = new WireReader(payload, 5)
          if (type === n.MSG_CHANNEL_EXTENDED_DATA) reader.uint32('type')
          // The high bit of every byte marks the type, so that the order between the types is checked too.
          const mark = type === n.MSG_CHANNEL_EXTENDED_DATA ? 0x80 : 0
          if (type !== n.MSG_CHANNEL_EOF) got.push(Buffer.from(reader.string('data').map((byte) => byte | mark)))
        }
        const wanted = sent.map(({ bytes, extended }) => Buffer.from(bytes.map((byte) => byte | (extended << 7))))
        expect(Buffer.concat(got).equals(Buffer.concat(wanted))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('keeps stdout and stderr in order', async () => {
    const { client, channel } = await session()
    channel.write(Buffer.from('a'))
    channel.write(Buffer.from('b'), 1)
    channel.write(Buffer.from('c'))
    const got = [await nextData(client), await nextData(client), await nextData(client)]
    expect(got.map(({ extended, bytes }) => [extended, bytes.toString()])).toEqual([
      [0, 'a'],
      [1, 'b'],
      [0, 'c'],
    ])
  })

  test('sends output before the end of file, exit status and close, however late the window opens', async () => {
    const { client, channel, id, recorded } = await session({}, { window: 3 })
    channel.write(Buffer.from('abcdef'))
    channel.exitStatus(7)
    channel.eof()
    channel.close()
    expect((await nextData(client)).bytes.toString()).toBe('abc')
    expect(recorded.causes).toEqual([])
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(10).done())
    expect((await nextData(client)).bytes.toString()).toBe('def')
    const status = await client.read(n.MSG_CHANNEL_REQUEST)
    expect([status.uint32('recipient'), status.text('type'), status.boolean('reply')]).toEqual([
      5,
      'exit-status',
      false,
    ])
    expect(status.uint32('status')).toBe(7)
    await client.next(n.MSG_CHANNEL_EOF)
    await client.next(n.MSG_CHANNEL_CLOSE)
    expect(recorded.causes).toMatchObject([{ by: 'local', reason: 'channel-closed' }])
  })

  test('reports an exit by signal with its name', async () => {
    const { client, channel } = await session()
    channel.exitSignal('TERM', true, 'terminated')
    const request = await client.read(n.MSG_CHANNEL_REQUEST)
    expect([request.uint32('recipient'), request.text('type'), request.boolean('reply')]).toEqual([
      5,
      'exit-signal',
      false,
    ])
    expect([request.text('signal'), request.boolean('core'), request.text('message')]).toEqual([
      'TERM',
      true,
      'terminated',
    ])
  })

  test('does not send a program’s output before the reply to its start', async () => {
    const { client, recorded, channel, id } = await session()
    const gate = Promise.withResolvers<boolean>()
    recorded.answer = (request) => (request.type === 'exec' ? gate.promise : true)
    client.send(client.channelRequest(id, 'exec').string('true').done())
    await settle()
    channel.write(Buffer.from('early'))
    gate.resolve(true)
    channel.exitStatus(0)
    channel.close()
    const order: number[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const types = [n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_REQUEST, n.MSG_CHANNEL_CLOSE]
      order.push((await client.next(...types))[0] ?? 0)
    }
    expect(order).toEqual([n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_REQUEST, n.MSG_CHANNEL_CLOSE])
  })

  test('sends output and close although the start is never answered', async () => {
    const { client, recorded, channel, id } = await session()
    recorded.answer = () => new Promise(() => undefined)
    client.send(client.channelRequest(id, 'exec').string('true').done())
    await settle()
    channel.write(Buffer.from('going down'))
    channel.close()
    expect((await nextData(client)).bytes.toString()).toBe('going down')
    await client.next(n.MSG_CHANNEL_CLOSE)
    expect(recorded.causes).toMatchObject([{ by: 'local' }])
  })

  test('drops output when the client reads no more, and still sends the end', async () => {
    const { client, channel, id, recorded } = await session({}, { window: 10 })
    channel.write(Buffer.alloc(100_000))
    await nextData(client)
    client.send(client.channelRequest(id, 'eow@openssh.com', false).done())
    await settle()
    expect(recorded.requests).toEqual([{ type: 'eow@openssh.com' }])
    expect(channel.queuedBytes).toBe(0)
    expect(channel.write(Buffer.alloc(100_000))).toBe(true)
    channel.exitSignal('PIPE', false, '')
    channel.close()
    await client.next(n.MSG_CHANNEL_CLOSE)
  })

  test('ends the connection on a window beyond 2^32-1', async () => {
    const { client, id, closed } = await session({}, { window: 0xffff_ffff })
    client.send(client.channelMessage(n.MSG_CHANNEL_WINDOW_ADJUST, id).uint32(1).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'window-overflow' })
  })
})

describe('input', () => {
  test('passes input to the handler with its type', async () => {
    const { client, id, recorded } = await session()
    client.sendData(id, Buffer.from('ab'))
    client.send(client.channelMessage(n.MSG_CHANNEL_EXTENDED_DATA, id).uint32(1).string('cd').done())
    await settle()
    expect([recorded.received.toString(), recorded.extended]).toEqual(['abcd', [0, 1]])
  })

  test('accepts input that fills the window exactly, and ends the connection on one byte more', async () => {
    const { client, id, recorded, closed } = await session({ limits: { windowBytes: 40_000 } })
    recorded.consumes = false
    client.sendData(id, Buffer.alloc(32_768))
    client.sendData(id, Buffer.alloc(7_232))
    await settle()
    expect(recorded.received.length).toBe(40_000)
    client.sendData(id, Buffer.alloc(1))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'window-overrun' })
    expect(recorded.received.length).toBe(40_000)
  })

  test('counts extended input data against the same window', async () => {
    const { client, id, recorded, closed } = await session({ limits: { windowBytes: 10 } })
    recorded.consumes = false
    client.sendData(id, Buffer.alloc(6))
    client.send(client.channelMessage(n.MSG_CHANNEL_EXTENDED_DATA, id).uint32(1).string(Buffer.alloc(5)).done())
    expect(await closed).toMatchObject({ reason: 'window-overrun' })
  })

  test('ends the connection on a message larger than the packet size, even within the window', async () => {
    const { client, id, closed } = await session()
    client.sendData(id, Buffer.alloc(32_769))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'data-too-large' })
  })

  test('returns window only for received bytes, whatever the handler claims to have consumed', async () => {
    const { client, id, recorded, channel } = await session({ limits: { windowBytes: 1_000, windowMaxBytes: 1_000 } })
    recorded.consumes = false
    client.sendData(id, Buffer.alloc(600))
    await settle()
    channel.consumed(1_000_000)
    const adjust = await client.read(n.MSG_CHANNEL_WINDOW_ADJUST)
    expect([adjust.uint32('recipient'), adjust.uint32('bytes')]).toEqual([5, 600])
  })

  test('ends input once while output may continue (half-close)', async () => {
    const { client, id, recorded, channel } = await session()
    client.send(client.channelMessage(n.MSG_CHANNEL_EOF, id).done())
    client.send(client.channelMessage(n.MSG_CHANNEL_EOF, id).done())
    await settle()
    expect(recorded.eofs).toBe(1)
    channel.write(Buffer.from('still here'))
    expect((await nextData(client)).bytes.toString()).toBe('still here')
  })

  test('ends the connection on data after eof', async () => {
    const { client, id, closed } = await session()
    client.send(client.channelMessage(n.MSG_CHANNEL_EOF, id).done())
    client.sendData(id, Buffer.from('x'))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'data-after-eof' })
  })

  test('ends the connection on data for a channel that is not open', async () => {
    const { client, id, closed } = await session()
    client.sendData(id + 1, Buffer.from('x'))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unknown-channel' })
  })

  test('closes the channel of a throwing handler and no other', async () => {
    const { client, id, recorded, channels } = await session()
    recorded.data = () => {
      throw new Error('boom')
    }
    const second = await client.openSession(6)
    client.sendData(id, Buffer.from('x'))
    await client.next(n.MSG_CHANNEL_CLOSE)
    client.sendData(second, Buffer.from('y'))
    await settle()
    expect(channels[1]?.received.toString()).toBe('y')
  })
})

describe('closing', () => {
  test('answers a client’s close and reports it once, last', async () => {
    const { client, id, recorded, channel } = await session()
    client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, id).done())
    await client.next(n.MSG_CHANNEL_CLOSE)
    expect(recorded.causes).toMatchObject([{ by: 'peer', reason: 'channel-closed' }])
    channel.write(Buffer.from('x'))
    channel.eof()
    channel.exitStatus(1)
    channel.consumed(5)
    channel.close()
    await settle()
    expect(recorded.causes.length).toBe(1)
  })

  test('drops data that crosses our close', async () => {
    const { client, id, recorded, channel } = await session()
    channel.close()
    client.sendData(id, Buffer.from('late'))
    await client.next(n.MSG_CHANNEL_CLOSE)
    await settle()
    expect(recorded.received.length).toBe(0)
  })

  test('reports the end of the connection to every channel, then the connection, each once', async () => {
    const order: string[] = []
    const { client, closed, serverSocket } = connect({
      handler: {
        open: () => ({
          accept: true,
          attach: (channel) => ({ data: () => undefined, closed: () => void order.push(`channel ${channel.id}`) }),
        }),
        closed: () => void order.push('connection'),
      },
    })
    await client.signIn()
    await client.openSession(1)
    await client.openSession(2)
    serverSocket.destroy()
    expect(await closed).toMatchObject({ by: 'peer', reason: 'socket-closed' })
    expect(order).toEqual(['channel 0', 'channel 1', 'connection'])
  })
})

describe('channels the server opens', () => {
  const fields = new WireWriter().string('0.0.0.0').uint32(80).string('203.0.113.9').uint32(5_555).done()

  test('carries data both ways on a server channel when the client agrees', async () => {
    const { client, connection } = connect()
    await client.signIn()
    let recorded: RecordedChannel | undefined
    const opened = connection.openChannel('forwarded-tcpip', fields, (channel) => {
      recorded = new RecordedChannel(channel)
      return recorded
    })
    const request = await client.read(n.MSG_CHANNEL_OPEN)
    expect(request.text('type')).toBe('forwarded-tcpip')
    const id = request.uint32('sender')
    expect([request.uint32('window'), request.uint32('packet')]).toEqual([1 << 20, 32_768])
    expect(Buffer.from(request.rest()).equals(fields)).toBe(true)
    const confirm = client.channelMessage(n.MSG_CHANNEL_OPEN_CONFIRMATION, id).uint32(5).uint32(1_000).uint32(500)
    client.send(confirm.done())
    const channel = await opened
    channel.write(Buffer.from('out'))
    expect((await nextData(client)).bytes.toString()).toBe('out')
    client.sendData(id, Buffer.from('in'))
    await settle()
    expect(recorded?.received.toString()).toBe('in')
  })

  test('rejects openChannel when the client refuses, without its text', async () => {
    const { client, connection } = connect()
    await client.signIn()
    const opened = connection.openChannel('x11', fields, (channel) => new RecordedChannel(channel))
    const outcome = opened.then(
      () => 'opened',
      (error: unknown) => String(error),
    )
    const request = await client.read(n.MSG_CHANNEL_OPEN)
    request.text('type')
    const refusal = client.channelMessage(n.MSG_CHANNEL_OPEN_FAILURE, request.uint32('sender')).uint32(1)
    client.send(refusal.string('\u001b[31mevil').string('').done())
    expect(await outcome).toBe('ChannelRefused: the client refused the channel (reason code 1)')
  })

  test('rejects openChannel when the connection has ended, is unauthenticated, or is at its limit', async () => {
    const attach = (channel: RecordedChannel['channel']) => new RecordedChannel(channel)
    const early = connect()
    await expect(early.connection.openChannel('x11', fields, attach)).rejects.toThrow('not signed in')

    const { client, connection, serverSocket } = connect({ limits: { channels: 1 } })
    await client.signIn()
    const pending = connection.openChannel('x11', fields, attach)
    await expect(connection.openChannel('x11', fields, attach)).rejects.toThrow('At most 1 channels')
    serverSocket.destroy()
    await expect(pending).rejects.toThrow('the connection has ended')
    await expect(connection.openChannel('x11', fields, attach)).rejects.toThrow('the connection has ended')
  })

  test('ends the connection on an answer to an open that was never sent', async () => {
    const { client, closed } = connect()
    await client.signIn()
    client.send(client.channelMessage(n.MSG_CHANNEL_OPEN_CONFIRMATION, 9).uint32(5).uint32(1_000).uint32(500).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unknown-channel' })
  })
})
