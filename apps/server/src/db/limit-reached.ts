// Limits of namespaces are kept by the database: reads which one it has refused a row for.
import { BowlineError } from '@bowline/contract/errors'

const CONSTRAINT = 'namespace_limit_is_kept'

/** True for the database's refusal of a row above a limit of its namespace. */
export function isLimitReached(error: unknown): boolean {
  return error instanceof Error && (error as { constraint?: unknown }).constraint === CONSTRAINT
}

/** The refusal as an error of the catalogue; undefined for other errors. */
export function limitReached(error: unknown): BowlineError | undefined {
  if (!isLimitReached(error)) return undefined
  const { detail } = error as { detail?: unknown }
  const [name = '', limit = ''] = typeof detail === 'string' ? detail.split(' ') : []
  return new BowlineError('NAMESPACE_FULL', { what: name.replace('_', ' '), limit }, [], { cause: error })
}
