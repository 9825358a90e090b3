import { expect, test } from 'vitest'
import { accountExpired, dayOf, hashState, passwordExpired } from './shadow.ts'

const entry = { hash: '$6$x$y', changedDay: 100, maximumDays: 30, inactiveDays: -1, expiresDay: -1 }

test('expires an account on its day of expiry, not after it', () => {
  expect(accountExpired({ ...entry, expiresDay: 200 }, 199)).toBe(false)
  expect(accountExpired({ ...entry, expiresDay: 200 }, 200)).toBe(true)
  expect(accountExpired(entry, 99_999)).toBe(false)
  expect(accountExpired({ ...entry, expiresDay: 0 }, 1)).toBe(true)
})

test('expires a password after its maximum age, and at once on day 0', () => {
  expect(passwordExpired(entry, 130)).toBe(false)
  expect(passwordExpired(entry, 131)).toBe(true)
  expect(passwordExpired({ ...entry, maximumDays: -1 }, 99_999)).toBe(false)
  expect(passwordExpired({ ...entry, changedDay: -1 }, 99_999)).toBe(false)
  expect(passwordExpired({ ...entry, changedDay: 0, maximumDays: -1 }, 1)).toBe(true)
  expect(passwordExpired({ ...entry, changedDay: 500 }, 100)).toBe(false)
})

test('classifies a hash field as usable, locked, or no password', () => {
  expect(['$6$salt$hash', 'abJnggxhB/yWI', '_J9..rasmBYk8r9AiWNc'].map(hashState)).toEqual(Array(3).fill('usable'))
  expect(['!', '*', '!!', '!$6$salt$hash', '*LK*', '!*'].map(hashState)).toEqual(Array(6).fill('locked'))
  expect(hashState('')).toBe('no-password')
})

test('counts days in UTC', () => {
  expect(dayOf(0)).toBe(0)
  expect(dayOf(86_399_999)).toBe(0)
  expect(dayOf(86_400_000)).toBe(1)
})
