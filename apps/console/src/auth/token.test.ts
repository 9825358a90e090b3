import { LIMITS } from '@bowline/contract/limits'
import { expect, it } from 'vitest'
import { makeToken } from '../testing/answers.ts'
import { tokenLifetimeMs } from './token.ts'

it('reads the lifetime from the token itself', () => {
  expect(tokenLifetimeMs(makeToken(90))).toBe(90_000)
})

it('reads base64url payloads', () => {
  const payload = Buffer.from(JSON.stringify({ iat: 1, exp: 61, name: '???>>>' })).toString('base64url')
  expect(tokenLifetimeMs(`x.${payload}.y`)).toBe(60_000)
})

it.each(['', 'opaque', 'a.b.c', makeToken(-5)])('falls back to the contract’s lifetime for %j', (token) => {
  expect(tokenLifetimeMs(token)).toBe(LIMITS.accessTokenMinutes * 60_000)
})
