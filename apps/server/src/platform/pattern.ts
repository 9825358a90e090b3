// Patterns that people write, in RE2 syntax: they run in time linear to the text, whatever they are. JavaScript's own
// regular expressions never see them.
import { RE2JS } from 're2js'

export interface Pattern {
  /** Whether the pattern occurs somewhere in the text. */
  search(text: string): boolean
  /** Whether the pattern is the whole text. */
  matchesWhole(text: string): boolean
}

/** @returns undefined when the text is no pattern of RE2 */
export function compilePattern(source: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return {
      search: (text) => compiled.matcher(text).find(),
      matchesWhole: (text) => compiled.matcher(text).matches(),
    }
  } catch {
    return undefined
  }
}
