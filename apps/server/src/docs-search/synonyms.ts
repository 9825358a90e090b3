// Synonyms: search words for phrases of the pages. The list is kept beside the pages
// (`apps/docs/content/synonyms.json`) and copied into the built site.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { isStopWord } from './stop-words.ts'
import { tokensOf } from './words.ts'

/** Maps a phrase of the pages to the words and phrases that people search for it. */
export const SynonymList = z.record(z.string().min(1), z.array(z.string().min(1)).min(1))
export type SynonymList = z.infer<typeof SynonymList>

export interface Synonyms {
  /**
   * Finds the longest phrase of the list that begins at a position of a query.
   * @returns its length in words and the phrases of the pages it stands for, each as terms; undefined for none
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

/** Reads the list of a built site; empty without one. */
export async function readSynonyms(file: string): Promise<SynonymList> {
  try {
    return SynonymList.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
