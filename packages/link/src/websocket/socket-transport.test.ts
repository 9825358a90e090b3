import { once } from 'node:events'
import { type Socket, connect, createServer } from 'node:net'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, describe, expect, test } from 'vitest'
import type { LinkCause } from '../api.ts'
import { type Masking, SocketTransport } from './socket-transport.ts'
import { settle } from '../testing/pair.ts'
import { OPCODE, applyMask, frameHeader } from './websocket.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

/** Both ends of one TCP connection over loopback. */
async function sockets(): Promise<[Socket, Socket]> {
  const server = createServer({ pauseOnConnect: true })
  const accepted = once(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const client = connect({ port: address.port, host: '127.0.0.1' })
  const [peer]: Socket[] = await accepted
  if (!peer) throw new Error('no connection')
  await once(client, 'connect')
  cleanups.push(() => {
    client.destroy()
    peer.destroy()
    server.close()
  })
  return [peer, client]
}

function listening(
  socket: Socket,
  masking: Masking,
  more: { head?: Uint8Array; clock?: ManualClock; highBytes?: number } = {},
) {
  const { head = new Uint8Array(0), clock = new ManualClock(), highBytes = 256 * 1024 } = more
  const transport = new SocketTransport({ socket, head, masking, highBytes, clock })
  const received: Uint8Array[] = []
  const closed = Promise.withResolvers<LinkCause>()
  const drained = Promise.withResolvers<void>()
  let wanted = { bytes: Infinity, resolve: (): void => undefined }
  const count = (): number => received.reduce((sum, piece) => sum + piece.length, 0)
  transport.listen({
    bytes(chunk) {
      received.push(Uint8Array.from(chunk))
      if (count() >= wanted.bytes) wanted.resolve()
    },
    drain: () => drained.resolve(),
    closed: closed.resolve,
  })
  return {
    transport,
    text: () => Buffer.concat(received).toString('latin1'),
    bytes: (size: number) =>
      new Promise<Buffer>((resolve) => {
        wanted = { bytes: size, resolve: () => resolve(Buffer.concat(received)) }
        if (count() >= size) wanted.resolve()
      }),
    closed: closed.promise,
    drained: drained.promise,
  }
}

describe('a socket transport', () => {
  test.each<{ client: Masking }>([{ client: 'random' }, { client: 'zero' }])(
    'carries bytes both ways with the mask “$client” without modifying its input',
    async ({ client: masking }) => {
      const [serverSocket, clientSocket] = await sockets()
      const server = listening(serverSocket, 'none')
      const client = listening(clientSocket, masking)
      const small = Buffer.from('small')
      const large = Buffer.alloc(300_001, 'abcdefg')
      client.transport.send([small, large, small])
      server.transport.send([large, small])
      const up = await server.bytes(300_011)
      const down = await client.bytes(300_006)
      expect(up.equals(Buffer.concat([small, large, small]))).toBe(true)
      expect(down.equals(Buffer.concat([large, small]))).toBe(true)
      expect(large.equals(Buffer.alloc(300_001, 'abcdefg'))).toBe(true)
    },
  )

  test('delivers the bytes that came with the upgrade first', async () => {
    const [serverSocket, clientSocket] = await sockets()
    const head = Buffer.concat([frameHeader(OPCODE.binary, 4), Buffer.from('he')])
    const client = listening(clientSocket, 'zero', { head })
    serverSocket.write('ad')
    expect((await client.bytes(4)).toString()).toBe('head')
  })

  test('reports when the socket is backed up and when it has drained', async () => {
    const [serverSocket, clientSocket] = await sockets()
    const server = listening(serverSocket, 'none', { highBytes: 100_000 })
    let sent = 0
    while (server.transport.send([new Uint8Array(65_536)])) sent += 65_536
    expect(serverSocket.writableLength).toBeLessThan(200_000)
    const client = listening(clientSocket, 'zero')
    await server.drained
    await client.bytes(sent)
  })

  test('answers a ping with its payload', async () => {
    const [serverSocket, clientSocket] = await sockets()
    listening(serverSocket, 'none')
    const mask = Buffer.of(1, 2, 3, 4)
    const payload = Buffer.from('are you there')
    applyMask(payload, mask, 0)
    clientSocket.write(Buffer.concat([frameHeader(OPCODE.ping, payload.length, mask), payload]))
    const [answer]: Buffer[] = await once(clientSocket, 'data')
    expect(answer?.equals(Buffer.concat([frameHeader(OPCODE.pong, 13), Buffer.from('are you there')]))).toBe(true)
  })

  test('sends its queue before it closes and reports the cause to both ends', async () => {
    const [serverSocket, clientSocket] = await sockets()
    const server = listening(serverSocket, 'none')
    const client = listening(clientSocket, 'zero')
    const cause: LinkCause = { by: 'gateway', reason: 'displaced', message: '' }
    server.transport.send([Buffer.from('last words')])
    server.transport.close(cause)
    server.transport.close({ ...cause, reason: 'again' })
    expect(server.transport.send([Buffer.from('too late')])).toBe(true)
    expect(await server.closed).toEqual(cause)
    expect(await client.closed).toMatchObject({ by: 'network', reason: 'disconnected' })
    expect(client.text()).toBe('last words')
  })

  test('ends within two seconds of close although the peer keeps sending', async () => {
    const clock = new ManualClock()
    const [serverSocket, clientSocket] = await sockets()
    const server = listening(serverSocket, 'none', { clock })
    clientSocket.on('error', () => undefined).resume()
    server.transport.close({ by: 'gateway', reason: 'done', message: '' })
    clientSocket.removeAllListeners('end')
    clientSocket.allowHalfOpen = true
    await settle()
    await clock.advanceAsync(2_000)
    expect((await server.closed).reason).toBe('done')
    expect(serverSocket.destroyed).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test.each<[string, (peer: Socket) => void, Partial<LinkCause>]>([
    ['ends its side', (peer) => peer.end(), { by: 'network', reason: 'disconnected' }],
    ['resets the connection', (peer) => peer.resetAndDestroy(), { by: 'network', reason: 'connection-lost' }],
    [
      'breaks the protocol',
      (peer) => peer.write(Buffer.of(0x81, 0x80, 0, 0, 0, 0)),
      { by: 'network', reason: 'protocol' },
    ],
    ['sends no mask', (peer) => peer.write(Buffer.of(0x82, 0)), { by: 'network', reason: 'protocol' }],
  ])('ends when the peer %s', async (_what, act, cause) => {
    const [serverSocket, clientSocket] = await sockets()
    const server = listening(serverSocket, 'none')
    clientSocket.on('error', () => undefined).resume()
    act(clientSocket)
    expect(await server.closed).toMatchObject(cause)
  })

  test.each<[string, Buffer, number]>([
    ['breaks the protocol', Buffer.of(0x81, 0x80, 0, 0, 0, 0), 1002],
    ['announces an oversized message', Buffer.from(frameHeader(OPCODE.binary, 2 ** 30, Buffer.alloc(4))), 1009],
  ])('closes with the matching status code when a peer %s', async (_what, bytes, code) => {
    const [serverSocket, clientSocket] = await sockets()
    listening(serverSocket, 'none')
    clientSocket.write(bytes)
    const [close]: Buffer[] = await once(clientSocket, 'data')
    expect([close?.[0], close?.readUInt16BE(2)]).toEqual([0x88, code])
  })

  test('reports the end to a late listener', async () => {
    const [serverSocket] = await sockets()
    const transport = new SocketTransport({
      socket: serverSocket,
      head: new Uint8Array(0),
      masking: 'none',
      highBytes: 1,
      clock: new ManualClock(),
    })
    serverSocket.destroy()
    await once(serverSocket, 'close')
    const closed = Promise.withResolvers<LinkCause>()
    transport.listen({ bytes: () => undefined, drain: () => undefined, closed: closed.resolve })
    expect((await closed.promise).reason).toBe('disconnected')
  })
})
