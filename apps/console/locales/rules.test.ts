import { ERRORS } from '@bowline/contract/errors'
import { expect, it } from 'vitest'
import { matchText } from '../src/platform/language/server-text.ts'
import { PROGRAM_RULES } from './program-rules.ts'
import { ruleSources } from './rules.ts'
import { RULES } from './server-texts.ts'

const sources = ruleSources()
/** Errors that are about one field: `{field} is taken.` */
const errors = Object.values(ERRORS).map(({ message }) => message.replace(/^\S+ /, '').replace(/\.$/, ''))
const isTranslated = (rule: string) => RULES.some((template) => matchText(template, rule) !== undefined)

it('translates every rule of a field that a form can break', () => {
  expect(sources.size).toBeGreaterThan(150)
  const untranslated = [...sources].filter(([rule]) => !isTranslated(rule) && !PROGRAM_RULES.includes(rule))
  expect(untranslated.map(([rule, file]) => `${file}: ${rule}`)).toEqual([])
})

it('translates no rule that is gone', () => {
  const inUse = [...sources.keys(), ...errors]
  expect(RULES.filter((template) => !inUse.some((rule) => matchText(template, rule) !== undefined))).toEqual([])
})

it('lists no rule of programs that is gone or translated', () => {
  expect(PROGRAM_RULES.filter((rule) => !sources.has(rule) || isTranslated(rule))).toEqual([])
})
