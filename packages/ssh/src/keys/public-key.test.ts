// Key blobs: round trips, and no input makes the parsers do anything but parse or refuse.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Dice, damage } from '../../test/support/fuzz.ts'
import { TOUCHED, certify, ecdsaKey, ed25519Key, fidoKey, rsaKey } from '../../test/support/user-key.ts'
import { WireError } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { parseCertificate, plainNameOf } from './certificate.ts'
import { encodePublicKey } from './key-blob.ts'
import { parsePublicKey } from './public-key.ts'

const keys = [
  ed25519Key(),
  ecdsaKey('nistp256'),
  ecdsaKey('nistp384'),
  ecdsaKey('nistp521'),
  rsaKey(),
  fidoKey('ed25519', TOUCHED),
  fidoKey('ecdsa', TOUCHED),
]

/** The message of a WireError, `read` when there was none, and the kind of any other error. */
function outcome(run: () => unknown): string {
  try {
    run()
    return 'read'
  } catch (error) {
    return error instanceof WireError ? error.message : `unforeseen ${String(error)}`
  }
}

test.each(keys.map((key) => [key.publicKey.type, key] as const))('%s survives a round trip', (_type, key) => {
  expect(Buffer.from(encodePublicKey(parsePublicKey(key.blob))).equals(key.blob)).toBe(true)
})

describe('malformed keys', () => {
  const rsa = (e: number[], bytes: number) =>
    new WireWriter(1_200)
      .string('ssh-rsa')
      .mpint(Uint8Array.from(e))
      .mpint(Uint8Array.from({ length: bytes }, () => 0xc1))
      .done()

  test.each([
    [rsa([1, 0, 1], 255), 'RSA modulus: must have 2048 to 8192 bits'],
    [rsa([1, 0, 1], 1_025), 'RSA modulus: must have 2048 to 8192 bits'],
    [rsa([1], 256), 'RSA exponent: must be odd, at least 3 and at most 32 bits'],
    [rsa([2], 256), 'RSA exponent: must be odd, at least 3 and at most 32 bits'],
    [rsa([1, 0, 0, 0, 1], 256), 'RSA exponent: must be odd, at least 3 and at most 32 bits'],
    [rsa([], 256), 'RSA exponent: must be odd, at least 3 and at most 32 bits'],
    [new WireWriter().string('ssh-dss').done(), 'key type: not supported'],
    [new WireWriter().string('ssh-ed25519').string(new Uint8Array(31)).done(), 'Ed25519 key: must be 32 bytes'],
    [
      new WireWriter().string('ecdsa-sha2-nistp256').string('nistp256').string(new Uint8Array(33)).done(),
      'point: must be uncompressed and of the size of its curve',
    ],
    [
      new WireWriter().string('ecdsa-sha2-nistp256').string('nistp384').string(new Uint8Array(97)).done(),
      'curve: differs from the key type',
    ],
  ])('rejects blob %#: %s', (blob, message) => {
    expect(outcome(() => parsePublicKey(blob))).toBe(message)
  })
})

test('maps certificate names to the plain name', () => {
  expect(plainNameOf('ssh-ed25519-cert-v01@openssh.com')).toBe('ssh-ed25519')
  expect(plainNameOf('rsa-sha2-512-cert-v01@openssh.com')).toBe('rsa-sha2-512')
  expect(plainNameOf('sk-ssh-ed25519-cert-v01@openssh.com')).toBe('sk-ssh-ed25519@openssh.com')
  expect(plainNameOf('ssh-ed25519')).toBeUndefined()
})

describe('damaged bytes', () => {
  const authority = ed25519Key()
  const certificates = keys
    .filter(({ publicKey }) => !publicKey.type.endsWith('384') && !publicKey.type.endsWith('521'))
    .map((key) => certify({ key, authority, critical: [['force-command', 'x']] }))

  test('parses or refuses damaged keys and certificates without another error', () => {
    const dice = new Dice(8_709)
    const outcomes = new Set<string>()
    for (let turn = 0; turn < 5_000; turn += 1) {
      outcomes.add(outcome(() => parsePublicKey(damage(dice, dice.pick(keys).blob))))
      outcomes.add(outcome(() => parseCertificate(damage(dice, dice.pick(certificates)))))
    }
    expect([...outcomes].filter((text) => text.startsWith('unforeseen'))).toEqual([])
    expect(outcomes.size).toBeGreaterThan(10)
  })

  test('parses or refuses random bytes without another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(outcome(() => parsePublicKey(bytes))).not.toContain('unforeseen')
        expect(outcome(() => parseCertificate(bytes))).not.toContain('unforeseen')
      }),
    )
  })
})
