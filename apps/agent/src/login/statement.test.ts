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
/** @param seconds the device's clock, since 1970 */
function verifierAt(seconds: () => number, maxRemembered?: number) {
  const device = { uid: DEVICE, statementKey: rawOf(platform.publicKey) }
  const verifier = statementVerifier(
    () => device,
    () => seconds() * 1000,
    maxRemembered,
  )
  return { verify: (text: string, about: typeof login) => verifier.verify(text, about) }
}
const verifier = verifierAt(() => NOW)

test('accepts a statement of the platform for this login', () => {
  expect(verifier.verify(statement(platform.privateKey, claims), login)).toBeUndefined()
})

test.each([
  ['another session', { session: 'b'.repeat(64) }],
  ['another user', { user: 'ann' }],
  ['another device', { device: 'e'.repeat(64) }],
  ['the past', { exp: NOW - 121 }],
  ['no time', { exp: undefined }],
  ['a time that is no number', { exp: 'later' }],
])('denies a statement for %s', (_name, change) => {
  expect(verifier.verify(statement(platform.privateKey, { ...claims, ...change }), login)).toBe('credential')
})

test('accepts a statement once, whatever the encoding of its signature', () => {
  const { verify } = verifierAt(() => NOW)
  const once = statement(platform.privateKey, { ...claims, jti: 'one' })
  expect(verify(once, login)).toBeUndefined()
  expect([once, `${once}=`, `${once}\n`].map((text) => verify(text, login))).toEqual(Array(3).fill('credential'))
  expect(verify(statement(platform.privateKey, { ...claims, jti: 'two' }), login)).toBeUndefined()
})

test('leaves a statement valid for its own login after a use for another', () => {
  const { verify } = verifierAt(() => NOW)
  const text = statement(platform.privateKey, claims)
  expect(verify(text, { ...login, user: 'ann' })).toBe('credential')
  expect(verify(text, login)).toBeUndefined()
})

test('denies as busy at the limit of remembered statements until one of them expires', () => {
  let now = NOW
  const { verify } = verifierAt(() => now, 2)
  const next = (jti: string, exp: number) => verify(statement(platform.privateKey, { ...claims, jti, exp }), login)
  expect([next('one', NOW + 60), next('two', NOW + 90), next('three', NOW + 90)]).toEqual([
    undefined,
    undefined,
    'busy',
  ])
  now = NOW + 60 + 121
  expect([next('four', now + 60), next('five', now + 60)]).toEqual([undefined, 'busy'])
})

test('tolerates a small clock difference', () => {
  expect(verifier.verify(statement(platform.privateKey, { ...claims, exp: NOW - 100 }), login)).toBeUndefined()
})

test('denies a statement signed by another key', () => {
  const stranger = generateKeyPairSync('ed25519').privateKey
  expect(verifier.verify(statement(stranger, claims), login)).toBe('credential')
})

test.each([{ alg: 'none' }, { alg: 'HS256' }, { alg: 'EdDSA', crit: ['exp'] }, {}])(
  'denies the header %o',
  (header) => {
    expect(verifier.verify(statement(platform.privateKey, claims, header), login)).toBe('credential')
  },
)

test('denies a statement that is damaged anywhere', () => {
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

test('denies every statement without a statement key', () => {
  const unknowing = statementVerifier(
    () => ({ uid: DEVICE, statementKey: undefined }),
    () => NOW * 1000,
  )
  expect(unknowing.verify(statement(platform.privateKey, claims), login)).toBe('unsupported')
})
