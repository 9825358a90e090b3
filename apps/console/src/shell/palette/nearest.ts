// What mistyped or shortened words may mean: `devcies`, `sesions`, `pubkey`. Asked only where nothing has the words themselves.
import { type PaletteItem, plain } from './items.ts'

/** Characters; a shorter word is one edit away from too many others. */
const EDITED_MIN = 4
const SHORTENED_MIN = 3

/** True if one letter was added, left out or replaced, or two neighbours were swapped (Damerau); also for equal words. */
export function isWithinOneEdit(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const rest = (text: string, skipped: number) => text.slice(at + skipped)
  const isSwapped = one[at] === other[at + 1] && one[at + 1] === other[at] && rest(one, 2) === rest(other, 2)
  return (
    isSwapped || rest(one, 1) === rest(other, 1) || rest(one, 1) === rest(other, 0) || rest(one, 0) === rest(other, 1)
  )
}

/** True if the word is typed with one edit, or is the beginning of it with one edit. */
function isNear(typed: string, word: string): boolean {
  if (typed.length < EDITED_MIN) return false
  const lengths = [typed.length - 1, typed.length, typed.length + 1]
  return lengths.some((length) => isWithinOneEdit(typed, word.slice(0, length)))
}

/** True if the typed letters come in this order in the text, the first one and each after a gap at the start of a word. */
export function isShortened(typed: string, text: string): boolean {
  if (typed === '') return true
  const from = (start: number, rest: string): boolean => {
    if (rest === '') return true
    for (let at = start; at < text.length; at += 1) {
      const follows = at === start && start > 0
      const begins = at === 0 || text[at - 1] === ' '
      if (text[at] === rest[0] && (follows || begins) && from(at + 1, rest.slice(1))) return true
    }
    return false
  }
  return from(0, typed)
}

/** True if the word begins with the first letter and has the others in this order, at least half of its letters: `dvcs`. */
function isSqueezed(typed: string, word: string): boolean {
  if (typed[0] !== word[0] || typed.length * 2 < word.length) return false
  let at = 0
  for (const letter of word) if (letter === typed[at]) at += 1
  return at === typed.length
}

/** 0: the whole name, each word with one edit at most; 1: words of it; 2: other words for it; 3: shortened; undefined: not meant. */
function distanceOf({ label, name = label, synonyms = '' }: PaletteItem, phrase: string): number | undefined {
  const typed = phrase.split(' ')
  const near = (words: readonly string[]) =>
    typed.every((each) => words.some((word) => word.startsWith(each) || isNear(each, word)))
  const own = plain(name).split(' ')
  if (near(own)) return typed.length === own.length ? 0 : 1
  if (near([...own, ...plain(synonyms).split(' ')])) return 2
  const letters = typed.join('')
  if (letters.length < SHORTENED_MIN) return undefined
  const isShort = isShortened(letters, own.join(' ')) || own.some((word) => isSqueezed(letters, word))
  return isShort ? 3 : undefined
}

/** Items that the words may mean, marked so, the nearest first, else in the given order. */
export function nearest(items: readonly PaletteItem[], words: string): PaletteItem[] {
  const phrase = plain(words)
  if (phrase === '') return []
  return items
    .flatMap((item) => {
      const distance = distanceOf(item, phrase)
      return distance === undefined ? [] : [{ item, distance }]
    })
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ item }) => ({ ...item, near: true as const }))
}
