// Compares a catalog with the texts of the sources.
import { type Token, parse } from '@messageformat/parser'
import { idOf } from '../src/platform/language/id.ts'
import type { Translated } from './catalog.ts'
import type { SourceText } from './source-text.ts'

/** @returns a sentence for each text that is missing, unused, malformed, or has other placeholders or plural forms */
export function faultsOf(language: string, sources: readonly SourceText[], catalog: readonly Translated[]): string[] {
  const translations = new Map(catalog.map((entry) => [idOf(entry.text, entry.context), entry]))
  const used = new Set(sources.map(({ text, context }) => idOf(text, context)))
  const unused = catalog.filter(({ text, context }) => !used.has(idOf(text, context)))
  return [
    ...unused.map(({ text }) => `nothing uses “${text}”`),
    ...sources.flatMap(({ text, context, values }) => {
      const translation = translations.get(idOf(text, context))?.translation ?? ''
      if (translation === '') return [`no translation of “${text}”`]
      return [...messageFaults('en', text, values), ...messageFaults(language, translation, placeholdersOf(text))]
    }),
  ]
}

/** @param values names that the message must use, all of them and no others */
function messageFaults(language: string, message: string, values: readonly string[]): string[] {
  try {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    parse(message, { cardinal: pluralCategories, strict: true })
    const missing = pluralsOf(parse(message)).flatMap((forms) =>
      pluralCategories.filter((form) => !forms.includes(form)),
    )
    const [has, needs] = [placeholdersOf(message).join(), [...new Set(values)].toSorted().join()]
    return [
      ...missing.map((form) => `“${message}” has no form “${form}”`),
      ...(has === needs ? [] : [`“${message}” has the placeholders ${has || 'none'} instead of ${needs || 'none'}`]),
    ]
  } catch (error) {
    return [`“${message}” is no ICU message: ${String(error)}`]
  }
}

function nested(token: Token): readonly Token[] {
  return 'cases' in token ? token.cases.flatMap(({ tokens }) => tokens) : []
}

function all(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => [token, ...all(nested(token))])
}

function pluralsOf(tokens: readonly Token[]): string[][] {
  return all(tokens).flatMap((token) => (token.type === 'plural' ? [token.cases.map(({ key }) => key)] : []))
}

/** Throws for what is no ICU message. */
function placeholdersOf(message: string): string[] {
  return [...new Set(all(parse(message)).flatMap((token) => ('arg' in token ? [token.arg] : [])))].toSorted()
}
