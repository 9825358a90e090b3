// Tests of certificates' address lists, which fail closed.
import { expect, test } from 'vitest'
import { sourceAllowed } from './source-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.0/24', '192.0.2.200', true],
  ['192.0.2.0/24', '192.0.3.1', false],
  ['198.51.100.1, 192.0.2.0/24', '192.0.2.1', true],
  ['192.0.2.0/24', '::ffff:192.0.2.9', true],
  ['2001:db8::/32', '2001:db8:1::5', true],
  ['2001:db8::/32', '2001:db9::5', false],
  ['0.0.0.0/0', '203.0.113.5', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['', '192.0.2.7', false],
  ['192.0.2.7,', '192.0.2.7', false],
  ['192.0.2.0/33', '192.0.2.7', false],
  ['192.0.2.0/24/1', '192.0.2.7', false],
  ['192.0.2.0/x', '192.0.2.7', false],
  ['*', '192.0.2.7', false],
  ['192.0.2.0/24', 'not an address', false],
])('matches the list %j against %s: %s', (list, address, allowed) => {
  expect(sourceAllowed(list, address)).toBe(allowed)
})
