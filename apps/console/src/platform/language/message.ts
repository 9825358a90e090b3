// Formats ICU messages: placeholders, `plural` and `select`. Numbers, dates and lists are formatted by `Intl` before they
// become a value, so messages need no further types of arguments.
import { type Token, parse } from '@messageformat/parser'
import { lazily } from '../lazily.ts'

/** Values of the placeholders by their names. Numbers choose plural forms; a placeholder shows them unformatted. */
export type Values = Readonly<Record<string, string | number>>

export interface MessageFormat {
  /**
   * @param message `{count, plural, one {# device} other {# devices}} of {name}`
   * @throws Error when the message is malformed or a value is missing
   */
  format(message: string, values?: Values): string
}

/**
 * @param locale language tag (BCP 47) whose plural forms the messages have
 * @param numbers returns what formats the number that `#` stands for
 */
export function createMessageFormat(
  locale: string,
  numbers: () => Intl.NumberFormat = lazily(() => new Intl.NumberFormat(locale)),
): MessageFormat {
  const rules = lazily(() => new Intl.PluralRules(locale))
  const parsed = new Map<string, readonly Token[]>()

  function join(tokens: readonly Token[], values: Values, counted?: number): string {
    return tokens.map((token) => textOf(token, values, counted)).join('')
  }

  function textOf(token: Token, values: Values, counted: number | undefined): string {
    if (token.type === 'content') return token.value
    if (token.type === 'octothorpe') return counted === undefined ? '#' : numbers().format(counted)
    const value = values[token.arg]
    if (value === undefined) throw new Error(`The message has no value for {${token.arg}}.`)
    if (token.type === 'argument') return String(value)
    if (token.type !== 'plural' && token.type !== 'select') throw new Error(`Messages have no ${token.type}.`)
    const isPlural = token.type === 'plural'
    const wanted = isPlural ? [`=${value}`, rules().select(Number(value)), 'other'] : [String(value), 'other']
    const chosen = wanted.map((key) => token.cases.find((one) => one.key === key)).find((one) => one !== undefined)
    return join(chosen?.tokens ?? [], values, isPlural ? Number(value) : counted)
  }

  return {
    format(message, values = {}) {
      // Most texts are nothing but text.
      if (!/[{}']/.test(message)) return message
      const tokens = parsed.get(message) ?? parse(message)
      parsed.set(message, tokens)
      return join(tokens, values)
    },
  }
}
