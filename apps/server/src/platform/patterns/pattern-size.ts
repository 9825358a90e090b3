// Estimates from above the program size of an RE2 pattern, without compiling it. Every character, class and group
// counts one, whatever stands in a repeat as often as it is repeated.

/** What is open: a group with the size of what stands in it so far. */
interface Level {
  size: number
  /** The part that a repeat behind it would repeat. */
  last: number
}

const REPEAT = /\{(\d+)(?:,(\d*))?\}/y
/** `\Q…\E`, `\p{Greek}`, `\x{10FFFF}`, `\x41`, `\123`; any other escape is one character. */
const ESCAPE = /\\(?:Q([\s\S]*?)(?:\\E|$)|[pP]\{[^}]*\}|x\{[^}]*\}|x[0-9a-fA-F]{2}|[\s\S]?)/y
/** A class with its own classes such as `[:alpha:]`; a bracket that stands first belongs to it. */
const CLASS = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?/y
/** What tells the kind of a group, its name included. */
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]?|[=!]|<[=!]))?/y

/**
 * An upper bound of the number of instructions; never less than 1. Nothing that is not a pattern at all is found out
 * here, and the text is gone through once.
 */
export function patternSize(source: string): number {
  const open: Level[] = [{ size: 0, last: 0 }]
  const top = (): Level => open.at(-1) ?? { size: 0, last: 0 }
  const add = (size: number): void => {
    const level = top()
    level.size += size
    level.last = size
  }
  const repeat = (times: number): void => {
    const level = top()
    const more = level.last * (times - 1) + times
    level.size += more
    level.last += more
  }
  for (let at = 0; at < source.length;) {
    const read = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at
      return pattern.exec(source)
    }
    const character = source.charAt(at)
    let found: RegExpExecArray | null = null
    if (character === '\\') {
      found = read(ESCAPE)
      add(Math.max(1, found?.[1]?.length ?? 1))
    } else if (character === '[') {
      found = read(CLASS)
      add(1)
    } else if (character === '(') {
      found = read(GROUP)
      // `(?i)` opens nothing.
      if (!found?.[0].endsWith(')')) open.push({ size: 2, last: 0 })
    } else if (character === ')') {
      const { size } = (open.length > 1 ? open.pop() : undefined) ?? { size: 1 }
      add(size)
    } else if (character === '{') {
      found = read(REPEAT)
      if (found) repeat(Math.max(1, Number(found[1]) + (found[2] === '' ? 1 : 0), Number(found[2] ?? 0)))
      else add(1)
    } else if (character === '*' || character === '+' || character === '?') top().size += 1
    else add(1)
    at += Math.max(1, found?.[0].length ?? 1)
  }
  return Math.max(
    1,
    open.reduce((sum, { size }) => sum + size, 0),
  )
}
