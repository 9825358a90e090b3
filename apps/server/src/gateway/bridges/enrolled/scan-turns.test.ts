// Turns of scans when servers are silent.
import { randomUUID } from 'node:crypto'
import { TenantId } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import { ScanTurns } from './scan-turns.ts'

const tenant = () => TenantId.parse(randomUUID())
const silent = () => new Promise<never>(() => undefined)
const answering = () => Promise.resolve('a key')

/** Has many silent servers asked, each at an address of its own. */
function flood(turns: ScanTurns, from: TenantId): void {
  for (let i = 0; i < 500; i += 1) void turns.run(from, `2001:db8:0:${i.toString(16)}::1`, silent)
}

it('asks the servers of a namespace while those of another are silent, whatever their addresses', async () => {
  const turns = new ScanTurns()
  flood(turns, tenant())
  expect(await turns.run(tenant(), '192.0.2.1', answering)).toBe('a key')
})

it('passes a turn on within a namespace', async () => {
  const turns = new ScanTurns()
  const own = tenant()
  const first = Promise.withResolvers<string>()
  const scans = Array.from({ length: 100 }, () => turns.run(own, '192.0.2.1', () => first.promise))
  first.resolve('a key')
  expect(new Set(await Promise.all(scans))).toEqual(new Set(['a key']))
})
