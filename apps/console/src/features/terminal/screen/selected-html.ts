// Part of a terminal's buffer as HTML with its colours. Whatever a device has sent is text in it: xterm's own add-on
// escapes only cells of a single character, and one of several may hold a "<" too.
import type { IBuffer, IBufferCell, IBufferRange, ITheme } from '@xterm/xterm'
import { backOf, cssColour, frontOf } from '../../screens/colours.ts'

export interface Coloured {
  readonly buffer: Pick<IBuffer, 'getLine'>
  readonly cols: number
  readonly theme: ITheme
  readonly fontFamily: string
}

/**
 * @param range counted from 0, its end excluded
 * @returns one `pre` element, in which a wrapped line is one line
 */
export function htmlOf({ buffer, cols, theme, fontFamily }: Coloured, { start, end }: IBufferRange): string {
  let html = ''
  for (let y = start.y; y <= end.y; y += 1) {
    const line = buffer.getLine(y)
    const goesOn = y < end.y && buffer.getLine(y + 1)?.isWrapped === true
    const from = y === start.y ? start.x : 0
    const cells = Array.from({ length: (y === end.y ? end.x : cols) - from }, (_, at) => line?.getCell(from + at))
    // Cells at the end of a line that were never written are no spaces.
    const last = goesOn ? cells.length : cells.findLastIndex((cell) => cell && !isEmpty(cell)) + 1
    html += `${rowOf(cells.slice(0, last), theme)}${y < end.y && !goesOn ? '\n' : ''}`
  }
  const style = [`color: ${theme.foreground}`, `background-color: ${theme.background}`, `font-family: ${fontFamily}`]
  return `<pre style="${escaped(style.join('; '))}">${html}</pre>`
}

function rowOf(cells: readonly (IBufferCell | undefined)[], theme: ITheme): string {
  let html = ''
  let text = ''
  let style = ''
  const finish = (): void => {
    if (text !== '') html += style === '' ? escaped(text) : `<span style="${escaped(style)}">${escaped(text)}</span>`
    text = ''
  }
  for (const cell of cells) {
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) continue
    const next = styleOf(cell, theme)
    if (next !== style) finish()
    style = next
    text += cell.getChars() || ' '
  }
  finish()
  return html
}

function styleOf(cell: IBufferCell, theme: ITheme): string {
  const front = cssColour(theme, frontOf(cell))
  const back = cssColour(theme, backOf(cell))
  const [color, ground] = cell.isInverse() ? [back ?? theme.background, front ?? theme.foreground] : [front, back]
  const lines = [
    cell.isUnderline() ? 'underline' : '',
    cell.isOverline() ? 'overline' : '',
    cell.isStrikethrough() ? 'line-through' : '',
  ].filter((each) => each !== '')
  return [
    color === undefined ? '' : `color: ${color}`,
    ground === undefined ? '' : `background-color: ${ground}`,
    cell.isBold() ? 'font-weight: bold' : '',
    cell.isItalic() ? 'font-style: italic' : '',
    cell.isDim() ? 'opacity: 0.6' : '',
    cell.isInvisible() ? 'visibility: hidden' : '',
    lines.length === 0 ? '' : `text-decoration: ${lines.join(' ')}`,
  ]
    .filter((each) => each !== '')
    .join('; ')
}

function isEmpty(cell: IBufferCell): boolean {
  return cell.getChars() === '' && cell.isBgDefault() && !cell.isInverse() && cell.getWidth() > 0
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
}
