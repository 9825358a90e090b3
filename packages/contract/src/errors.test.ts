import { describe, expect, it } from 'vitest'
import { BowlineError, ERRORS, type ErrorCode, fail } from './errors.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe('an error', () => {
  it('takes the status and the message from the catalogue, filled with the details', () => {
    const error = new BowlineError('DEVICE_LIMIT', { limit: 3 })
    expect([error.status, error.message, error.fields]).toEqual([
      403,
      'The namespace has reached its device limit of 3. Remove devices that are not in use, or have an administrator of the server raise the limit.',
      [],
    ])
  })

  it.each([
    [1, '1 s'],
    [120, '120 s'],
    [121, '3 min'],
    [3_600, '60 min'],
    [86_400, '24 h'],
  ])('names a wait of %i seconds in a unit that fits', (seconds, wait) => {
    expect(new BowlineError('TOO_MANY_REQUESTS', { seconds }).message).toBe(`Too many requests; try again in ${wait}.`)
  })

  it('lists the invalid fields in order', () => {
    const error = new BowlineError('INVALID_INPUT', { field: 'name', rule: 'is required' }, ['name', 'email'])
    expect([error.message, error.fields]).toEqual(['name: is required.', ['name', 'email']])
  })

  it('fills each placeholder once, even when a detail looks like a placeholder', () => {
    const error = new BowlineError('ROUTE_NOT_FOUND', { method: '{path}', path: '{method} $& $1' })
    expect(error.message).toBe('There is no {path} {method} $& $1.')
  })

  it('retains the cause of an error for the log', () => {
    const cause = new Error('the database said no')
    expect(new BowlineError('INTERNAL', {}, [], { cause }).cause).toBe(cause)
  })

  it('fail throws the error with its code and fields', () => {
    expect(() => fail('CONFLICT', { field: 'email' }, ['email'])).toThrow(
      expect.objectContaining({ code: 'CONFLICT', fields: ['email'], message: 'email is taken.' }),
    )
  })
})

describe('the catalogue', () => {
  it.each(codes)('has a sentence and a status for %s', (code) => {
    const { status, message } = ERRORS[code]
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    const words = [...message.matchAll(/\{(\w+)\}/g)].map(([, word]) => [String(word), 'X'] as const)
    const filled = new BowlineError(code, Object.fromEntries(words)).message
    expect(filled).not.toMatch(/[{}]/)
    // INTERNAL's message has no details.
    expect(code === 'INTERNAL' ? '.' : filled).toMatch(/\.$/)
  })

  it('discloses nothing about internal errors', () => {
    expect(new BowlineError('INTERNAL', { what: 'secret' }).message).toBe('Internal Server Error')
  })
})
