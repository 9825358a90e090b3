import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { statementVerifier } from './statement.ts'

const NOW = 1_800_000_000
const DEVICE = 'd'.repeat(64)
const SESSION = 'a'.repeat(64)
const login = { session: SESSION, user: 'root' }
const claims = { session: SESSION, user: 'root', device: DEVICE, exp: NOW + 60 }

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
function statement(key: KeyObject, payload: object, header: object = { alg: 'EdDSA' }): string {
  const signed = `${encode(header)}.${encode(payload)}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}
const rawOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')

const platform = generateKeyPairSync('ed25519')
const verifier = statementVerifier(
  () => ({ uid: DEVICE, statementKey: rawOf(platform.publicKey) }),
  () => NOW * 1000,
)

test('a statement of the platform about this login is accepted', () => {
  expect(verifier.verify(statement(platform.privateKey, claims), login)).toBeUndefined()
})

test.each([
  ['another session', { session: 'b'.repeat(64) }],
  ['another user', { user: 'ann' }],
  ['another device', { device: 'e'.repeat(64) }],
  ['the past', { exp: NOW - 121 }],
  ['no time at all', { exp: undefined }],
  ['a time that is no number', { exp: 'later' }],
])('a statement about %s is denied', (_name, change) => {
  expect(verifier.verify(statement(platform.privateKey, { ...claims, ...change }), login)).toBe('credential')
})

test('a clock that is a little off does no harm', () => {
  expect(verifier.verify(statement(platform.privateKey, { ...claims, exp: NOW - 100 }), login)).toBeUndefined()
})

test('a statement by another key is denied', () => {
  const stranger = generateKeyPairSync('ed25519').privateKey
  expect(verifier.verify(statement(stranger, claims), login)).toBe('credential')
})

test.each([{ alg: 'none' }, { alg: 'HS256' }, { alg: 'EdDSA', crit: ['exp'] }, {}])('header %o is denied', (header) => {
  expect(verifier.verify(statement(platform.privateKey, claims, header), login)).toBe('credential')
})

test('a statement that is damaged anywhere is denied', () => {
  const whole = statement(platform.privateKey, claims)
  const parts = whole.split('.')
  const damaged = [
    '',
    '.',
    '..',
    '...',
    `${whole}.`,
    `${parts[0]}.${parts[1]}`,
    `${parts[0]}.${parts[1]}.`,
    `x${whole}`,
  ]
  for (const text of damaged) expect(verifier.verify(text, login)).toBe('credential')
})

test('without a statement key every statement is denied', () => {
  const unknowing = statementVerifier(
    () => ({ uid: DEVICE, statementKey: undefined }),
    () => NOW * 1000,
  )
  expect(unknowing.verify(statement(platform.privateKey, claims), login)).toBe('unsupported')
})
