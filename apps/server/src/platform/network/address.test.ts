import { describe, expect, it } from 'vitest'
import { addressRanges, isLoopback, plainAddress, sourceKey } from './address.ts'

describe('addresses', () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['', ''],
  ])('normalises %s to %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain)
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('counts %s as source %s', (address, key) => {
    expect(sourceKey(address)).toBe(key)
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1'])('treats %s as loopback', (address) => {
    expect(isLoopback(address)).toBe(true)
  })

  it.each(['0.0.0.0', '::', '128.0.0.1', 'localhost.example.org', '', '::2'])(
    'does not treat %s as loopback',
    (address) => {
      expect(isLoopback(address)).toBe(false)
    },
  )
})

describe('address ranges', () => {
  it('matches addresses inside its ranges and no others', () => {
    const isIn = addressRanges(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'])
    const inside = ['10.0.0.1', '10.255.255.255', '192.0.2.7', '2001:db8:ffff::1', '::1', '::ffff:10.1.2.3']
    const outside = ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', '', 'unknown', '10.0.0.1:80']
    expect(inside.filter((address) => !isIn(address))).toEqual([])
    expect(outside.filter(isIn)).toEqual([])
  })

  it('matches nothing without ranges', () => {
    expect(addressRanges([])('127.0.0.1')).toBe(false)
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/x',
    '10.0.0',
    'example.org',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/9',
    '10.0.0.0/0x8',
    '',
  ])('throws naming an invalid range: %s', (entry) => {
    expect(() => addressRanges([entry])).toThrow(`'${entry}'`)
  })
})
