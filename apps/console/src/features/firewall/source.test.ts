import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkSource, neverMatches, networksShown, sourceFields, toRuleSource, toSource } from './source.ts'

const Fields = z.object(sourceFields).superRefine(checkSource)
const errorsOf = (fields: object) =>
  Fields.safeParse({ source: 'any', source_networks: '', source_ip: '', ...fields }).error?.issues.map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  )

describe('the source of a rule', () => {
  it('sends networks as typed, separated by commas, spaces or lines, and takes the pattern off', () => {
    const source = { source: 'network' as const, source_networks: ' 10.0.0.0/8, ::1\n192.0.2.7 ', source_ip: '^10' }
    expect(toRuleSource(source)).toEqual({ source_ip: '.*', source_networks: ['10.0.0.0/8', '::1', '192.0.2.7'] })
  })

  it('takes the networks off when another kind is chosen', () => {
    const fields = { source_networks: '10.0.0.0/8', source_ip: '^10' }
    expect(toRuleSource({ ...fields, source: 'any' })).toEqual({ source_ip: '.*', source_networks: [] })
    expect(toRuleSource({ ...fields, source: 'pattern' })).toEqual({ source_ip: '^10', source_networks: [] })
  })

  it('edits a pattern that was made from a network as the network', () => {
    const rule = { source_ip: '^172[.](1[6-9]|2[0-9]|3[0-1])[.]', source_networks: [] }
    expect(networksShown(rule)).toEqual(['172.16.0.0/12'])
    expect(toRuleSource(toSource(rule))).toEqual({ source_ip: '.*', source_networks: ['172.16.0.0/12'] })
  })

  it('keeps handwritten patterns and rules without a source as they are', () => {
    for (const rule of [
      { source_ip: '^10', source_networks: [] },
      { source_ip: '.*', source_networks: [] },
    ]) {
      expect(toRuleSource(toSource(rule))).toEqual(rule)
    }
    expect(toSource(undefined).source).toBe('any')
  })

  it('names the network that is none, and requires one', () => {
    expect(errorsOf({ source: 'network', source_networks: '10.0.0.0/8 10.0.0.0/33' })?.[0]).toContain(
      'source_networks has 10.0.0.0/33',
    )
    expect(errorsOf({ source: 'network' })).toEqual(['source_networks must contain at least one network or address'])
    expect(errorsOf({ source: 'network', source_networks: Array(33).fill('::1').join(' ') })).toHaveLength(1)
    expect(errorsOf({ source: 'network', source_networks: '10.0.0.0/8,::1', source_ip: '10.0.0.0/8' })).toBe(undefined)
  })

  it('refuses a network as a pattern and points at the choice Network', () => {
    expect(errorsOf({ source: 'pattern', source_ip: '^10.0.0.0/8' })?.[0]).toContain('choose Network')
    expect(errorsOf({ source: 'pattern' })).toEqual(['source_ip is required'])
  })

  it('finds stored patterns that are networks and match nothing', () => {
    expect(neverMatches({ source_ip: '10.0.0.0/8', source_networks: [] })).toBe(true)
    expect(neverMatches({ source_ip: '^10[.]', source_networks: [] })).toBe(false)
    expect(neverMatches({ source_ip: '.*', source_networks: ['10.0.0.0/8'] })).toBe(false)
  })
})
