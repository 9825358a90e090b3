// Texts in the person's language. The English text in the sources is the key of its translations, and what is shown when
// there is none.
import { idOf } from './id.ts'
import { catalog, locale } from './language.ts'
import { type Values, createMessageFormat } from './message.ts'

export interface TextOptions {
  /** Tells texts apart that are the same word in English and different ones elsewhere: `noun`. */
  readonly context?: string
}

const messages = createMessageFormat(locale)

function translate(text: string, values?: Values, { context }: TextOptions = {}): string {
  return messages.format(catalog[idOf(text, context)] ?? text, values)
}

/**
 * ```ts
 * i18n._('Devices')
 * i18n._('Accept {name}', { name })
 * i18n._('{count, plural, one {# device} other {# devices}}', { count })
 * i18n._('Open', {}, { context: 'state of an incident' })
 * ```
 * The text is a literal: `npm run texts` collects them from the sources for the translators.
 */
export const i18n = { _: translate } as const
