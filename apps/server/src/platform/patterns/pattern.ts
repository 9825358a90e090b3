// User-supplied patterns in RE2 syntax. Matching takes time linear in the text and in the size of the program, and
// compiling takes time and memory in the size of the program: so the size is bounded before compiling, and programs are
// cached. JavaScript's own regular expressions never see these patterns.
import { LIMITS } from '@bowline/contract/limits'
import { RE2JS } from 're2js'
import { patternSize } from './pattern-size.ts'

export interface Pattern {
  /** True if the pattern occurs anywhere in the text. */
  search(text: string): boolean
  /** True if the pattern matches the whole text. */
  matchesWhole(text: string): boolean
}

/** Limit of all cached programs; they grow as they match, by their size for each new state. */
const KEPT_BYTES = 67_108_864
const STATE_BYTES = 150
const INSTRUCTION_BYTES = 8
/** Size of a program before its first match. */
const PROGRAM_BYTES_PER_INSTRUCTION = 500
/** Matched characters that are counted; longer texts add no more new states than this. */
const CHARACTERS_COUNTED = 256

interface Kept {
  readonly compiled: RE2JS | undefined
  readonly size: number
  bytes: number
}

/** By pattern, least recently used first. */
const kept = new Map<string, Kept>()
let keptBytes = 0

/** @returns undefined when the text is no pattern of RE2, or one whose program would be too large: see `patternFlaw` */
export function compilePattern(source: string): Pattern | undefined {
  if (keep(source).compiled === undefined) return undefined
  return {
    search: (text) => matcher(source, text)?.find() ?? false,
    matchesWhole: (text) => matcher(source, text)?.matches() ?? false,
  }
}

/** Reason why a text cannot be used as a pattern, as a rule for error messages; undefined if it can. */
export function patternFlaw(source: string): string | undefined {
  if (patternSize(source) > LIMITS.policy.patternSize) return 'repeats too much: make its repeats smaller'
  return keep(source).compiled === undefined ? 'must be a pattern in RE2 syntax' : undefined
}

function matcher(source: string, text: string) {
  const entry = keep(source)
  grow(entry, Math.min(text.length, CHARACTERS_COUNTED) * (STATE_BYTES + INSTRUCTION_BYTES * entry.size))
  return entry.compiled?.matcher(text)
}

/** The program of a pattern, cached or new. */
function keep(source: string): Kept {
  const found = kept.get(source)
  const entry = found ?? compile(source)
  kept.delete(source)
  kept.set(source, entry)
  if (!found) grow(entry, source.length + entry.size * PROGRAM_BYTES_PER_INSTRUCTION)
  return entry
}

/** Adds to a program's size and evicts the least recently used ones, the program itself last. */
function grow(entry: Kept, bytes: number): void {
  entry.bytes += bytes
  keptBytes += bytes
  for (const [source, oldest] of kept) {
    if (keptBytes <= KEPT_BYTES) return
    kept.delete(source)
    keptBytes -= oldest.bytes
  }
}

function compile(source: string): Kept {
  const size = patternSize(source)
  if (size > LIMITS.policy.patternSize) return { compiled: undefined, size: 0, bytes: 0 }
  try {
    return { compiled: RE2JS.compile(source), size, bytes: 0 }
  } catch {
    return { compiled: undefined, size: 0, bytes: 0 }
  }
}
