import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../src/platform/language/languages.ts'
import { createMessageFormat } from '../src/platform/language/message.ts'
import { catalogFile, readCatalog } from './catalog.ts'
import { allTexts, sourceFiles, textsOf } from './extract.ts'
import { faultsOf } from './faults.ts'
import { literalsOf } from './literals.ts'

const app = join(import.meta.dirname, '..')
const texts = allTexts()
const languages = Object.keys(LANGUAGES).filter((language) => language !== 'en')

describe.each(languages)('the catalog in %s', (language) => {
  const catalog = readCatalog(catalogFile(language))

  it('has a translation of every text with the same placeholders, all plural forms and nothing unused', () => {
    expect(texts.length).toBeGreaterThan(2_000)
    expect(faultsOf(language, texts, catalog)).toEqual([])
  })

  it('formats every text, in English too, whatever the count', () => {
    const [english, foreign] = [createMessageFormat('en'), createMessageFormat(language)]
    for (const { text, translation } of catalog) {
      const names = textsOf(`i18n._(${JSON.stringify(text)}, {})`, 'text.ts').flatMap(() => [
        ...text.matchAll(/\{(\w+)/g),
      ])
      for (const count of [0, 1, 2, 1234]) {
        const values = Object.fromEntries(names.map(([, name = '']) => [name, count]))
        const shown = [english.format(text, values), foreign.format(translation, values)]
        expect(shown.filter((one) => one.trim() === '' || /[{}]/.test(one))).toEqual([])
      }
    }
  })
})

const SOURCE = `i18n._('{count, plural, one {# device} other {# devices}} of {name}', { count, name })`

describe('the check of a catalog', () => {
  const check = (translation: string, source = SOURCE) => {
    const sources = textsOf(source, 'planted.ts')
    return faultsOf('de', sources, [{ text: sources[0]?.text ?? '', context: '', translation }])
  }

  it.each([
    ['', 'no translation of'],
    ['{count, plural, one {# Gerät} other {# Geräte}}', 'has the placeholders count instead of count,name'],
    ['{count, plural, other {# Geräte}} von {name}', 'has no form “one”'],
    ['{count, plural, one {# Gerät}', 'is no ICU message'],
  ])('reports %j', (translation, fault) => {
    expect(check(translation).join()).toContain(fault)
  })

  it('accepts a translation with the same placeholders and forms', () => {
    expect(check('{name}: {count, plural, one {# Gerät} other {# Geräte}}')).toEqual([])
  })

  it('reports a value that the sources do not give', () => {
    expect(check('{name} entfernen', `i18n._('Remove {name}')`).join()).toContain(
      'has the placeholders name instead of none',
    )
  })

  it('reports what nothing uses', () => {
    expect(faultsOf('de', [], [{ text: 'Gone', context: '', translation: 'Weg' }])).toEqual(['nothing uses “Gone”'])
  })

  it('refuses a text that is no literal, which nobody could translate', () => {
    expect(() => textsOf('i18n._(text)', 'planted.ts')).toThrow('planted.ts: i18n._ takes a literal')
  })

  it('keeps the same word in two contexts apart, with the comments before them', () => {
    const source = `const texts = {
      // A verb.
      open: i18n._('Open'),
      state: i18n._('Open', {}, { context: 'state' }),
    }`
    const found = textsOf(source, 'planted.ts').map(({ context, comments }) => ({ context, comments }))
    expect(found).toEqual([
      { context: '', comments: ['A verb.'] },
      { context: 'state', comments: [] },
    ])
  })
})

describe('texts on the screen', () => {
  it('all go through i18n', () => {
    const literals = sourceFiles().flatMap((file) =>
      literalsOf(readFileSync(join(app, file), 'utf8'), file).map((text) => `${file}: ${text}`),
    )
    expect(literals).toEqual([])
  })

  it.each([
    ['page.tsx', '<p>Plain text</p>', 'Plain text'],
    ['page.tsx', '<button aria-label="Close it" />', 'Close it'],
    ['messages.ts', `const texts = { title: 'Devices' }`, 'Devices'],
    ['messages.ts', 'const texts = { of: (name: string) => `Remove ${name}` }', 'Remove'],
    ['messages.ts', `const texts = { keys: [['j', 'Next row']] }`, 'Next row'],
  ])('are reported in %s: %s', (file, source, text) => {
    expect(literalsOf(source, file)).toContain(text)
  })
})
