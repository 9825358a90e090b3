// Malformed key exchange strings from clients.
import { createDiffieHellman } from 'node:crypto'
import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { WireReader } from '../wire/reader.ts'
import { agreeOnSecret } from './key-agreement.ts'

/** RFC 3526 section 3: the 2048-bit MODP group. */
const GROUP14_PRIME = Buffer.from(
  'ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd' +
    'ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed' +
    'ee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f' +
    '83655d23dca3ad961c62f356208552bb9ed529077096966d670c354e4abc9804f1746c08ca18217c32905e462e36ce3b' +
    'e39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9de2bcbf6955817183995497cea956ae515d2261898fa0510' +
    '15728e5a8aacaa68ffffffffffffffff',
  'hex',
)
/** The prime and a little, as an mpint without its length. */
function primeAnd(difference: number): Buffer {
  const last = 0xff + difference
  const bytes = Buffer.concat([Buffer.of(0), GROUP14_PRIME])
  if (last <= 0xff) bytes[bytes.length - 1] = last
  // The bytes before the last are 0xff down to 0x68, which takes the carry.
  if (last > 0xff) bytes.fill(0, bytes.length - 8).writeUInt8(0x69, bytes.length - 9)
  return bytes
}

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
  ['the prime less one', 'diffie-hellman-group14-sha256', primeAnd(-1)],
  ['the prime', 'diffie-hellman-group14-sha256', primeAnd(0)],
  ['the prime and one', 'diffie-hellman-group14-sha256', primeAnd(1)],
  ['a value larger than the group', 'diffie-hellman-group14-sha256', Buffer.alloc(257, 0x7f)],
  ['far too large a value', 'diffie-hellman-group14-sha256', Buffer.alloc(300, 1)],
  ['no value', 'diffie-hellman-group14-sha256', Buffer.alloc(0)],
])('refuses %s', (_what, method, key) => {
  expect(reasonOf(() => agreeOnSecret(method, key))).toBe('bad-key-exchange')
})

test('computes the group 14 secret with the prime and generator of RFC 3526', () => {
  const client = createDiffieHellman(GROUP14_PRIME, Buffer.of(2))
  const own = client.generateKeys()
  const mpint = (own[0] ?? 0) < 0x80 ? own : Buffer.concat([Buffer.of(0), own])
  const { reply, secret } = agreeOnSecret('diffie-hellman-group14-sha256', mpint)
  const theirs = client.computeSecret(reply)
  const ours = Buffer.from(new WireReader(secret).string('secret'))
  expect(BigInt(`0x${ours.toString('hex')}`)).toBe(BigInt(`0x${theirs.toString('hex')}`))
})
