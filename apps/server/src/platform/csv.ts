// Lines of CSV (RFC 4180) that spreadsheets open without running anything.

/** What spreadsheets read as a formula, at the beginning of a cell or after blanks; full-width signs count in some. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** One line with its end; every cell is quoted. A cell that begins like a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(',')}\r\n`
}

function harmless(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}
