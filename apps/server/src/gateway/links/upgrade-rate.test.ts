// Unauthenticated upgrades share a rate limit, which does not apply to addresses that have proved a key.
import { request } from 'node:http'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { LINK_PATH, LINK_SUBPROTOCOL } from '@bowline/link/upgrade'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { fakeDevice } from '../../testing/gateway.ts'

let server: BootedServer
beforeAll(async () => {
  // The clock stands still: the rate limiter regains no tokens.
  const settings = { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' }
  server = await bootServer({ clock: new ManualClock(Date.now()), settings })
})
afterAll(() => server.close())

/** Requests an upgrade with an invalid token. @returns the status */
function statusFrom(localAddress: string): Promise<number> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.alloc(16, 7).toString('base64'),
    'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL,
    Authorization: 'Bearer none',
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request(server.origin, { path: LINK_PATH, localAddress, agent: false, headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? 0)
  })
    .once('error', reject)
    .end()
  return promise
}

it('limits the total rate of unknown upgrades but not those of known agents', async () => {
  await fakeDevice(server, await server.setUpAccount())
  let refused = 0
  for (let batch = 0; batch < 45 && refused === 0; batch += 1) {
    const all = Array.from({ length: 100 }, (_, index) => statusFrom(`127.0.5${batch % 3}.${index + 1}`))
    refused = (await Promise.all(all)).filter((status) => status === 503).length
  }
  expect(refused).toBeGreaterThan(0)
  expect(await statusFrom('127.0.60.1')).toBe(503)
  expect(await statusFrom('127.0.0.1')).toBe(401)
})
