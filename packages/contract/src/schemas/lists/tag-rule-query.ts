// The search of a tag rule: the language of device lists without what changes by itself. Console and command line read it alike.
import { MAX_SEARCH_WORDS, searchConditions, wordsOf } from './device-search.ts'

/** What rules look at. Presence changes too often, and tags are what rules give: a rule about them could never settle. */
export const RULE_PROPERTIES = [
  'words',
  'name',
  'info.pretty_name',
  'info.arch',
  'info.version',
  'remote_addr',
  'mac',
  'note',
] as const
const KNOWN: ReadonlySet<string> = new Set(RULE_PROPERTIES)

/** @returns what is wrong with the search of a rule; undefined: nothing */
export function ruleQueryProblem(query: string): string | undefined {
  const words = wordsOf(query)
  if (words.length === 0) return 'must have a word'
  // The search takes no more, and a rule that ignores the rest would match too much.
  if (words.length > MAX_SEARCH_WORDS) return `must have at most ${MAX_SEARCH_WORDS} words`
  const other = searchConditions(query).find(({ params }) => !KNOWN.has(params.name))
  return other === undefined ? undefined : `must not depend on ${other.params.name}`
}
