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
  ['a point off the curve', 'ecdh-sha2-nistp256', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])],
  ['a compressed point', 'ecdh-sha2-nistp256', Buffer.concat([Buffer.of(2), Buffer.alloc(32, 1)])],
  ['no point', 'ecdh-sha2-nistp256', Buffer.alloc(0)],
  ['zero', 'diffie-hellman-group14-sha256', Buffer.of(0)],
  ['one', 'diffie-hellman-group14-sha256', Buffer.of(1)],
  ['a negative value', 'diffie-hellman-group14-sha256', Buffer.of(0x80, 1)],
  ['a value larger than the group', 'diffie-hellman-group14-sha256', Buffer.alloc(257, 0x7f)],
  ['far too large a value', 'diffie-hellman-group14-sha256', Buffer.alloc(300, 1)],
  ['no value', 'diffie-hellman-group14-sha256', Buffer.alloc(0)],
])('%s is refused', (_what, method, key) => {
  expect(reasonOf(() => agreeOnSecret(method, key))).toBe('bad-key-exchange')
})
