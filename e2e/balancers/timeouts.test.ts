// Idle timeouts of the balancers against how often the product says something: nothing that is idle is cut, for any time.
import { LINK_DEFAULTS } from '@bowline/link/api'
import { DEFAULT_LIMITS } from '@bowline/ssh/api'
import { expect, it } from 'vitest'
import { configuration } from './balancer.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
/** Lines that end a connection on which nothing moves, in either direction. */
const IDLE =
  /^ *(?:timeout (?:client|server|tunnel)|proxy_timeout|proxy_read_timeout|proxy_send_timeout) +(\d+)([smh]);?$/gm

it.each([
  ['haproxy.cfg', 5],
  ['haproxy-tcp.cfg', 4],
  ['nginx-http.conf', 2],
  ['nginx-https.conf', 1],
  ['nginx-ssh.conf', 1],
])('cuts no idle link or ssh connection: %s', (file, lines) => {
  const timeouts = [...configuration(file).matchAll(IDLE)].map(
    ([, count, unit = '']) => Number(count) * (UNITS_MS[unit] ?? 0),
  )
  expect(timeouts).toHaveLength(lines)
  // The far end is noticed as gone, and the connection closed, before a balancer has to.
  const silence = Math.max(LINK_DEFAULTS.deadMs, DEFAULT_LIMITS.keepaliveMs * DEFAULT_LIMITS.keepaliveMisses)
  expect(Math.min(...timeouts)).toBeGreaterThan(2 * silence)
})

it('lets the product speak twice at least within the time after which it takes the other end for gone', () => {
  expect(LINK_DEFAULTS.pingMs * 2).toBeLessThan(LINK_DEFAULTS.deadMs)
  expect(DEFAULT_LIMITS.keepaliveMisses).toBeGreaterThan(2)
})
