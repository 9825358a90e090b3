// Idle connections of unauthenticated clients are evicted when the listener is full.
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'

const TOTAL = 40
let server: BootedServer
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_MAX_HTTP_CONNECTIONS: String(TOTAL) } })
})
afterAll(() => server.close())

/** Makes a request and keeps the connection. */
async function ask(path: string, localAddress: string): Promise<{ socket: Socket; status: string | undefined }> {
  const { port } = new URL(server.origin)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress })
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
  return { socket, status: String(answer).split(' ')[1] }
}

it.each(['/metrics', '/', '/openapi.json', '/api/devices', '/info'])(
  'evicts idle unauthenticated connections that requested %s for new clients',
  async (path) => {
    const held: Socket[] = []
    for (let count = 0; count < TOTAL; count += 1) held.push((await ask(path, `127.0.30.${count % 8}`)).socket)
    for (let count = 0; count < 4; count += 1) {
      const { socket, status } = await ask('/info', '127.0.31.1')
      held.push(socket)
      expect(status).toBe('200')
    }
    for (const socket of held) socket.destroy()
  },
)
