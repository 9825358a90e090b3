// Every limit of SshLimits, exceeded by one step: the effect on the peer, and the typed cause.
import { describe, expect, test } from 'vitest'
import type { CloseCause, SshLimits } from '../src/api.ts'
import { connect, settle } from './support/connect.ts'
import type { ConnectOptions } from './support/connect.ts'
import type { TestClient } from './support/test-client.ts'
import * as n from '../src/wire/numbers.ts'
import { WireWriter } from '../src/wire/writer.ts'

async function session(limits: Partial<SshLimits>, more: ConnectOptions = {}, open: { window?: number } = {}) {
  const connected = connect({ ...more, limits })
  await connected.client.signIn()
  const id = await connected.client.openSession(5, open)
  const recorded = connected.channels[0]
  if (!recorded) throw new Error('no channel was opened')
  return { ...connected, id, recorded, channel: recorded.channel }
}

function envRequest(client: TestClient, id: number, name: string, value: string | Uint8Array, wantReply = true) {
  return client.channelRequest(id, 'env', wantReply).string(name).string(value).done()
}

function ptyRequest(client: TestClient, id: number, term: string, modesBytes = 0): Uint8Array {
  const request = client.channelRequest(id, 'pty-req').string(term).uint32(80).uint32(24).uint32(0).uint32(0)
  return request.string(Buffer.alloc(modesBytes)).done()
}

const namedRequest = (client: TestClient, id: number, type: string, name: string): Uint8Array =>
  client.channelRequest(id, type).string(name).done()
const execRequest = (client: TestClient, id: number, bytes: number): Uint8Array =>
  namedRequest(client, id, 'exec', 'x'.repeat(bytes))

/** The cause if the connection has ended by now, else undefined. */
async function endedWith(closed: Promise<CloseCause>): Promise<CloseCause | undefined> {
  await settle()
  return Promise.race([closed, Promise.resolve(undefined)])
}

describe('time', () => {
  test('identMs: drops a silent peer', async () => {
    const { clock, closed } = connect({ limits: { identMs: 5_000 } })
    clock.advance(4_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'ident-timeout' })
  })

  test('identMs: drops a peer that sends its line byte by byte', async () => {
    const { client, clock, closed } = connect({ limits: { identMs: 5_000 } })
    for (const byte of Buffer.from('SSH-2')) {
      client.socket.write(Buffer.of(byte))
      await settle()
      clock.advance(1_000)
    }
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'ident-timeout' })
  })

  test('kexMs: drops a peer that stops after its identification', async () => {
    const { client, clock, closed } = connect({ limits: { kexMs: 10_000 } })
    client.identify()
    await settle()
    clock.advance(9_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'kex-timeout' })
  })

  test('loginGraceMs: drops a peer that never signs in, and leaves no timers behind', async () => {
    const { client, clock, closed } = connect({ limits: { loginGraceMs: 60_000 } })
    await client.startAuthentication()
    clock.advance(59_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'login-grace' })
    expect(clock.pending).toBe(0)
  })

  test('loginGraceMs: restarts once when a first factor is accepted', async () => {
    const { client, clock, closed } = connect({
      limits: { loginGraceMs: 60_000 },
      handler: { authenticate: async () => ({ result: 'partial', methods: ['password'] }) },
    })
    await client.startAuthentication()
    for (let turn = 0; turn < 2; turn += 1) {
      clock.advance(50_000)
      client.sendPassword('user', 'right')
      await client.next(n.MSG_USERAUTH_FAILURE)
    }
    clock.advance(9_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ reason: 'login-grace' })
  })

  test('loginGraceMs: does not apply after sign-in', async () => {
    const { client, clock, closed } = connect({ limits: { loginGraceMs: 60_000, keepaliveMs: 1e9 } })
    await client.signIn()
    clock.advance(600_000)
    expect(await endedWith(closed)).toBeUndefined()
  })

  test('keepaliveMs and keepaliveMisses: drop a dead peer', async () => {
    const { client, clock, closed } = await session({ keepaliveMs: 15_000, keepaliveMisses: 3 })
    clock.advance(15_000)
    const asked = await client.read(n.MSG_GLOBAL_REQUEST)
    expect([asked.text('name'), asked.boolean('reply')]).toEqual(['keepalive@openssh.com', true])
    clock.advance(29_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'keepalive' })
  })

  test('keepaliveMs: counts any message from the peer', async () => {
    const { client, clock, closed } = await session({ keepaliveMs: 15_000, keepaliveMisses: 3 })
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(14_000)
      client.send(new WireWriter().byte(n.MSG_IGNORE).string('').done())
      await settle()
    }
    expect(await endedWith(closed)).toBeUndefined()
  })

  test('rekeyMs: drops a peer that does not answer our key exchange', async () => {
    const { clock, client, closed } = await session(
      { rekeyIntervalMs: 3_600_000, rekeyJitter: 0, rekeyMs: 30_000, keepaliveMs: 1e9 },
      { client: { answersRekey: false } },
    )
    clock.advance(3_600_000)
    await client.next(n.MSG_KEXINIT)
    clock.advance(29_999)
    expect(await endedWith(closed)).toBeUndefined()
    clock.advance(1)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'rekey-timeout' })
  })
})

describe('key exchange', () => {
  test('rekeyJitter: rekeys early by at most its share, at different times', async () => {
    const limits = { rekeyIntervalMs: 1_000, rekeyJitter: 0.5, keepaliveMs: 1e9 }
    const all = await Promise.all(Array.from({ length: 20 }, () => session(limits)))
    const first = all.map(({ client }) => client.lastKeys)
    const changed = async (ms: number) => {
      for (const { clock } of all) clock.advance(ms)
      await settle()
      return all.filter(({ client }, index) => client.lastKeys !== first[index]).length
    }
    expect(await changed(499)).toBe(0)
    const early = await changed(250)
    expect(early).toBeGreaterThan(0)
    expect(early).toBeLessThan(20)
    expect(await changed(251)).toBe(20)
  })

  test('rekeyIntervalMs: rekeys by time with data intact', async () => {
    const { client, clock, recorded, id } = await session({ rekeyIntervalMs: 1_000, keepaliveMs: 1e9 })
    const first = client.lastKeys
    clock.advance(1_000)
    await settle()
    expect(client.lastKeys).not.toBe(first)
    client.sendData(id, Buffer.from('after'))
    await settle()
    expect(recorded.received.toString()).toBe('after')
    clock.advance(1_000)
    await settle()
    client.sendData(id, Buffer.from(' and again'))
    await settle()
    expect(recorded.received.toString()).toBe('after and again')
  })

  test('rekeyBytes: rekeys by bytes sent and by bytes received with data intact', async () => {
    const { client, channel, id, recorded } = await session({ rekeyBytes: 100_000 }, {}, { window: 10_000_000 })
    let exchanges = 0
    let last = client.lastKeys
    let received = 0
    for (let turn = 0; turn < 30; turn += 1) {
      channel.write(Buffer.alloc(20_000, turn))
      const reader = await client.read(n.MSG_CHANNEL_DATA)
      reader.uint32('recipient')
      received += reader.string('data').filter((byte) => byte === turn).length
      if (client.lastKeys !== last) exchanges += 1
      last = client.lastKeys
    }
    expect(received).toBe(600_000)
    expect(exchanges).toBeGreaterThanOrEqual(4)
    await settle()
    last = client.lastKeys
    exchanges = 0
    for (let turn = 0; turn < 30; turn += 1) {
      client.sendData(id, Buffer.alloc(20_000, turn))
      await settle()
      if (client.lastKeys !== last) exchanges += 1
      last = client.lastKeys
    }
    expect(recorded.received.length).toBe(600_000)
    expect(exchanges).toBeGreaterThanOrEqual(4)
  })

  test('rekeyPendingBytes: drops a peer when replies pile up behind an unanswered key exchange', async () => {
    const { client, clock, closed } = await session(
      { rekeyIntervalMs: 1_000, rekeyPendingBytes: 10_000, keepaliveMs: 1e9 },
      { client: { answersRekey: false } },
    )
    clock.advance(1_000)
    await client.next(n.MSG_KEXINIT)
    const ping = new WireWriter().byte(n.MSG_PING).string(Buffer.alloc(900)).done()
    for (let turn = 0; turn < 11; turn += 1) client.send(ping)
    await settle()
    client.send(ping)
    expect(await closed).toMatchObject({ by: 'limit', reason: 'rekey-pending' })
  })

  test('queues channel output during a key exchange and sends it afterwards', async () => {
    const { client, clock, channel, recorded } = await session({ rekeyIntervalMs: 1_000, keepaliveMs: 1e9 })
    clock.advance(1_000)
    expect(channel.write(Buffer.from('held'))).toBe(false)
    expect(channel.queuedBytes).toBe(4)
    const reader = await client.read(n.MSG_CHANNEL_DATA)
    reader.uint32('recipient')
    expect(reader.text('data')).toBe('held')
    await settle()
    expect(recorded.drains).toBe(1)
  })

  test('limits the key exchanges an unauthenticated peer may request', async () => {
    const { client, closed } = connect()
    await client.startAuthentication()
    await client.exchangeKeys()
    await client.exchangeKeys()
    client.exchangeKeys().catch(() => undefined)
    expect(await closed).toMatchObject({ by: 'limit', reason: 'too-many-rekeys' })
  })

  test('limits the key exchanges a signed-in peer may request', async () => {
    const { client, closed } = await session({ keepaliveMs: 1e9 })
    let finished = 0
    const storm = async (): Promise<void> => {
      for (; finished < 200; finished += 1) await client.exchangeKeys()
    }
    storm().catch(() => undefined)
    expect(await closed).toMatchObject({ by: 'limit', reason: 'too-many-rekeys' })
    expect(finished).toBeGreaterThanOrEqual(64)
  })

  test('accepts only messages of the exchange between a peer’s KEXINIT and its NEWKEYS', async () => {
    const { client, id, closed } = await session({}, { client: { answersRekey: true } })
    const done = client.exchangeKeys().catch(() => undefined)
    client.sendData(id, Buffer.from('x'))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
    await done
  })
})

describe('counts and sizes', () => {
  test('channels: refuses one more without affecting the others', async () => {
    const { client } = connect({ limits: { channels: 3 } })
    await client.signIn()
    for (let id = 0; id < 3; id += 1) await client.openSession(id)
    client.sendOpen('session', 9)
    const refused = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
    expect([refused.uint32('recipient'), refused.uint32('code')]).toEqual([9, 4])
    client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, 0).done())
    expect(await client.openSession(10)).toBe(0)
  })

  test('channels: counts pending decisions', async () => {
    const { client } = connect({ limits: { channels: 2 }, handler: { open: () => new Promise(() => undefined) } })
    await client.signIn()
    for (let id = 0; id < 3; id += 1) client.sendOpen('session', id)
    expect((await client.read(n.MSG_CHANNEL_OPEN_FAILURE)).uint32('recipient')).toBe(2)
  })

  test('channels: does not count one whose close the client has not answered', async () => {
    const { client, channels } = connect({ limits: { channels: 2 } })
    await client.signIn()
    for (let id = 0; id < 2; id += 1) await client.openSession(id)
    channels[0]?.channel.close()
    await client.next(n.MSG_CHANNEL_CLOSE)
    expect(await client.openSession(2)).toBe(2)
  })

  test('channels: limits channels whose close the client never answers', async () => {
    const { client, channels } = connect({ limits: { channels: 2 } })
    await client.signIn()
    for (let id = 0; id < 4; id += 1) {
      await client.openSession(id)
      channels[id]?.channel.close()
      await client.next(n.MSG_CHANNEL_CLOSE)
    }
    client.sendOpen('session', 9)
    expect((await client.read(n.MSG_CHANNEL_OPEN_FAILURE)).uint32('recipient')).toBe(9)
  })

  test('channelOpensPerSecond: delays opens above the rate and refuses none', async () => {
    const { client, clock } = connect({ limits: { channelOpensPerSecond: 10, channels: 1_000, keepaliveMs: 1e9 } })
    await client.signIn()
    for (let id = 0; id < 30; id += 1) client.sendOpen('session', id)
    for (let id = 0; id < 10; id += 1) await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION)
    // The others are delayed: the refusal of an unknown type is sent first.
    client.sendOpen('unheard-of', 99)
    const [type] = await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION, n.MSG_CHANNEL_OPEN_FAILURE)
    expect(type).toBe(n.MSG_CHANNEL_OPEN_FAILURE)
    clock.advance(1_000)
    for (let id = 0; id < 10; id += 1) await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION)
    clock.advance(1_000)
    for (let id = 0; id < 10; id += 1) await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION)
  })

  test('windows: grants many channels of one connection smaller windows', async () => {
    const { client } = connect()
    await client.signIn()
    let granted = 0
    for (let id = 0; id < 300; id += 1) {
      client.sendOpen('session', id)
      const opened = await client.read(n.MSG_CHANNEL_OPEN_CONFIRMATION)
      opened.uint32('recipient')
      opened.uint32('sender')
      granted += opened.uint32('window')
    }
    expect(granted).toBeLessThan(80 << 20)
  })

  test('minPacketSize: refuses a smaller packet size', async () => {
    const { client } = connect({ limits: { minPacketSize: 256 } })
    await client.signIn()
    for (const packetBytes of [0, 1, 255]) {
      client.sendOpen('session', packetBytes, { packetBytes })
      const refused = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
      expect([refused.uint32('recipient'), refused.uint32('code')]).toEqual([packetBytes, 4])
    }
    expect(await client.openSession(1, { packetBytes: 256 })).toBe(0)
  })

  test.each([0, 1, 255])('minPacketSize: drops a peer that answers our channel with %i', async (packetBytes) => {
    const { client, connection, closed } = await session({})
    const opened = connection.openChannel('x11', Buffer.alloc(0), () => ({
      data: () => undefined,
      closed: () => undefined,
    }))
    const outcome = opened.then(
      () => 'opened',
      () => 'refused',
    )
    const request = await client.read(n.MSG_CHANNEL_OPEN)
    request.text('type')
    const confirm = client.channelMessage(n.MSG_CHANNEL_OPEN_CONFIRMATION, request.uint32('sender'))
    client.send(confirm.uint32(7).uint32(1_000).uint32(packetBytes).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'packet-size' })
    expect(await outcome).toBe('refused')
  })

  test.each<[string, Partial<SshLimits>, (client: TestClient, id: number) => Uint8Array]>([
    [
      'an environment variable too long',
      { envBytes: 100 },
      (client, id) => envRequest(client, id, 'V', 'x'.repeat(100)),
    ],
    ['the name of an environment variable too long', {}, (client, id) => envRequest(client, id, 'V'.repeat(257), 'x')],
    ['a value that is not UTF-8', {}, (client, id) => envRequest(client, id, 'V', Buffer.from('ff', 'hex'))],
    ['terminal modes too long', { ptyModesBytes: 100 }, (client, id) => ptyRequest(client, id, 'xterm', 101)],
    ['the name of a terminal too long', { termBytes: 300 }, (client, id) => ptyRequest(client, id, 'x'.repeat(301))],
    ['a command too long', { execBytes: 100 }, (client, id) => execRequest(client, id, 101)],
    ['the name of a subsystem too long', {}, (client, id) => namedRequest(client, id, 'subsystem', 'x'.repeat(257))],
    ['the name of a signal too long', {}, (client, id) => namedRequest(client, id, 'signal', 'x'.repeat(257))],
  ])('refuses a request with %s without ending the connection', async (_what, limits, request) => {
    const { client, id, recorded } = await session(limits)
    client.send(request(client, id))
    await client.next(n.MSG_CHANNEL_FAILURE)
    expect(recorded.requests).toEqual([])
    client.send(execRequest(client, id, 10))
    await client.next(n.MSG_CHANNEL_SUCCESS)
  })

  test('envCount: refuses variables above it without ending the connection', async () => {
    const { client, id, recorded } = await session({ envCount: 3 })
    for (let turn = 0; turn < 1_000; turn += 1) client.send(envRequest(client, id, `V${turn}`, 'x', false))
    client.send(execRequest(client, id, 10))
    await client.next(n.MSG_CHANNEL_SUCCESS)
    expect(recorded.requests.length).toBe(4)
  })

  test('accepts what sshd accepts: a long command and terminal name, an empty one, a value with a newline', async () => {
    const { client, id, recorded } = await session({})
    client.send(ptyRequest(client, id, 'x'.repeat(300)))
    client.send(ptyRequest(client, id, ''))
    client.send(envRequest(client, id, 'V', 'two\nlines'))
    client.send(execRequest(client, id, 131_072))
    for (let answer = 0; answer < 4; answer += 1) await client.next(n.MSG_CHANNEL_SUCCESS)
    expect(recorded.requests.length).toBe(4)
  })

  test('accepts packets up to 256 KiB from an authenticated client', async () => {
    const { client, closed } = await session({})
    const ignore = (bytes: number) => new WireWriter(bytes + 8).byte(n.MSG_IGNORE).string(Buffer.alloc(bytes)).done()
    client.send(ignore(256 * 1_024 - 40))
    client.send(new WireWriter(200_016).byte(n.MSG_PING).string(Buffer.alloc(200_000, 7)).done())
    expect((await client.read(n.MSG_PONG)).string('data').length).toBe(200_000)
    client.send(client.globalRequest('unknown').done())
    await client.next(n.MSG_REQUEST_FAILURE)
    client.send(ignore(256 * 1_024))
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'bad-packet-length' })
  })

  test('rejects a packet over 35,000 bytes from an unauthenticated client', async () => {
    const { client, closed } = connect()
    await client.startAuthentication()
    client.send(new WireWriter(36_000).byte(n.MSG_IGNORE).string(Buffer.alloc(35_000)).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'bad-packet-length' })
  })

  test('queueHighBytes: signals backpressure, and queueMaxBytes: drops the client when it is ignored', async () => {
    const limits = { queueHighBytes: 10_000, queueMaxBytes: 50_000 }
    const { channel, closed } = await session(limits, {}, { window: 0 })
    expect(channel.write(Buffer.alloc(50_000))).toBe(false)
    expect(await endedWith(closed)).toBeUndefined()
    channel.write(Buffer.alloc(1))
    expect(await closed).toMatchObject({ by: 'limit', reason: 'queue-overflow' })
  })

  test('queueHighBytes: sends all output however small it is', async () => {
    const { client, channel, recorded } = await session({ queueHighBytes: 1 }, {}, { window: 10_000_000 })
    let left = 100
    recorded.whenDrained = () => {
      while (left > 0) {
        left -= 1
        if (!channel.write(Buffer.alloc(10_000))) return
      }
      channel.close()
    }
    recorded.whenDrained()
    let received = 0
    for (;;) {
      const payload = await client.next(n.MSG_CHANNEL_DATA, n.MSG_CHANNEL_CLOSE)
      if (payload[0] === n.MSG_CHANNEL_CLOSE) break
      received += payload.length - 9
    }
    expect(received).toBe(1_000_000)
  })

  test('queueMaxBytes: drops a peer that sends requests and never reads', async () => {
    const { client, closed, clock } = await session({ queueMaxBytes: 100_000, keepaliveMs: 1e9 })
    client.socket.removeAllListeners('data')
    client.socket.pause()
    const ping = new WireWriter().byte(n.MSG_PING).string(Buffer.alloc(1_000)).done()
    for (let turn = 0; turn < 200; turn += 1) client.send(ping)
    await settle()
    // Bytes the peer does not read cannot be flushed; after the flush timeout the socket is destroyed without them.
    clock.advance(2_000)
    expect(await closed).toMatchObject({ by: 'limit', reason: 'queue-overflow' })
  })

  test('pendingRequests: by default has room for a request of each of many channels', async () => {
    const { client, id, recorded, closed } = await session({})
    recorded.answer = () => new Promise(() => undefined)
    for (let turn = 0; turn < 1_024; turn += 1) client.send(client.channelRequest(id, 'shell').done())
    expect(await endedWith(closed)).toBeUndefined()
  })

  test('pendingRequests: limits the pending requests of all channels together', async () => {
    const { client, id, recorded, closed } = await session({ pendingRequests: 4 })
    recorded.answer = () => new Promise(() => undefined)
    for (let turn = 0; turn < 4; turn += 1) client.send(client.channelRequest(id, 'shell').done())
    expect(await endedWith(closed)).toBeUndefined()
    client.send(client.channelRequest(id, 'shell').done())
    expect(await closed).toMatchObject({ by: 'limit', reason: 'pending-requests' })
  })

  test('pendingRequests: releases those of a closed channel', async () => {
    const { client, channels, closed } = await session({ pendingRequests: 2 })
    for (let turn = 1; turn < 6; turn += 1) {
      const id = await client.openSession(turn)
      const recorded = channels[turn]
      if (recorded) recorded.answer = () => new Promise(() => undefined)
      client.send(client.channelRequest(id, 'shell').done())
      client.send(client.channelRequest(id, 'shell').done())
      client.send(client.channelMessage(n.MSG_CHANNEL_CLOSE, id).done())
      await client.next(n.MSG_CHANNEL_CLOSE)
    }
    expect(await endedWith(closed)).toBeUndefined()
  })

  test('pendingRequests: limits global requests too', async () => {
    const { client, closed } = connect({
      limits: { pendingRequests: 4 },
      handler: { listen: () => new Promise(() => undefined) },
    })
    await client.signIn()
    for (let turn = 0; turn < 5; turn += 1)
      client.send(client.globalRequest('tcpip-forward').string('').uint32(0).done())
    expect(await closed).toMatchObject({ by: 'limit', reason: 'pending-requests' })
  })
})
