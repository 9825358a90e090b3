// A refused form: which field is at fault, and the sentence to show beneath it.
import { ApiError } from '@bowline/contract/client'

export interface FieldError {
  readonly field: string
  /** A predicate ("is taken"), to be put behind the field's label. */
  readonly rule: string
}

/**
 * Reads the fields that an answer names. The server's sentence starts with the first field's name
 * (`username: is taken.` or `username is taken.`); the others are only known to be wrong.
 * @param fallback rule for the fields that the sentence is not about
 */
export function fieldErrors(error: unknown, fallback: string): FieldError[] {
  if (!(error instanceof ApiError)) return []
  return error.fields.map((field) => {
    const rest = error.message.startsWith(field) ? error.message.slice(field.length).replace(/^:?\s+/, '') : ''
    return { field, rule: rest === '' ? fallback : rest.replace(/\.$/, '') }
  })
}

/** "Username must have 3 to 30 characters." */
export function fieldSentence(label: string, rule: string): string {
  return `${label} ${rule}.`
}
