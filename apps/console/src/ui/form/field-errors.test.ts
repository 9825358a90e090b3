import { ApiError } from '@bowline/contract/client'
import { expect, it } from 'vitest'
import { fieldErrors, fieldSentence } from './field-errors.ts'

const refused = (message: string, fields: string[]) => new ApiError(400, { message, fields }, new Headers())

it('assigns the server’s rule to the field it names', () => {
  expect(fieldErrors(refused('username: must have 3 to 30 characters.', ['username']), 'was not accepted')).toEqual([
    { field: 'username', rule: 'must have 3 to 30 characters' },
  ])
  expect(fieldErrors(refused('email is taken.', ['email', 'username']), 'was not accepted')).toEqual([
    { field: 'email', rule: 'is taken' },
    { field: 'username', rule: 'was not accepted' },
  ])
})

it('reads a bare list of field names', () => {
  expect(fieldErrors(new ApiError(409, ['email'], new Headers()), 'was not accepted')).toEqual([
    { field: 'email', rule: 'was not accepted' },
  ])
})

it('finds no field in other failures', () => {
  expect(fieldErrors(new TypeError('fetch failed'), 'x')).toEqual([])
})

it('joins label and rule to a sentence', () => {
  expect(fieldSentence('Username', 'is taken')).toBe('Username is taken.')
})
