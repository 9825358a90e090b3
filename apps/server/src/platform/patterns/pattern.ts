// Patterns that people write, in RE2 syntax. Matching takes time linear in the text, but in the size of the program too,
// and compiling takes time and memory in the size of the program: so the size is bounded before anything is compiled,
// and programs are kept. JavaScript's own regular expressions never see these patterns.
import { LIMITS } from '@bowline/contract/limits'
import { RE2JS } from 're2js'
import { patternSize } from './pattern-size.ts'

export interface Pattern {
  /** Whether the pattern occurs somewhere in the text. */
  search(text: string): boolean
  /** Whether the pattern is the whole text. */
  matchesWhole(text: string): boolean
}

/** What all kept programs may take together; they grow as they match, each state that is new costs its size. */
const KEPT_BYTES = 67_108_864
const STATE_BYTES = 150
const INSTRUCTION_BYTES = 8
/** A program that has not matched anything yet. */
const PROGRAM_BYTES_PER_INSTRUCTION = 500
/** Of a text that is matched; longer ones are as new to the program as this. */
const CHARACTERS_COUNTED = 256

interface Kept {
  readonly compiled: RE2JS | undefined
  readonly size: number
  bytes: number
}

/** By pattern, in the order of their last use. */
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

/** Why the text cannot be used as a pattern, as a rule for people; undefined when it can. */
export function patternFlaw(source: string): string | undefined {
  if (patternSize(source) > LIMITS.policy.patternSize) return 'repeats too much: make its repeats smaller'
  return keep(source).compiled === undefined ? 'must be a pattern in RE2 syntax' : undefined
}

function matcher(source: string, text: string) {
  const entry = keep(source)
  grow(entry, Math.min(text.length, CHARACTERS_COUNTED) * (STATE_BYTES + INSTRUCTION_BYTES * entry.size))
  return entry.compiled?.matcher(text)
}

/** The program of a pattern: the one that is kept, or a new one. */
function keep(source: string): Kept {
  const found = kept.get(source)
  const entry = found ?? compile(source)
  kept.delete(source)
  kept.set(source, entry)
  if (!found) grow(entry, source.length + entry.size * PROGRAM_BYTES_PER_INSTRUCTION)
  return entry
}

/** Counts what a program takes more, and forgets those that were not used for the longest time, it at the last. */
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
