// Lines of CSV (RFC 4180) that spreadsheets open without running anything.

/** What spreadsheets read as a formula, at the beginning of a cell or after blanks; full-width signs count in some. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** Control characters but for tabs and ends of lines, and those that turn the direction of text: `cat` would obey them. */
const CONTROL = /(?![\t\r\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/**
 * One line with its end; every cell is quoted. A cell that begins like a formula gets an apostrophe before it, and
 * each control character becomes U+FFFD.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(',')}\r\n`
}

function harmless(cell: string): string {
  const text = cell.replaceAll(CONTROL, '\ufffd')
  return FORMULA.test(text) ? `'${text}` : text
}
