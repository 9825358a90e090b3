// An action and what it is for, in one line of the palette: `connect lab-nas`, in German also `lab-nas verbinden`.
import { plain } from '../items.ts'
import { isWithinOneEdit } from '../nearest.ts'
import { verbWords, wordsLast } from './verb-messages.ts'

export type Verb = keyof typeof verbWords

/** Actions on sessions; all others are on devices. */
export type SessionVerb = 'watch' | 'play' | 'end'
export type DeviceVerb = Exclude<Verb, SessionVerb>

interface Of<Each extends Verb> {
  readonly verb: Each
  /** '' for an action alone. */
  readonly object: string
  /** The action is mistyped, and may be part of a name instead. */
  readonly isGuess?: true
}

/** What somebody has typed of an action and its object. */
export type Said = Of<DeviceVerb> | Of<SessionVerb>

/** Longest phrases first: `copy ssh lab-nas` is about `lab-nas`. */
const PHRASES = Object.entries(verbWords)
  .flatMap(([verb, words]) => words.split(',').map((phrase) => ({ verb: verb as Verb, phrase: plain(phrase) })))
  .toSorted((one, other) => other.phrase.length - one.phrase.length)

/** Phrases that may come last; more would be parts of names: `garden web`. */
const LAST = new Set(wordsLast.split(',').map(plain))

/** Characters; a shorter word is one edit away from too many others. */
const GUESSED_MIN = 4
/** Nobody is led there by a typing error. */
const NEVER_GUESSED: readonly Verb[] = ['remove', 'reject', 'end']

/**
 * @param words as typed, in any case
 * @returns undefined where no action is the first or the last of them
 */
export function saidIn(words: string): Said | undefined {
  const typed = words.trim().replaceAll(/\s+/gu, ' ')
  const lower = typed.toLowerCase()
  const first = PHRASES.find(({ phrase }) => lower === phrase || lower.startsWith(`${phrase} `))
  if (first) return { verb: first.verb, object: typed.slice(first.phrase.length).trim() }
  const last = PHRASES.find(({ phrase }) => LAST.has(phrase) && lower.endsWith(` ${phrase}`))
  return last ? { verb: last.verb, object: typed.slice(0, -last.phrase.length).trim() } : guessedIn(typed)
}

/** `conect vm-12`, and not `conect`: until something follows, the word may be any. */
function guessedIn(typed: string): Said | undefined {
  const words = typed.split(' ')
  for (const { verb, phrase } of PHRASES) {
    const count = phrase.split(' ').length
    const said = words.slice(0, count).join(' ').toLowerCase()
    if (words.length <= count || phrase.length < GUESSED_MIN || NEVER_GUESSED.includes(verb)) continue
    if (isWithinOneEdit(said, phrase)) return { verb, object: words.slice(count).join(' '), isGuess: true }
  }
  return undefined
}

const OF_SESSIONS: readonly Verb[] = ['watch', 'play', 'end'] satisfies SessionVerb[]
export const isOfSession = (said: Said): said is Of<SessionVerb> => OF_SESSIONS.includes(said.verb)
export const isOfDevice = (said: Said): said is Of<DeviceVerb> => !isOfSession(said)
