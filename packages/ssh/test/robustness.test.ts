// Broken and hostile peers: they end their own connection with a typed cause, and nothing else.
import { describe, expect, test } from 'vitest'
import { connect, settle } from './support/connect.ts'
import * as n from '../src/wire/numbers.ts'
import { WireWriter } from '../src/wire/writer.ts'

describe('other connections', () => {
  test('keeps connections unaffected by one that breaks every rule', async () => {
    const good = connect()
    await good.client.signIn()
    const id = await good.client.openSession(1)
    const bad = connect()
    await bad.client.signIn()
    bad.client.sendData(77, Buffer.alloc(10))
    expect(await bad.closed).toMatchObject({ reason: 'unknown-channel' })
    good.client.sendData(id, Buffer.from('alive'))
    await settle()
    expect(good.channels[0]?.received.toString()).toBe('alive')
  })

  test('serves connections while one sends thousands of tiny packets at once', async () => {
    const { client, serverSocket } = connect()
    await client.signIn()
    const turns: string[] = []
    serverSocket.on('pause', () => void turns.push('pause'))
    serverSocket.on('resume', () => void turns.push('resume'))
    const ignore = new WireWriter().byte(n.MSG_IGNORE).string('').done()
    for (let sent = 0; sent < 2_000; sent += 1) client.send(ignore)
    client.send(new WireWriter().byte(n.MSG_PING).string('done').done())
    await client.next(n.MSG_PONG)
    await settle()
    expect(turns.slice(0, 2)).toEqual(['pause', 'resume'])
    expect(turns.filter((turn) => turn === 'resume').length).toBe(turns.length / 2)
  })

  test('times out four hundred silent connections', async () => {
    const silent = Array.from({ length: 400 }, () => connect())
    for (const { clock } of silent) clock.advance(10_000)
    const causes = await Promise.all(silent.map(({ closed }) => closed))
    expect(new Set(causes.map(({ reason }) => reason))).toEqual(new Set(['ident-timeout']))
    expect(silent.map(({ clock }) => clock.pending)).toEqual(silent.map(() => 0))
  })
})

describe('the end', () => {
  test('destroys the socket of a peer that does not close its side', async () => {
    const { client, clock, closed } = connect()
    client.socket.removeAllListeners('end')
    client.socket.write('GET / HTTP/1.1\r\n\r\n')
    await settle()
    clock.advance(2_000)
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'bad-ident' })
  })

  test('disconnect flushes the queue, then sends its message', async () => {
    const { client, connection, channels, closed } = connect()
    await client.signIn()
    await client.openSession(1)
    channels[0]?.channel.write(Buffer.from('last words'))
    connection.disconnect({ by: 'local', reason: 'drained', message: 'The server is restarting.' })
    const data = await client.read(n.MSG_CHANNEL_DATA)
    data.uint32('recipient')
    expect(data.text('data')).toBe('last words')
    expect(await client.disconnected()).toEqual({ code: 11, message: 'The server is restarting.' })
    expect(await closed).toEqual({ by: 'local', reason: 'drained', message: 'The server is restarting.' })
    expect(channels[0]?.causes).toMatchObject([{ reason: 'drained' }])
  })

  test('disconnect before sign-in is immediate', async () => {
    const { client, connection, closed } = connect()
    await client.startAuthentication()
    connection.disconnect({ by: 'local', reason: 'drained', message: 'bye' })
    expect(await client.disconnected()).toEqual({ code: 11, message: 'bye' })
    expect(await closed).toMatchObject({ reason: 'drained' })
  })

  test('disconnect waits at most two seconds for a client without window', async () => {
    const { client, connection, channels, clock, closed } = connect({ limits: { keepaliveMs: 1e9 } })
    await client.signIn()
    await client.openSession(1, { window: 3 })
    channels[0]?.channel.write(Buffer.from('abcdef'))
    connection.disconnect({ by: 'local', reason: 'drained', message: 'bye' })
    await settle()
    clock.advance(1_999)
    await settle()
    expect(channels[0]?.causes).toEqual([])
    clock.advance(1)
    expect(await closed).toMatchObject({ reason: 'drained' })
  })

  test('omits the peer’s own disconnect text from the cause', async () => {
    const { client, closed } = connect()
    await client.signIn()
    const text = 'evil \u001b[31m text'
    client.send(new WireWriter().byte(n.MSG_DISCONNECT).uint32(11).string(text).string('').done())
    expect(await closed).toEqual({
      by: 'peer',
      reason: 'disconnect',
      message: 'The client disconnected (reason code 11).',
    })
  })

  test('reports a socket that was already closed once', async () => {
    const { client, serverSocket } = connect()
    expect(client.ended).toBe(false)
    serverSocket.destroy()
    const causes: string[] = []
    const late = connect({ handler: { closed: (_connection, { reason }) => void causes.push(reason) } })
    late.serverSocket.destroy()
    await late.closed
    await settle()
    expect(causes).toEqual(['socket-closed'])
  })

  test('isolates a handler that throws in authenticated or closed', async () => {
    const boom = () => {
      throw new Error('boom')
    }
    const { client, channels, serverSocket } = connect({ handler: { authenticated: boom, closed: boom } })
    await client.signIn()
    const id = await client.openSession(1)
    client.sendData(id, Buffer.from('fine'))
    await settle()
    expect(channels[0]?.received.toString()).toBe('fine')
    serverSocket.destroy()
    await settle()
    expect(channels[0]?.causes.length).toBe(1)
  })
})
