// Requests that are sent without waiting for answers: one read of a socket may hold more than a thousand of them.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

/** Sends `count` requests in one write. @returns answers before the connection ended or all had come */
async function pipeline(count: number): Promise<number> {
  const { port } = new URL(server.origin)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.on('error', () => undefined)
  let received = ''
  const answers = (): number => received.split('HTTP/1.1 ').length - 1
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    if (answers() === count) socket.destroy()
  })
  socket.write('GET /info HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count))
  await once(socket, 'close')
  return answers()
}

it('answers the few requests that a client may have outstanding on one connection', async () => {
  expect(await pipeline(8)).toBe(8)
})

it('drops a connection with more outstanding requests instead of working on all of them', async () => {
  expect(await pipeline(1_400)).toBeLessThan(20)
  expect((await server.fetch('/info')).status).toBe(200)
})
