// WebSockets that never send a ticket do not block other browsers. On a running server.
import { once } from 'node:events'
import { TERMINAL_PATH, TERMINAL_SUBPROTOCOL } from '@bowline/contract/terminal/messages'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type BootedServer, bootServer } from '../../testing/boot.ts'

let server: BootedServer
beforeAll(async () => {
  // Stands still: no handshake times out while 500 are opened, however busy the machine is.
  server = await bootServer({ clock: new ManualClock(Date.now()) })
})
afterAll(() => server.close())

const opened: WebSocket[] = []
/** @returns 101, or the status of the refusal */
async function open(localAddress: string): Promise<number> {
  const url = `${server.origin.replace('http', 'ws')}${TERMINAL_PATH}`
  const socket = new WebSocket(url, [TERMINAL_SUBPROTOCOL], { localAddress })
  opened.push(socket)
  socket.on('error', () => undefined)
  const refused = once(socket, 'unexpected-response').then(
    ([, response]) => (response as { statusCode: number }).statusCode,
  )
  return Promise.race([once(socket, 'open').then(() => 101), refused])
}

it('limits silent WebSockets to 20 per address and evicts the oldest at the total limit', async () => {
  for (let i = 0; i < 20; i += 1) expect(await open('127.0.0.2')).toBe(101)
  expect(await open('127.0.0.2')).toBe(429)
  for (let source = 3; source < 27; source += 1) {
    await Promise.all(Array.from({ length: 20 }, () => open(`127.0.0.${source}`)))
  }
  const [oldest] = opened
  const closed = oldest && once(oldest, 'close')
  expect(await open('127.0.1.1')).toBe(101)
  await closed
  for (const socket of opened) socket.terminate()
})
