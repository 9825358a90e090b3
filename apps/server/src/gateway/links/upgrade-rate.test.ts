// Unauthenticated upgrades share a rate limit, which does not apply to addresses that have proved a key.
import { request } from 'node:http'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { LINK_PATH, LINK_SUBPROTOCOL } from '@bowline/link/upgrade'
import { afterEach, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { fakeDevice } from '../../testing/gateway.ts'

let server: BootedServer
afterEach(() => server.close())

/** Boots a server with a known agent at 127.0.0.1. The clock stands still: rate limiters regain no tokens. */
async function boot(settings: Readonly<Record<string, string>>): Promise<void> {
  server = await bootServer({ clock: new ManualClock(Date.now()), settings })
  await fakeDevice(server, await server.setUpAccount())
}

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

it('limits the rate of a source, unless the operator has exempted it', async () => {
  const refusedOf = async (address: string): Promise<number> => {
    let refused = 0
    for (let batch = 0; batch < 21; batch += 1) {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => statusFrom(address)))
      refused += statuses.filter((status) => status === 429).length
    }
    return refused
  }
  await boot({ BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1', BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE: '400' })
  expect(await refusedOf('127.0.0.1')).toBe(0)
  expect(await refusedOf('127.0.0.2')).toBe(100)
})

it('limits the total rate of unknown upgrades but not those of known agents', async () => {
  await boot({ BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' })
  let refused = 0
  for (let batch = 0; batch < 45 && refused === 0; batch += 1) {
    const all = Array.from({ length: 100 }, (_, index) => statusFrom(`127.0.5${batch % 3}.${index + 1}`))
    refused = (await Promise.all(all)).filter((status) => status === 503).length
  }
  expect(refused).toBeGreaterThan(0)
  expect(await statusFrom('127.0.60.1')).toBe(503)
  expect(await statusFrom('127.0.0.1')).toBe(401)
})
