// Renders the rows as a table for a terminal. Pure.
import { type Row, type Unit, verdictOf } from './row.ts'

const VERDICTS = { aim: 'aim reached', must: 'ok', miss: 'MISSED', none: '' } as const
const SUFFIX: Readonly<Record<Unit, string>> = {
  ratio: '×',
  seconds: ' s',
  ms: ' ms',
  secondsPerGb: ' s/GB',
  KB: ' KB',
  count: '',
  MB: ' MB',
}
const HEADINGS = ['work', 'against', 'measured', 'least–most', 'must', 'aim', 'verdict', ''] as const

/** One line per row, columns aligned, no colour; ends with a newline. */
export function renderTable(rows: readonly Row[]): string {
  const lines = [[...HEADINGS], ...rows.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column] ?? ''))))
  const text = lines.map((cells) =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
  const rule = '─'.repeat(Math.max(...text.map(widthOf)))
  return `${[text[0], rule, ...text.slice(1)].join('\n')}\n`
}

function cellsOf(row: Row): string[] {
  const { measured, target, unit } = row
  const bound = (value: number): string => `${target?.better === 'more' ? '≥' : '≤'} ${short(value)}${SUFFIX[unit]}`
  return [
    row.work,
    row.peer,
    `${figure(measured.median)}${SUFFIX[unit]}`,
    measured.least === measured.most ? '' : `${figure(measured.least)}–${figure(measured.most)}`,
    target ? bound(target.must) : '',
    target ? bound(target.aim) : '',
    VERDICTS[verdictOf(row)],
    row.note,
  ]
}

/** Three significant digits, without an exponent. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const decimals = value === 0 ? 0 : Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))))
  return value.toFixed(decimals)
}

/** A round bound in its short form. */
function short(value: number): string {
  return String(Number(value.toPrecision(6)))
}

/** Width on the screen; every character printed here is one column wide. */
function widthOf(text: string): number {
  return Array.from(text).length
}
