// Maps a refused form to its fields: which field is invalid, and the sentence to show beneath it.
import { ApiError } from '@bowline/contract/client'
import { serverText } from '../../platform/language/server-text.ts'

export interface FieldError {
  readonly field: string
  /** A predicate ("is taken"), to be appended to the field's label. */
  readonly rule: string
}

/**
 * Reads the fields that an error names. The server's message starts with the first field's name
 * (`username: is taken.` or `username is taken.`); the others are only known to be invalid.
 * @param fallback rule for the fields that the message does not describe
 */
export function fieldErrors(error: unknown, fallback: string): FieldError[] {
  if (!(error instanceof ApiError)) return []
  return error.fields.map((field) => {
    const rest = error.message.startsWith(field) ? error.message.slice(field.length).replace(/^:?\s+/, '') : ''
    return { field, rule: rest === '' ? fallback : rest.replace(/\.$/, '') }
  })
}

/** "Username must have 3 to 30 characters." @param rule in English, or translated already */
export function fieldSentence(label: string, rule: string): string {
  return `${label} ${serverText(rule)}.`
}
