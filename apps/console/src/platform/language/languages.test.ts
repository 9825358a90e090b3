import { expect, it } from 'vitest'
import { languageFor, localeFor } from './languages.ts'

it.each([
  ['what the person chose, whatever the browser prefers', 'en', ['de-DE'], 'en'],
  ['the first language of the browser that the console has', undefined, ['fr-FR', 'de-AT', 'en'], 'de'],
  ['English when the console has none of them', undefined, ['fr-FR', 'pt-BR'], 'en'],
  ['the language of the browser when the stored choice is gone', 'tlh', ['DE'], 'de'],
  ['no name that every object has', 'constructor', [], 'en'],
])('chooses %s', (_, chosen, preferred, language) => {
  expect(languageFor(chosen, preferred)).toBe(language)
})

it('formats numbers and dates as in the region of the person', () => {
  expect([localeFor('en', ['de-DE', 'en-GB']), localeFor('de', ['de-AT']), localeFor('de', ['en-US'])]).toEqual([
    'en-GB',
    'de-AT',
    'de',
  ])
})
