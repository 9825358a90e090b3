import { expect, it } from 'vitest'
import { describeJoinEnd } from './join-end.ts'

const system = { type: 'system', id: '', name: '' } as const
const ben = { type: 'user', id: '6543210fedcba98765432100', name: 'ben' } as const

it.each([
  ['session.join-end', system, { person: 'ben' }, 'ben is no longer in a shared terminal'],
  ['session.join-end', ben, { person: 'ben' }, undefined],
  ['session.join-end', system, {}, undefined],
  ['session.close', system, { person: 'ben' }, undefined],
])('says of %s by %o about %o: %s', (action, actor, details, text) => {
  expect(describeJoinEnd({ action, actor, details })).toBe(text)
})
