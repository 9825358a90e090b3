// Strings a client may send instead of a key.
import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { agreeOnSecret } from './key-agreement.ts'

function reasonOf(run: () => unknown): string {
  try {
    run()
    return 'accepted'
  } catch (error) {
    return error instanceof Fault ? error.closeCause.reason : 'not a fault'
  }
}

test.each([
  ['an all-zero X25519 point', 'curve25519-sha256', Buffer.alloc(32)],
  ['a point of small order', 'curve25519-sha256', Buffer.concat([Buffer.of(1), Buffer.alloc(31)])],
  ['a short key', 'curve25519-sha256', Buffer.alloc(31, 1)],
  ['a long key', 'curve25519-sha256', Buffer.alloc(33, 1)],
  ['a short hybrid string', 'mlkem768x25519-sha256', Buffer.alloc(1_215, 1)],
  ['an ML-KEM key out of range', 'mlkem768x25519-sha256', Buffer.alloc(1_216, 0xff)],
  ['a good ML-KEM key beside a zero point', 'mlkem768x25519-sha256', Buffer.alloc(1_216)],
  ['nothing', 'mlkem768x25519-sha256', Buffer.alloc(0)],
])('%s is refused', (_what, method, key) => {
  expect(reasonOf(() => agreeOnSecret(method, key))).toBe('bad-key-exchange')
})
