// Texts of several lines in a place for one.

/** Shows the ends of lines, which would look like spaces. */
export function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ↵ ')
}
