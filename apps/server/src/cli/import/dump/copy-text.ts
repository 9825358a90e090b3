// Rows as COPY writes them in its text format: https://www.postgresql.org/docs/current/sql-copy.html
import { utf8 } from './text.ts'

/** Values of a row in the order of its columns; null is NULL. */
export type Values = readonly (string | null)[]

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/**
 * @param line its bytes as characters, without the end of the line
 * @throws {RowFlaw} for what is not UTF-8
 */
export function copyValues(line: string): Values {
  return line.split('\t').map((field) => (field === '\\N' ? null : utf8(unescaped(field))))
}

/** @returns bytes as characters */
function unescaped(field: string): string {
  if (!field.includes('\\')) return field
  return field.replaceAll(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/g, (_, code: string) => {
    if (code.length > 1 && code.startsWith('x')) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff)
    return LETTERS[code] ?? code
  })
}
