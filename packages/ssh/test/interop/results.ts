// The filled interop board as data (`interop.json`), and the table of it that the README shows.
import { CLIENTS } from './clients.ts'
import { COLUMNS } from './columns.ts'

/** `yes`; `no: ` and why the client cannot do it; `not run: ` and why not here; `failed: ` and the failure. */
export type Cell = 'yes' | `${'no' | 'not run' | 'failed'}: ${string}`

export interface Row {
  readonly client: string
  /** As reported by the client; empty when it is not installed. */
  readonly version: string
  readonly cells: Readonly<Record<string, Cell>>
}

/** The board with every cell filled that can be. */
export function fullBoard(): Pick<Row, 'client' | 'cells'>[] {
  return CLIENTS.map(({ id, unsupported }) => ({
    client: id,
    cells: Object.fromEntries(
      COLUMNS.map((column): [string, Cell] => {
        const reason = unsupported[column.id]
        return [column.id, reason === undefined ? 'yes' : `no: ${reason}`]
      }),
    ),
  }))
}

const MARKS = { yes: '✓', no: '–', 'not run': '?', failed: '✗' }

const markOf = (cell: Cell | undefined) => {
  const kind = cell?.split(':')[0]
  return kind === 'yes' || kind === 'no' || kind === 'failed' ? MARKS[kind] : MARKS['not run']
}

/** A Markdown table with one line per column of the board, and footnotes for each mark that is not a tick. */
export function table(rows: readonly Row[]): string {
  const lines = [`| | ${rows.map(({ client }) => client).join(' | ')} |`, `|---|${rows.map(() => ':-:|').join('')}`]
  for (const { id } of COLUMNS) lines.push(`| ${id} | ${rows.map(({ cells }) => markOf(cells[id])).join(' | ')} |`)
  lines.push('')
  for (const { client, cells } of rows) {
    const byReason = new Map<string, string[]>()
    for (const [id, cell] of Object.entries(cells)) {
      if (cell !== 'yes') byReason.set(cell, [...(byReason.get(cell) ?? []), id])
    }
    const reasons = [...byReason].map(([cell, ids]) => `${ids.join(', ')}: ${cell.replace(/^no: /, '')}`)
    if (reasons.length) lines.push(`- ${client}: ${reasons.join('; ')}.`)
  }
  return lines.join('\n')
}

/** Markers around the table in the README. */
export const TABLE_MARKS = [
  '<!-- interop table: interop/print.ts --write -->',
  '<!-- end of interop table -->',
] as const

/** @throws {Error} when the text has no markers for the table */
export function withTable(readme: string, rows: readonly Row[]): string {
  const [start, end] = TABLE_MARKS
  const from = readme.indexOf(start)
  const to = readme.indexOf(end)
  if (from < 0 || to < from) throw new Error('the README has no place for the interop table')
  return `${readme.slice(0, from + start.length)}\n\n${table(rows)}\n\n${readme.slice(to)}`
}
