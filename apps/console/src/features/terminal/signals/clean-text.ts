// Texts that devices send to be shown or copied: they are nobody's to trust. Pure functions.

/** Controls, and characters that reorder or hide text (Unicode Technical Report 36): bidirectional, joining, separators. */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is removed
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu
const BUT_LINES = /[^\t\n]/

/** One line for a tab or a title, cut to a number of characters as people count them. */
export function cleanLine(text: string, most: number): string {
  // Titles may be megabytes long; what is shown of them comes first.
  const line = text
    .slice(0, most * 16)
    .replace(HARMFUL, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

/** Text for the clipboard: lines and tabs stay. */
export function cleanLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(HARMFUL, (character) => (BUT_LINES.test(character) ? '' : character))
}
