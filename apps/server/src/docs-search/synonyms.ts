// Synonyms: what people type for what the pages say. The list is kept beside the pages
// (`apps/docs/content/synonyms.json`) and copied into the built site.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { isStopWord } from './stop-words.ts'
import { tokensOf } from './words.ts'

/** A phrase of the pages, with the words and phrases that are searched for it. */
export const SynonymList = z.record(z.string().min(1), z.array(z.string().min(1)).min(1))
export type SynonymList = z.infer<typeof SynonymList>

export interface Synonyms {
  /**
   * The longest phrase of the list that begins at a place of a query.
   * @returns how many words it has and the phrases of the pages it stands for, each as terms; undefined: none begins there
   */
  at(terms: readonly string[], place: number): { readonly length: number; readonly meanings: string[][] } | undefined
  /** All words of the list. */
  readonly words: ReadonlySet<string>
}

export function createSynonyms(list: SynonymList): Synonyms {
  const meanings = new Map<string, string[][]>()
  const words = new Set<string>()
  let longest = 0
  for (const [page, asked] of Object.entries(list)) {
    const meaning = tokensOf(page).flatMap(({ word, term }) => (isStopWord(word) ? [] : [term]))
    for (const phrase of asked) {
      const tokens = tokensOf(phrase)
      for (const { word } of tokens) words.add(word)
      const key = tokens.map(({ term }) => term).join(' ')
      longest = Math.max(longest, tokens.length)
      meanings.set(key, [...(meanings.get(key) ?? []), meaning])
    }
  }
  return {
    words,
    at(terms, place) {
      for (let length = Math.min(longest, terms.length - place); length > 0; length -= 1) {
        const known = meanings.get(terms.slice(place, place + length).join(' '))
        if (known) return { length, meanings: known }
      }
      return undefined
    },
  }
}

/** The list of a built site; empty when it has none. */
export async function readSynonyms(file: string): Promise<SynonymList> {
  try {
    return SynonymList.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
