// PATCH bodies (RFC 7644 section 3.5.2) as steps, one for each attribute: providers write `Add`, leave the path out, or
// put paths into the names of a value. Pure.
import { fail } from '@bowline/contract/errors'
import { type AttributePath, parsePath } from './paths.ts'

export const MAX_OPERATIONS = 1_000

export interface Step {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: AttributePath
  readonly value: unknown
}

/** An object of JSON that is not a list. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field by its name in any case (RFC 7643 section 2.1). */
export function fieldOf(fields: Fields, name: string): unknown {
  const wanted = name.toLowerCase()
  const key = Object.keys(fields).find((one) => one.toLowerCase() === wanted)
  return key === undefined ? undefined : fields[key]
}

/** @throws {BowlineError} INVALID_INPUT naming `Operations`, `op`, `path` or `value` */
export function readSteps(body: unknown): Step[] {
  const operations = isFields(body) ? fieldOf(body, 'Operations') : undefined
  if (!Array.isArray(operations) || operations.length === 0) return failField('Operations', 'must be a list of changes')
  if (operations.length > MAX_OPERATIONS) {
    return failField('Operations', `must have at most ${MAX_OPERATIONS} changes`)
  }
  const steps = operations.flatMap((operation: unknown) => stepsOf(operation))
  return steps.length > MAX_OPERATIONS ? failField('Operations', `must have at most ${MAX_OPERATIONS} changes`) : steps
}

function stepsOf(operation: unknown): Step[] {
  if (!isFields(operation)) return failField('Operations', 'must be a list of changes')
  const op = readOp(fieldOf(operation, 'op'))
  const path = fieldOf(operation, 'path')
  const value = fieldOf(operation, 'value')
  if (typeof path === 'string' && path.trim() !== '') return [{ op, path: parsePath(path), value }]
  if (path !== undefined && path !== null && path !== '') return failField('path', 'must be a text')
  if (op === 'remove') return failField('path', 'is required to remove something')
  if (!isFields(value)) return failField('value', 'must be an object where there is no path')
  return Object.entries(value).map(([name, one]) => ({ op, path: parsePath(name), value: one }))
}

function readOp(value: unknown): Step['op'] {
  const op = typeof value === 'string' ? value.toLowerCase() : ''
  return op === 'add' || op === 'replace' || op === 'remove' ? op : failField('op', 'must be add, replace or remove')
}

/** @throws {BowlineError} INVALID_INPUT */
export function failField(field: string, rule: string): never {
  return fail('INVALID_INPUT', { field, rule }, [field])
}
