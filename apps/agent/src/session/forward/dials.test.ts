import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Link } from '@bowline/link/api'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { ACCOUNT, fakeAuthority, logIn, startAgent } from '../../testing.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, accept)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

async function dial(gateway: Link, target: object, options?: { consume: boolean }) {
  const login = await logIn(gateway)
  return RecordedStream.open(gateway, 'dial', { login: login.stream?.id, target }, options)
}

test('passes bytes and half-closes both ways', async () => {
  const port = await listen((socket) => {
    socket.on('data', (bytes) => socket.write(String(bytes).toUpperCase()))
    socket.on('end', () => socket.end(' bye'))
  })
  const { gateway } = startAgent()
  const stream = await dial(gateway, { host: 'localhost', port })
  stream.stream.write(Buffer.from('hello'))
  stream.stream.eof()
  expect(await stream.whenClosed()).toMatchObject({ by: 'agent', reason: 'done' })
  expect(stream.text()).toBe('HELLO bye')
  expect(stream.messages).toEqual([{ type: 'connected' }])
})

test('still delivers to a server that closes its side first', async () => {
  let heard = ''
  const port = await listen((socket) => {
    socket.end('only this')
    socket.on('data', (bytes) => {
      heard += String(bytes)
    })
  })
  const { gateway } = startAgent()
  const stream = await dial(gateway, { host: '127.0.0.1', port })
  await until(() => stream.events.includes('eof'))
  stream.stream.write(Buffer.from('late'))
  stream.stream.eof()
  await stream.whenClosed()
  expect([stream.text(), heard]).toEqual(['only this', 'late'])
})

test('delivers sent bytes to a slow server even when the client disconnects at once', async () => {
  let received = 0
  let ended = false
  let slow: Socket | undefined
  const folder = mkdtempSync(join(tmpdir(), 'bowline-dials-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const server = createServer((socket) => {
    slow = socket
    socket.pause()
    socket.on('data', (chunk) => (received += chunk.length))
    socket.on('close', () => (ended = true))
  })
  servers.push(server)
  // A unix socket buffers some hundred KB for a server that does not read.
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve))
  const { gateway } = startAgent({ windowBytes: 2_000_000 })
  const stream = await dial(gateway, { path: join(folder, 'socket') })
  await until(() => stream.messages.length > 0)
  const bytes = Buffer.alloc(1_500_000, 'x')
  stream.stream.write(bytes)
  stream.stream.close()
  // The link preserves order: when the next connection is up, the end of the first has been processed.
  const next = await dial(gateway, { host: '127.0.0.1', port: await listen(() => {}) })
  await until(() => next.messages.length > 0)
  slow?.resume()
  await until(() => ended)
  expect(received).toBe(bytes.length)
})

test('reports a closed port as a connect failure', async () => {
  const { gateway } = startAgent()
  const port = await listen(() => {})
  servers.pop()?.close()
  expect(await (await dial(gateway, { host: '127.0.0.1', port })).whenClosed()).toMatchObject({
    by: 'agent',
    reason: 'connect-failed',
  })
})

test('stops reading from the server while the client does not read', async () => {
  let sent = 0
  const port = await listen((socket) => {
    const push = () => {
      while (sent < 200_000_000 && socket.write(Buffer.alloc(65_536))) sent += 65_536
    }
    socket.on('drain', push)
    socket.on('error', () => {})
    push()
  })
  const { gateway, streams } = startAgent({ windowBytes: 65_536 })
  const stream = await dial(gateway, { host: '127.0.0.1', port }, { consume: false })
  await until(() => stream.bytes().length >= 65_536)
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(stream.bytes().length).toBe(65_536)
  expect(sent).toBeLessThan(50_000_000)
  stream.stream.close(undefined, 'drop')
  expect(streams.processCount).toBe(0)
})

test('fails a connection that times out', async () => {
  const clock = new ManualClock()
  const { gateway } = startAgent({ clock })
  // TEST-NET-1: no host answers there; a network that refuses at once is a failure as well.
  const stream = await dial(gateway, { host: '192.0.2.1', port: 9 })
  await until(() => clock.pending > 0 || stream.cause !== undefined)
  await clock.advanceAsync(15_000)
  expect(await stream.whenClosed()).toMatchObject({ reason: 'connect-failed' })
})

test('closes connections with their login', async () => {
  const sockets: Socket[] = []
  const port = await listen((socket) => sockets.push(socket.on('error', () => {})))
  const { gateway } = startAgent()
  const login = await logIn(gateway)
  const stream = RecordedStream.open(gateway, 'dial', { login: login.stream?.id, target: { host: '127.0.0.1', port } })
  await until(() => stream.messages.length === 1 && sockets.length === 1)
  const ended = new Promise((resolve) => sockets[0]?.on('close', resolve).resume())
  login.stream?.close({ by: 'admin', reason: 'terminated', message: '' })
  expect(await stream.whenClosed()).toMatchObject({ reason: 'terminated' })
  sockets[0]?.end()
  await ended
})

test.each([{ path: 'relative' }, { path: '/tmp/a\0b' }, { path: '' }])('refuses the target %o', async (target) => {
  const { gateway } = startAgent()
  expect(await (await dial(gateway, target)).whenClosed()).toMatchObject({ by: 'agent', reason: 'connect-failed' })
})

test('refuses connections of a service account', async () => {
  const { gateway } = startAgent({ authority: fakeAuthority({ ...ACCOUNT, shell: '/usr/sbin/nologin' }) })
  const stream = await dial(gateway, { host: '127.0.0.1', port: 1 })
  expect(await stream.whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
})
