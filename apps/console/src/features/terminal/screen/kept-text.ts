// The text that a terminal keeps: what its screen shows and what has scrolled off it.
import type { IBuffer } from '@xterm/xterm'

/** @returns lines with their ends; one that was wrapped at the edge of the screen is one line, empty ones at the end are left out */
export function keptText(buffer: Pick<IBuffer, 'length' | 'getLine'>): string {
  let text = ''
  for (let at = 0; at < buffer.length; at += 1) {
    const goesOn = buffer.getLine(at + 1)?.isWrapped === true
    text += `${buffer.getLine(at)?.translateToString(!goesOn) ?? ''}${goesOn ? '' : '\n'}`
  }
  return text.replace(/\n*$/, '\n')
}
