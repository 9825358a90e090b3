import { BlockList } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAddress, canonicalNetwork, hasAddress, looksLikeNetwork, parseNetwork } from './network.ts'

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }).map((all) => all.join('.'))
const groups = fc
  .array(fc.oneof(fc.constant(0), fc.constant(0xfd00), fc.nat(65_535)), { minLength: 8, maxLength: 8 })
  .map((all) => all.map((group) => group.toString(16)).join(':'))

describe('networks', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    [' 192.0.2.7 ', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:0:0:0:0/32', '2001:db8::/32'],
    ['2001:db8:1::1/33', '2001:db8::/33'],
    ['::1', '::1/128'],
    ['::/0', '::/0'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:a01:203', '10.1.2.3/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ])('reads %j as %s', (text, canonical) => {
    expect(canonicalNetwork(text)).toBe(canonical)
    expect(canonicalNetwork(canonical)).toBe(canonical)
  })

  it.each([
    '',
    '10',
    '10.0.0',
    '010.0.0.0/8',
    '10.0.0.256/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/9',
    '10.0.0.0/-1',
    '::/129',
    ':::',
    'gg::/8',
    'fe80::1%eth0',
    '^10[.]',
    'example.com',
    '1.2.3.4]/8',
    '[::1]',
  ])('refuses %j', (text) => {
    expect(canonicalNetwork(text)).toBe(undefined)
  })

  it.each(['ipv4', 'ipv6'] as const)('has exactly the addresses that a BlockList has: %s', (family) => {
    const address = family === 'ipv4' ? octets : groups
    fc.assert(
      fc.property(
        address,
        address,
        fc.integer({ min: 0, max: family === 'ipv4' ? 32 : 128 }),
        fc.boolean(),
        (a, b, bits, same) => {
          const list = new BlockList()
          list.addSubnet(a, bits, family)
          const network = parseNetwork(`${a}/${bits}`)
          const candidate = same ? a : b
          const other = parseNetwork(candidate)
          // A BlockList compares addresses of IPv4 within IPv6 with both families.
          fc.pre(network?.groups.length === other?.groups.length)
          expect(network && other && hasAddress(network, other)).toBe(list.check(candidate, family))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('has no address of the other family', () => {
    const [all4, all6] = [parseNetwork('0.0.0.0/0'), parseNetwork('::/0')]
    const [one4, one6] = [parseNetwork('192.0.2.7'), parseNetwork('2001:db8::1')]
    if (!all4 || !all6 || !one4 || !one6) throw new Error('a network was not read')
    expect([hasAddress(all4, one4), hasAddress(all4, one6), hasAddress(all6, one4), hasAddress(all6, one6)]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it('writes addresses as the gateway does', () => {
    expect(['::FFFF:10.1.2.3', '2001:DB8:0:0::1', '10.1.2.3', '10.0.0.0/8', 'x'].map(canonicalAddress)).toEqual([
      '10.1.2.3',
      '2001:db8::1',
      '10.1.2.3',
      undefined,
      undefined,
    ])
  })

  it.each([
    '10.0.0.0/8',
    '^10.0.0.0/8$',
    '192.0.2.7/',
    String.raw`10\.0\.0\.0/8`,
    '10[.]0[.]0[.]0/8',
    '10.0.0.0/8, ::1/128',
    '^(10.0.0.0/8|192.168.0.0/16)$',
    '2001:db8::/32',
  ])('recognises a network in the pattern %j', (pattern) => {
    expect(looksLikeNetwork(pattern)).toBe(true)
  })

  it.each(['.*', '^10[.]', 'a/b|^10', '^10|/x', '/', '10.0.0.0'])('takes %j for a pattern', (pattern) => {
    expect(looksLikeNetwork(pattern)).toBe(false)
  })
})
