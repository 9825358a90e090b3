// Decides whether a paste needs a question first. Pure functions.

/**
 * `lines`: it would run several commands; `long`: it is longer than people read before they paste; `controls`: it has characters that act instead of being shown; `broadcast`: it
 * goes to several panes.
 */
export type PasteRisk = 'lines' | 'long' | 'controls' | 'broadcast'

/** `auto`: several lines only when the program would run each of them at once. */
export type PasteChoice = 'auto' | 'always' | 'never'

/** C0 and C1 controls and DEL, but not tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g
/** A mark of bracketed paste, at the end. Inside a text, it would end the paste early, and the rest would be typed. */
// oxlint-disable-next-line no-control-regex -- an escape sequence
const BRACKETS = /(?:\u001B\[|\u009B)20[01]~$/
const MARK_LENGTH = 6
const LINE_ENDS = /\r\n|\r|\n/g
const LONG_CHARACTERS = 1_000
const SHOWN_CHARACTERS = 4_000

/**
 * @param isBracketed the program asked for bracketed pastes: it takes the text as a whole and runs nothing by itself
 * @returns undefined when nothing needs to be asked
 */
export function riskOf(text: string, choice: PasteChoice, isBracketed: boolean): PasteRisk | undefined {
  // A text that acts on the terminal is never what a person sees before pasting.
  if (text.search(CONTROLS) >= 0) return 'controls'
  if (choice === 'never') return undefined
  if (text.search(LINE_ENDS) >= 0 && (choice === 'always' || !isBracketed)) return 'lines'
  return text.length > LONG_CHARACTERS ? 'long' : undefined
}

/** Removes the marks of bracketed paste, also those that their removal would form. */
export function withoutBrackets(text: string): string {
  const kept: string[] = []
  // One pass, however deep marks are nested: each is removed as soon as its last character completes it.
  for (const character of text) {
    kept.push(character)
    if (character !== '~') continue
    const [mark = ''] = BRACKETS.exec(kept.slice(-MARK_LENGTH).join('')) ?? []
    kept.length -= mark.length
  }
  return kept.join('')
}

export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '')
}

/** Joins the lines with spaces, so that nothing runs. */
export function asOneLine(text: string): string {
  const lines = text.trim().split(LINE_ENDS)
  return lines.map((line) => line.trim()).join(' ')
}

export function countLines(text: string): number {
  const ends = text.match(LINE_ENDS)?.length ?? 0
  return /[\r\n]$/.test(text) ? ends : ends + 1
}

/** The beginning of a text, its control characters as symbols (U+2400 and following). */
export function preview(text: string): { readonly text: string; readonly isCut: boolean } {
  const begin = text.slice(0, SHOWN_CHARACTERS).replace(LINE_ENDS, '\n')
  return { text: begin.replace(CONTROLS, symbolOf), isCut: text.length > SHOWN_CHARACTERS }
}

function symbolOf(control: string): string {
  const code = control.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\u{FFFD}'
}
