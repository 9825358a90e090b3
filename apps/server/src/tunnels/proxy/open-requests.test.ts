import { LIMITS } from '@bowline/contract/limits'
import { TenantId } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import type { LiveTunnel } from '../live.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'

const { perTunnel, perSource, perNamespace } = LIMITS.tunnels.open

function request(source: string, answered = false, label = 'tunnel') {
  const ends: string[] = []
  const entry: OpenRequest = { label, source, activeAt: 0, answered, end: (why) => void ends.push(why) }
  return { entry, ends }
}

const fill = (open: OpenRequests, sources: readonly string[], count: number, answered = false) =>
  sources.flatMap((source) =>
    Array.from({ length: count }, () => {
      const one = request(source, answered)
      expect(open.add(one.entry)).toBe(true)
      return one
    }),
  )

it('admits a visitor at a tunnel that two strangers have filled with requests that wait', () => {
  const open = new OpenRequests()
  const strangers = fill(open, ['198.51.100.1', '198.51.100.2'], perTunnel / 2)
  expect(open.add(request('192.0.2.1').entry)).toBe(true)
  expect(open.count).toBe(perTunnel)
  expect(strangers.filter(({ ends }) => ends.length > 0).map(({ ends }) => ends)).toEqual([['crowded']])
  expect(open.add(request('198.51.100.1').entry)).toBe(false)
})

it('ends nothing that the service has answered, and nothing of a source with few', () => {
  const open = new OpenRequests()
  fill(open, ['198.51.100.1'], perSource, true)
  for (let index = 0; index < perTunnel - perSource; index += 1) fill(open, [`203.0.113.${index}`], 1)
  expect(open.add(request('192.0.2.1').entry)).toBe(false)
  expect(open.add(request('192.0.2.1', false, 'other').entry)).toBe(true)
})

it('counts by namespace in the same way', () => {
  const open = new OpenRequests()
  const tunnel = { tenant: TenantId.parse('00000000-0000-4000-8000-000000000000') } as LiveTunnel
  const sources = Array.from({ length: perNamespace / perSource }, (_, index) => `198.51.100.${index}`)
  const add = (source: string, label: string): boolean => {
    const { entry } = request(source, false, label)
    return open.add(entry) && open.assign(entry, tunnel)
  }
  for (const source of sources) for (let index = 0; index < perSource; index += 1) add(source, `label ${index}`)
  expect(open.of({ tenant: tunnel.tenant })).toHaveLength(perNamespace)
  expect(add('192.0.2.1', 'another')).toBe(true)
  expect(open.of({ tenant: tunnel.tenant })).toHaveLength(perNamespace)
})
