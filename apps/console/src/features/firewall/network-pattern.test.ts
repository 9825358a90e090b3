import { BlockList } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalNetwork, parseNetwork } from '@bowline/contract/schemas/policy/network'
import { networkOfPattern, patternOfNetwork } from './network-pattern.ts'

/** IPv6 as the gateway writes it: the canonical text of RFC 5952. */
const canonical = (groups: readonly number[]): string =>
  new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1)

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
/** Biased to zeros and small numbers, whose notation varies most. */
const group = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 65_535 }), fc.nat(20))
const groups = fc.array(group, { minLength: 8, maxLength: 8 })

/** Another address that shares its first bits with this one. */
function near(address: readonly number[], noise: readonly number[], size: number, shared: number): number[] {
  return address.map((value, i) => {
    const free = Math.min(size, Math.max(0, size * (i + 1) - shared))
    const mask = 2 ** free - 1
    return (value & ~mask) | ((noise[i] ?? 0) & mask)
  })
}

describe('the pattern of a network', () => {
  it('matches exactly the IPv4 addresses of the network', () => {
    fc.assert(
      fc.property(
        octets,
        octets,
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 0, max: 32 }),
        (a, b, bits, shared) => {
          const list = new BlockList()
          list.addSubnet(a.join('.'), bits, 'ipv4')
          const pattern = new RegExp(patternOfNetwork(`${a.join('.')}/${bits}`) ?? '!')
          const other = near(a, b, 8, shared).join('.')
          expect([other, pattern.test(other)]).toEqual([other, list.check(other, 'ipv4')])
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('matches exactly the IPv6 addresses of the network, wherever they are shortened', () => {
    fc.assert(
      fc.property(
        groups,
        groups,
        fc.integer({ min: 0, max: 128 }),
        fc.integer({ min: 0, max: 128 }),
        (a, b, bits, shared) => {
          // Networks of IPv4 addresses within IPv6 have the pattern of IPv4, as the gateway writes those.
          fc.pre(parseNetwork(`${canonical(a)}/${bits}`)?.groups.length === 8)
          const list = new BlockList()
          list.addSubnet(canonical(a), bits, 'ipv6')
          const pattern = patternOfNetwork(`${canonical(a)}/${bits}`) ?? '!'
          const other = canonical(near(a, b, 16, shared))
          expect([other, pattern, new RegExp(pattern).test(other)]).toEqual([other, pattern, list.check(other, 'ipv6')])
          expect(pattern.length).toBeLessThan(1_024)
        },
      ),
      { numRuns: 4_000 },
    )
  })

  it('converts back to the network it was made from', () => {
    fc.assert(
      fc.property(
        octets,
        groups,
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 0, max: 128 }),
        (a, b, of4, of6) => {
          for (const network of [`${a.join('.')}/${of4}`, `${canonical(b)}/${of6}`]) {
            expect(networkOfPattern(patternOfNetwork(network) ?? '')).toBe(canonicalNetwork(network))
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('takes IPv4 addresses within IPv6 for IPv4', () => {
    expect(patternOfNetwork('::ffff:10.0.0.0/104')).toBe(patternOfNetwork('10.0.0.0/8'))
    expect(networkOfPattern(patternOfNetwork('::ffff:0:0/96') ?? '')).toBe('0.0.0.0/0')
  })

  it('matches the first and last address of every IPv4 network size, and not their outer neighbours', () => {
    const text = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
    for (let bits = 1; bits <= 32; bits += 1) {
      const size = 2 ** (32 - bits)
      const first = Math.floor(0xac_10_99_63 / size) * size
      const pattern = new RegExp(patternOfNetwork(`${text(first)}/${bits}`) ?? '!')
      const inside = [first, first + size - 1].map((value) => pattern.test(text(value)))
      const beside = [first - 1, first + size].filter((value) => value >= 0 && value < 2 ** 32)
      expect([bits, ...inside]).toEqual([bits, true, true])
      expect([bits, beside.filter((value) => pattern.test(text(value)))]).toEqual([bits, []])
    }
  })

  it.each([
    ['10.0.0.0/8', '^10[.]'],
    ['172.16.0.0/12', '^172[.](1[6-9]|2[0-9]|3[0-1])[.]'],
    ['192.0.2.7', '^192[.]0[.]2[.]7$'],
    ['2001:db8::/32', '^2001:db8:'],
    ['fe80::/10', '^fe[89ab][0-9a-f]{1}:'],
  ])('converts %s to %s', (network, pattern) => {
    expect(patternOfNetwork(network)).toBe(pattern)
  })

  it.each(['', '10', '10.0.0.0/33', '10.0.0.256/8', '::/129', 'gg::/8', '^10[.]', '10.0.0.0/8/9', 'example.com'])(
    'has no pattern for %j',
    (text) => {
      expect([patternOfNetwork(text), canonicalNetwork(text)]).toEqual([undefined, undefined])
    },
  )

  it.each(['.*', '^10\\.', '^10[.]0', '(', '', '^(1|2)[.]', 'root'])(
    'keeps a handwritten pattern as it is: %s',
    (pattern) => {
      expect(networkOfPattern(pattern)).toBe(undefined)
    },
  )
})
