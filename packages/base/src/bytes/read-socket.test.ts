// Reading with and without the shared buffer gives the same bytes.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readSocket } from '@bowline/base/bytes/read-socket'
import { listeningPort } from '../testing/listening-port.ts'

/** Sends `bytes` through a real socket and gives what `accept` collected, and whether `data` events were used. */
async function through(bytes: Buffer, prepare: (socket: Socket) => Promise<void>) {
  const parts: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer((socket) => {
    void prepare(socket).then(() => {
      readSocket(socket, (chunk) => void parts.push(Buffer.from(chunk)))
      const listeners = socket.listenerCount('data')
      socket.on('end', () => resolve(listeners))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(listeningPort(server), '127.0.0.1')
  client.end(bytes)
  const dataListeners = await promise
  server.close()
  return { received: Buffer.concat(parts), dataListeners }
}

test('an accepted socket is read into the shared buffer, with this Node', async () => {
  const bytes = randomBytes(3_000_000)
  const { received, dataListeners } = await through(bytes, async () => undefined)
  expect(received.equals(bytes)).toBe(true)
  expect(dataListeners).toBe(0)
})

test('a socket that has bytes waiting already is read in order', async () => {
  const bytes = randomBytes(500_000)
  const { received, dataListeners } = await through(bytes, async (socket) => {
    await once(socket, 'readable')
  })
  expect(received.equals(bytes)).toBe(true)
  expect(dataListeners).toBe(1)
})

test('any other stream is read by its events', async () => {
  const stream = new PassThrough()
  const parts: Buffer[] = []
  readSocket(stream, (chunk) => void parts.push(chunk))
  stream.end('abc')
  await once(stream, 'end')
  expect(Buffer.concat(parts).toString()).toBe('abc')
})
