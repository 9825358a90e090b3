import { UserId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { choicesOf, subjectsText, toChoices, toSubjects } from './subjects.ts'

const [ada, bert] = [UserId.parse('a-1'), UserId.parse('b-2')]
const members = [{ id: ada, email: 'ada@example.com' }]

describe('the subjects of a rule', () => {
  it('converts members and roles to choices and back', () => {
    const subjects = { people: [ada, bert], roles: ['operator' as const, 'owner' as const] }
    expect(toSubjects(toChoices(subjects))).toEqual(subjects)
    expect(toSubjects([])).toEqual({ people: [], roles: [] })
  })

  it('keeps somebody who is chosen and not among the members', () => {
    const [, people] = choicesOf(members, toChoices({ people: [bert, ada], roles: [] }))
    expect(people?.items.map(({ value }) => value)).toEqual([`user:${ada}`, `user:${bert}`])
  })

  it('names subjects, and has no words for everybody', () => {
    expect(subjectsText({ people: [ada], roles: ['operator'] }, members)).toBe('Operators, ada@example.com')
    expect(subjectsText({ people: [bert], roles: [] }, members)).toBe('Unknown member')
    expect(subjectsText({ people: [], roles: [] }, members)).toBe(undefined)
  })
})
