// Parsers for PostgreSQL values that the driver's defaults lose or mistype.
import { type CustomTypesConfig, types as driverTypes } from 'pg'

/** Object id of the type bigint (int8) in PostgreSQL's catalogue. */
const INT8_OID = 20

/**
 * Parses a bigint as a number.
 * @throws {RangeError} instead of rounding
 */
export function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a JavaScript number`)
  return value
}

/** For the option `types` of a client or pool. timestamptz is already parsed to a `Date`. */
export const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8_OID && format !== 'binary' ? parseInt8 : driverTypes.getTypeParser(oid, format)
  },
}
