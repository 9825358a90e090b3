// Validates requests and command lines against schemas of the contract.
import { BowlineError, fail } from '@bowline/contract/errors'
import { ROW_IDS } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { UNSTORABLE, isStorableText } from './storable.ts'

/**
 * Validates one part of a call.
 * @throws {BowlineError} INVALID_INPUT with every invalid field and the first one's rule; UNREADABLE_BODY when a body
 *   has a value of the wrong JSON type, which existing clients know as 422; NOT_FOUND when only the form of a row's id
 *   in the path is wrong
 */
export function parseInput<S extends z.ZodType>(
  part: 'params' | 'query' | 'body',
  schema: S,
  value: unknown,
): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) {
    // Bodies were checked when they were read.
    if (part !== 'body') requireStorable(value)
    return parsed.data
  }
  const [first] = parsed.error.issues
  const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.') || part))]
  const field = fields[0] ?? part
  if (part === 'params') requireOtherFault(schema, fields)
  const missing = first !== undefined && first.path.length > 0 && valueAt(value, first.path) === undefined
  const rule = missing ? 'is required' : (first?.message ?? 'is not valid')
  if (part === 'body' && !missing && first?.code === 'invalid_type') {
    throw new BowlineError('UNREADABLE_BODY', { rule: `${field}: ${rule}` }, fields)
  }
  throw new BowlineError('INVALID_INPUT', { field, rule }, fields)
}

function requireStorable(value: unknown): void {
  for (const [field, text] of Object.entries(value ?? {})) {
    if (!isStorableText(String(text))) fail('INVALID_INPUT', { field, rule: UNSTORABLE }, [field])
  }
}

/** A malformed id in the path is answered like an unknown one. */
function requireOtherFault(schema: z.ZodType, fields: readonly string[]): void {
  const shape: Readonly<Record<string, unknown>> = schema instanceof z.ZodObject ? schema.shape : {}
  const nouns = fields.map((field) => {
    const id = shape[field]
    return id instanceof z.ZodType ? ROW_IDS.get(id)?.noun : undefined
  })
  if (nouns[0] !== undefined && !nouns.includes(undefined)) fail('NOT_FOUND', { what: nouns[0] })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? (current as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  )
}
