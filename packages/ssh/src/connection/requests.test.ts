// Channel requests, global requests and their replies.
import { describe, expect, test } from 'vitest'
import type { ListenRequest, SessionRequest } from '../api.ts'
import { connect, settle } from '../../test/support/connect.ts'
import type { ConnectOptions } from '../../test/support/connect.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

async function session(options: ConnectOptions = {}) {
  const connected = connect(options)
  await connected.client.signIn()
  const id = await connected.client.openSession(5)
  const recorded = connected.channels[0]
  if (!recorded) throw new Error('no channel was opened')
  return { ...connected, id, recorded }
}

describe('session requests', () => {
  const cases: [string, WireWriter, SessionRequest][] = [
    [
      'pty-req',
      new WireWriter().string('xterm').uint32(80).uint32(24).uint32(640).uint32(480).string(Uint8Array.of(1, 0)),
      {
        type: 'pty-req',
        term: 'xterm',
        columns: 80,
        rows: 24,
        width: 640,
        height: 480,
        modes: Uint8Array.of(1, 0),
      },
    ],
    [
      'window-change',
      new WireWriter().uint32(100).uint32(30).uint32(0).uint32(0),
      { type: 'window-change', columns: 100, rows: 30, width: 0, height: 0 },
    ],
    ['env', new WireWriter().string('LANG').string('de_AT.UTF-8'), { type: 'env', name: 'LANG', value: 'de_AT.UTF-8' }],
    ['shell', new WireWriter(), { type: 'shell' }],
    ['exec', new WireWriter().string(Uint8Array.of(0xff, 0xfe)), { type: 'exec', command: Uint8Array.of(0xff, 0xfe) }],
    ['subsystem', new WireWriter().string('sftp'), { type: 'subsystem', name: 'sftp' }],
    ['signal', new WireWriter().string('TERM'), { type: 'signal', name: 'TERM' }],
    ['break', new WireWriter().uint32(500), { type: 'break', lengthMs: 500 }],
    ['auth-agent-req@openssh.com', new WireWriter(), { type: 'auth-agent-req@openssh.com' }],
    [
      'x11-req',
      new WireWriter().boolean(true).string('MIT-MAGIC-COOKIE-1').string('00ff').uint32(2),
      { type: 'x11-req', single: true, protocol: 'MIT-MAGIC-COOKIE-1', cookie: '00ff', screen: 2 },
    ],
    ['eow@openssh.com', new WireWriter(), { type: 'eow@openssh.com' }],
  ]

  test.each(cases)('passes %s to the handler with all its fields', async (name, fields, expected) => {
    const { client, id, recorded } = await session()
    client.send(client.channelRequest(id, name).bytes(fields.done()).done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
    expect(recorded.requests).toEqual([expected])
  })

  test.each(['exit-status', 'keepalive@openssh.com', 'unheard-of'])('refuses the unknown request %s', async (name) => {
    const { client, id, recorded } = await session()
    client.send(client.channelRequest(id, name).uint32(0).done())
    await client.next(n.MSG_CHANNEL_FAILURE)
    expect(recorded.requests).toEqual([])
  })

  test('refuses an environment variable that is not UTF-8 without ending the connection', async () => {
    const { client, id } = await session()
    client.send(client.channelRequest(id, 'env').string('X').string(Uint8Array.of(0xff)).done())
    expect((await client.read(n.MSG_CHANNEL_FAILURE)).uint32('recipient')).toBe(5)
  })

  test('sends no reply to a request without want_reply', async () => {
    const { client, id } = await session()
    client.send(client.channelRequest(id, 'shell', false).done())
    client.send(client.channelRequest(id, 'unheard-of', false).done())
    client.send(client.channelRequest(id, 'unheard-of', true).done())
    expect((await client.next(n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_FAILURE))[0]).toBe(n.MSG_CHANNEL_FAILURE)
  })

  test('sends replies in the order of the requests, whatever the order of the decisions', async () => {
    const { client, id, recorded } = await session()
    const gates = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
    recorded.answer = () => gates[recorded.requests.length - 1]?.promise ?? true
    for (const name of ['auth-agent-req@openssh.com', 'auth-agent-req@openssh.com', 'shell']) {
      client.send(client.channelRequest(id, name).done())
    }
    await settle()
    gates[1]?.resolve(false)
    await settle()
    gates[0]?.resolve(true)
    const replies: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      replies.push((await client.next(n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_FAILURE))[0] ?? 0)
    }
    expect(replies).toEqual([n.MSG_CHANNEL_SUCCESS, n.MSG_CHANNEL_FAILURE, n.MSG_CHANNEL_SUCCESS])
  })

  test('refuses when the handler rejects; refuses and closes the channel when it throws', async () => {
    const { client, id, recorded } = await session()
    recorded.answer = () => Promise.reject(new Error('boom'))
    client.send(client.channelRequest(id, 'shell').done())
    await client.next(n.MSG_CHANNEL_FAILURE)
    recorded.answer = () => {
      throw new Error('boom')
    }
    client.send(client.channelRequest(id, 'shell').done())
    expect((await client.read(n.MSG_CHANNEL_CLOSE)).uint32('recipient')).toBe(5)
  })

  test('ends the connection on a truncated request', async () => {
    const { client, id, closed } = await session()
    client.send(client.channelRequest(id, 'pty-req').string('xterm').uint32(80).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'malformed-packet' })
  })

  test('ends the connection on channel replies to requests we never made', async () => {
    const { client, id, closed } = await session()
    client.send(client.channelMessage(n.MSG_CHANNEL_SUCCESS, id).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })
})

describe('global requests', () => {
  test('refuses forwards when the handler has no listen', async () => {
    const { client } = connect()
    await client.signIn()
    client.send(client.globalRequest('tcpip-forward').string('').uint32(0).done())
    expect((await client.next(n.MSG_REQUEST_SUCCESS, n.MSG_REQUEST_FAILURE))[0]).toBe(n.MSG_REQUEST_FAILURE)
  })

  test('opens and cancels forwards, and returns the port when any was requested', async () => {
    const opened: ListenRequest[] = []
    const cancelled: ListenRequest[] = []
    const { client } = connect({
      handler: {
        listen: async (_connection, request) => {
          opened.push(request)
          return request.type === 'tcpip-forward' ? 40_000 : 0
        },
        unlisten: async (_connection, request) => {
          cancelled.push(request)
          return true
        },
      },
    })
    await client.signIn()
    client.send(client.globalRequest('tcpip-forward').string('localhost').uint32(0).done())
    expect((await client.read(n.MSG_REQUEST_SUCCESS)).uint32('port')).toBe(40_000)
    client.send(client.globalRequest('tcpip-forward').string('').uint32(8_080).done())
    expect((await client.read(n.MSG_REQUEST_SUCCESS)).remaining).toBe(0)
    client.send(client.globalRequest('streamlocal-forward@openssh.com').string('/tmp/s').done())
    expect((await client.read(n.MSG_REQUEST_SUCCESS)).remaining).toBe(0)
    client.send(client.globalRequest('cancel-tcpip-forward').string('').uint32(8_080).done())
    await client.next(n.MSG_REQUEST_SUCCESS)
    client.send(client.globalRequest('cancel-streamlocal-forward@openssh.com').string('/tmp/s').done())
    await client.next(n.MSG_REQUEST_SUCCESS)
    expect(opened).toEqual([
      { type: 'tcpip-forward', address: 'localhost', port: 0 },
      { type: 'tcpip-forward', address: '', port: 8_080 },
      { type: 'streamlocal-forward@openssh.com', address: '/tmp/s', port: 0 },
    ])
    expect(cancelled).toEqual([
      { type: 'tcpip-forward', address: '', port: 8_080 },
      { type: 'streamlocal-forward@openssh.com', address: '/tmp/s', port: 0 },
    ])
  })

  test('refuses a port beyond 65535 without calling the handler', async () => {
    let asked = 0
    const { client } = connect({
      handler: {
        listen: async () => {
          asked += 1
          return 1
        },
      },
    })
    await client.signIn()
    client.send(client.globalRequest('tcpip-forward').string('').uint32(65_536).done())
    await client.next(n.MSG_REQUEST_FAILURE)
    expect(asked).toBe(0)
  })

  test('answers global requests in order', async () => {
    const gate = Promise.withResolvers<number | undefined>()
    const { client } = connect({ handler: { listen: () => gate.promise } })
    await client.signIn()
    client.send(client.globalRequest('tcpip-forward').string('').uint32(0).done())
    client.send(client.globalRequest('unheard-of').done())
    await settle()
    gate.resolve(1_234)
    const first = await client.next(n.MSG_REQUEST_SUCCESS, n.MSG_REQUEST_FAILURE)
    expect(new WireReader(first, 1).uint32('port')).toBe(1_234)
    await client.next(n.MSG_REQUEST_FAILURE)
  })

  test('enforces no-more-sessions@openssh.com', async () => {
    const { client } = connect()
    await client.signIn()
    await client.openSession(1)
    client.send(client.globalRequest('no-more-sessions@openssh.com', false).done())
    client.sendOpen('session', 2)
    const refused = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
    expect([refused.uint32('recipient'), refused.uint32('code')]).toEqual([2, 1])
  })

  test('answers ten thousand unknown global requests without queueing them', async () => {
    const { client, connection } = connect()
    await client.signIn()
    const unknown = client.globalRequest('unheard-of').done()
    for (let turn = 0; turn < 10_000; turn += 1) client.send(unknown)
    for (let turn = 0; turn < 10_000; turn += 1) await client.next(n.MSG_REQUEST_FAILURE)
    expect(connection.user).toBe('user')
  })

  test('answers an unknown message number with UNIMPLEMENTED', async () => {
    const { client } = connect()
    await client.signIn()
    client.send(Uint8Array.of(250, 1, 2))
    expect((await client.read(n.MSG_UNIMPLEMENTED)).uint32('sequence')).toBe(client.writer.packets - 1)
  })

  test('answers a transport ping with its data', async () => {
    const { client } = connect()
    await client.signIn()
    client.send(new WireWriter().byte(n.MSG_PING).string('once').done())
    expect((await client.read(n.MSG_PONG)).text('data')).toBe('once')
  })
})
