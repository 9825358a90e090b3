import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Link } from '@bowline/link/api'
import { RecordedStream } from '@bowline/link/testing/pair'
import { startAgent } from '../../testing.ts'

async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, accept)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

const open = (gateway: Link, header: Record<string, unknown>) => RecordedStream.open(gateway, 'http', header)

test('connects a tunnel without a login and passes bytes both ways', async () => {
  const port = await listen((socket) => {
    socket.on('data', (bytes) => socket.write(String(bytes).toUpperCase()))
    socket.on('end', () => socket.end(' bye'))
  })
  const { gateway } = startAgent()
  const stream = open(gateway, { host: '127.0.0.1', port })
  stream.stream.write(Buffer.from('hello'))
  stream.stream.eof()
  expect(await stream.whenClosed()).toMatchObject({ by: 'agent', reason: 'done' })
  expect(stream.text()).toBe('HELLO bye')
  expect(stream.messages).toEqual([{ type: 'connected' }])
})

test('reports a closed port as connect-failed', async () => {
  const port = await listen((socket) => socket.destroy())
  const { gateway } = startAgent()
  const closed = port === 1 ? 2 : 1
  expect(await open(gateway, { host: '127.0.0.1', port: closed }).whenClosed()).toMatchObject({
    by: 'agent',
    reason: 'connect-failed',
  })
})

test.each([
  { host: 'localhost', port: 80 },
  { host: '127.0.0.1', port: 0 },
  { path: '/run/docker.sock' },
  { host: '127.0.0.1/8', port: 80 },
])('refuses the tunnel target %j', async (header) => {
  const { gateway } = startAgent()
  expect(await open(gateway, header).whenClosed()).toMatchObject({ by: 'agent', reason: 'protocol' })
})
