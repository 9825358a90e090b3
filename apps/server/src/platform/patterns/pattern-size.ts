// Upper bound of an RE2 pattern's program size, without compiling it. Every character, class and group counts one,
// multiplied by the repeats around it.

/** An open group with the size of its contents so far. */
interface Level {
  size: number
  /** Size of the part that a following repeat would apply to. */
  last: number
}

const REPEAT = /\{(\d+)(?:,(\d*))?\}/y
/** `\Q…\E`, `\p{Greek}`, `\x{10FFFF}`, `\x41`, `\123`; any other escape is one character. */
const ESCAPE = /\\(?:Q([\s\S]*?)(?:\\E|$)|[pP]\{[^}]*\}|x\{[^}]*\}|x[0-9a-fA-F]{2}|[\s\S]?)/y
/** A class, with named classes such as `[:alpha:]`; a leading bracket belongs to it. */
const CLASS = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?/y
/** Start of a group with its kind and name. */
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]?|[=!]|<[=!]))?/y

/**
 * Upper bound of the number of instructions; never less than 1. Scans the text once; does not detect invalid patterns.
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
