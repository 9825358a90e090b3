// Text of a dump, which is read as bytes.

/** Why a row cannot be read. */
export class RowFlaw extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * @param bytes as characters
 * @throws {RowFlaw} for bytes that are not UTF-8, and for NUL, which PostgreSQL never stores
 */
export function utf8(bytes: string): string {
  if (bytes.includes('\0')) throw new RowFlaw('It has a NUL character.')
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes
  try {
    return decoder.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    throw new RowFlaw('It is not UTF-8.')
  }
}

/** Source of a pattern for one name of SQL, quoted or not. */
export const NAME = String.raw`(?:"(?:[^"]|"")+"|[A-Za-z_\u0080-\u00ff][\w$\u0080-\u00ff]*)`
/** Source of a pattern for a name that may have that of its schema before it. */
export const QUALIFIED = String.raw`${NAME}(?:\s*\.\s*${NAME})?`
/** Source of a pattern for names in parentheses, or none; the group has the names. */
export const NAMES = String.raw`\(\s*((?:${NAME}(?:\s*,\s*${NAME})*)?)\s*\)`

/**
 * The names in a list of them, or the parts of one with its schema.
 * @param text bytes as characters
 */
export function namesIn(text: string): string[] {
  const all = text.match(new RegExp(NAME, 'g')) ?? []
  return all.map((one) => utf8(one.startsWith('"') ? one.slice(1, -1).replaceAll('""', '"') : one.toLowerCase()))
}
