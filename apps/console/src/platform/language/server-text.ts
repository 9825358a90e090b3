// Texts that the server sends. They arrive in English, with values in them; catalogs have them under a context of their
// own, as `locales/server-texts.ts` lists them.
import { FROM_SERVER, idOf } from './id.ts'
import { type Catalog, catalog, locale } from './language.ts'
import { type MessageFormat, createMessageFormat } from './message.ts'

/** A regular expression for exactly this text. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** Matches what a text with `{word}` placeholders becomes. @returns its values, undefined for another text */
export function matchText(template: string, text: string): Record<string, string> | undefined {
  // Every other part is a placeholder's name.
  const parts = template.split(/\{(\w+)\}/)
  const pattern = parts.map((part, index) => (index % 2 === 1 ? `(?<${part}>.+)` : escaped(part))).join('')
  const found = new RegExp(`^${pattern}$`, 's').exec(text)
  return found ? { ...found.groups } : undefined
}

/**
 * @param texts catalog of the language
 * @param messages formats messages of the language
 * @returns translates a text of the server; one that the catalog does not have stays as it is
 */
export function createServerText(texts: Catalog, messages: MessageFormat): (text: string) => string {
  const prefix = idOf('', FROM_SERVER)
  const templates = Object.keys(texts)
    .filter((id) => id.startsWith(prefix) && id.includes('{'))
    .map((id) => id.slice(prefix.length))
    // The one with more words is the closer description.
    .toSorted((a, b) => b.replaceAll(/\{\w+\}/g, '').length - a.replaceAll(/\{\w+\}/g, '').length)

  return function translate(text: string): string {
    const whole = texts[idOf(text, FROM_SERVER)]
    if (whole !== undefined) return messages.format(whole)
    for (const template of templates) {
      const values = matchText(template, text)
      const message = texts[idOf(template, FROM_SERVER)]
      if (!values || message === undefined) continue
      // A value may be such a text itself: the rule of a field, or what was not found.
      const translated = Object.entries(values).map(([name, value]) => [name, translate(value)])
      return messages.format(message, Object.fromEntries(translated))
    }
    return text
  }
}

/** A text of the server in the person's language, or in English when it has no translation. */
export const serverText = createServerText(catalog, createMessageFormat(locale))
