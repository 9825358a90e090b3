// The palette's items, and which of them words find, the best first.
import type { LucideIcon } from 'lucide-react'

export interface PaletteItem {
  readonly id: string
  readonly group: string
  readonly label: string
  /** Other words for it, which are searched and not shown. */
  readonly synonyms?: string
  /** What the words are compared with in place of the label. */
  readonly name?: string
  /** The server found it, by more than its label: a device by its address. */
  readonly found?: true
  /** The words may mean it, mistyped or shortened. */
  readonly near?: true
  /** Keys, shown at the end of the line. */
  readonly hint?: string
  /** Words, shown at the end of the line: a status, a time. */
  readonly note?: string
  readonly icon?: LucideIcon
  readonly run: () => void
  /** What Shift+Enter does; absent: the same. */
  readonly open?: () => void
  /** It is what the words ask for, whatever else is found. */
  readonly isMeant?: true
  /** Only for devices: opens the further actions on it. */
  readonly more?: () => void
  /** It leads to more of the palette, which stays open. */
  readonly stays?: boolean
}

/** Match quality, best first: the whole label, its start, starts of its words, a synonym, inside a word, or not by its label. */
const RANKS = ['whole', 'begins', 'words', 'synonyms', 'inside', 'found', 'near'] as const

/** People type `unit 42` for `unit-42`. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s\-_./@:,…]+/gu, ' ')
    .trim()

/** @returns undefined for an item that the words do not find */
function rankOf(item: PaletteItem, phrase: string): number | undefined {
  const { label, group, synonyms = '', found, near } = item
  const wanted = phrase.split(' ')
  const name = plain(item.name ?? label)
  const all = plain(`${group} ${label} ${synonyms}`)
  const begin = (text: string) => wanted.every((word) => ` ${text}`.includes(` ${word}`))
  const fits = {
    whole: name === phrase,
    begins: name.startsWith(phrase),
    words: begin(name),
    synonyms: begin(all),
    inside: wanted.every((word) => all.includes(word)),
    found: found === true,
    near: near === true,
  }
  const rank = RANKS.findIndex((each) => fits[each])
  return rank === -1 ? undefined : rank
}

/** True for what is known here and begins with the words. */
export function isCertain(item: PaletteItem, words: string): boolean {
  const rank = rankOf(item, plain(words))
  return !item.found && rank !== undefined && rank <= RANKS.indexOf('begins')
}

/** True for an item whose name has the words at its start, the last one whole: `terminal` names `terminal-1`. */
export function isNamed(item: PaletteItem, words: string): boolean {
  return `${plain(item.name ?? item.label)} `.startsWith(`${plain(words)} `)
}

interface Ranked {
  readonly item: PaletteItem
  readonly rank: number
}

function ranked(items: readonly PaletteItem[], words: string): Ranked[] {
  const phrase = plain(words)
  return items.flatMap((item) => {
    const rank = phrase === '' ? 0 : rankOf(item, phrase)
    return rank === undefined ? [] : [{ item, rank }]
  })
}

/** Items that the words find, the best first, else in the given order. */
export function matching(items: readonly PaletteItem[], words: string): PaletteItem[] {
  return ranked(items, words)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

/**
 * Items that the words find, those of a group together and in the given order: first the group with the best one. A whole label is
 * no better than its start here: a tag `kiosk` does not take the place of the devices `kiosk-1` and so on.
 * @param last group that comes last, however well its items fit
 */
export function inGroups(items: readonly PaletteItem[], words: string, last: string): PaletteItem[] {
  if (plain(words) === '') return [...items]
  const best = new Map<string, number>()
  const found = ranked(items, words)
  for (const { item, rank } of found) {
    best.set(item.group, Math.min(best.get(item.group) ?? Infinity, Math.max(rank, RANKS.indexOf('begins'))))
  }
  const groups = [...best].toSorted(([, one], [, other]) => one - other).map(([group]) => group)
  const order = [...groups.filter((group) => group !== last), last]
  return order.flatMap((group) => found.filter(({ item }) => item.group === group).map(({ item }) => item))
}
