// Reading what providers send: filters, paths and changes, whatever they contain.
import { BowlineError } from '@bowline/contract/errors'
import { anything, array, assert, constantFrom, property, record, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeGroup, readGroup } from '../groups/description.ts'
import { changePerson, readPerson } from '../people/description.ts'
import { PERSON_FILTERS } from '../people/store.ts'
import { parseFilter } from './filter.ts'
import { readSteps } from './patch.ts'
import { parsePath } from './paths.ts'

/** Outcome of reading a text; any exception but a refusal is a defect. */
function isReadOrRefused(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    return error instanceof BowlineError && error.status === 400
  }
}

const PIECES = [
  'userName',
  'emails',
  '[',
  ']',
  '"',
  '\\',
  '.',
  ' eq ',
  ' and ',
  'type',
  '"work"',
  'true',
  '(',
  ')',
  ' ',
  'urn:',
]
const nearly = array(constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(''))

describe('filter', () => {
  it('is read or refused, whatever it is', () => {
    for (const texts of [string({ maxLength: 200 }), nearly]) {
      assert(property(texts, (text) => isReadOrRefused(() => parseFilter(text, PERSON_FILTERS))))
    }
  })

  it('keeps the text that it compares with', () => {
    assert(
      property(string({ maxLength: 100 }), (value) => {
        const [one, two] = parseFilter(`userName eq ${JSON.stringify(value)} and active eq true`, PERSON_FILTERS)
        expect([one, two]).toEqual([
          { attribute: 'username', value },
          { attribute: 'active', value: true },
        ])
      }),
    )
  })

  it('is refused in no time, also when it nearly fits for long', () => {
    for (const text of ['"\\'.repeat(499), 'a.'.repeat(500), '['.repeat(1_000), `emails[${'"a" '.repeat(240)}`]) {
      expect(isReadOrRefused(() => parseFilter(text, PERSON_FILTERS))).toBe(true)
      expect(isReadOrRefused(() => parsePath(text.slice(0, 500)))).toBe(true)
    }
  })
})

describe('change', () => {
  const steps = record({
    op: constantFrom('add', 'Replace', 'REMOVE'),
    path: constantFrom(
      'members',
      'displayName',
      'emails',
      'emails[type eq "work"].value',
      'name',
      'name.familyName',
      'active',
    ),
    value: anything(),
  })
  const person = readPerson({ userName: 'ada@example.com' })

  it('is applied or refused, whatever it is', () => {
    assert(
      property(array(steps, { maxLength: 8 }), (Operations) => {
        const change = { Operations }
        return (
          isReadOrRefused(() => changePerson(person, readSteps(change))) &&
          isReadOrRefused(() => changeGroup({ name: 'all', externalId: null }, new Set(), readSteps(change)))
        )
      }),
    )
    assert(property(anything(), (body) => isReadOrRefused(() => [readSteps(body), readPerson(body), readGroup(body)])))
  })

  it('takes the address for work or the primary one, and leaves it for others', () => {
    const set = (path: string, value: unknown) =>
      changePerson(person, readSteps({ Operations: [{ op: 'add', path, value }] })).email
    expect(set('emails[type eq "home"].value', 'home@example.com')).toBe('ada@example.com')
    expect(set('emails', [{ type: 'home', value: 'home@example.com' }])).toBe('ada@example.com')
    expect(set('emails[primary eq true].value', 'first@example.com')).toBe('first@example.com')
    const both = [
      { type: 'work', value: 'work@example.com' },
      { type: 'home', value: 'home@example.com', primary: 'True' },
    ]
    expect(set('emails', both)).toBe('home@example.com')
    expect(set('EMAILS[TYPE EQ "work"].VALUE', 'Work@Example.com')).toBe('work@example.com')
  })
})
