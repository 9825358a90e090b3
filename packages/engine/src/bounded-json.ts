// JSON of an engine, within bounds of what parsing costs: a few megabytes of brackets alone would keep the process, and
// every connection in it, busy for seconds.
import { EngineError } from './errors.ts'

/** Values and members of one document: more than a thousand containers have. */
const MAX_VALUES = 250_000
const MAX_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [BRACKET, BRACKET_END] = [0x5b, 0x5d]
const [BRACE, BRACE_END] = [0x7b, 0x7d]

/**
 * @param maxValues default: what a list of containers may have
 * @throws {EngineError} when it is no JSON, or has too many values or too deep ones
 */
export function parseBounded(text: string, maxValues = MAX_VALUES): unknown {
  weigh(text, maxValues)
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineError('an answer of the engine is not JSON')
  }
}

/** Counts values by what separates them, strings left out. @throws {EngineError} */
function weigh(text: string, maxValues: number): void {
  let values = 1
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === COMMA) values += 1
    else if (code === BRACKET || code === BRACE) {
      values += 1
      depth += 1
    } else if (code === BRACKET_END || code === BRACE_END) depth -= 1
    if (values > maxValues) throw new EngineError(`an answer of the engine has more than ${maxValues} values`)
    if (depth > MAX_DEPTH) throw new EngineError(`an answer of the engine is nested deeper than ${MAX_DEPTH}`)
  }
}
