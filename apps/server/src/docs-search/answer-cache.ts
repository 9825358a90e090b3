// LRU cache of search results, as JSON: people repeat queries, also by typing.
import type { SearchIndex } from './index.ts'

export interface AnswerCache {
  /** Another index than at the last call clears the cache. */
  get(index: SearchIndex, question: string): string | undefined
  set(question: string, answer: string): void
}

/** @param most capacity; the least recently used entry is evicted first */
export function createAnswerCache(most: number): AnswerCache {
  const kept = new Map<string, string>()
  let known: SearchIndex | undefined
  const set = (question: string, answer: string): void => {
    kept.delete(question)
    kept.set(question, answer)
    if (kept.size > most) kept.delete(String(kept.keys().next().value))
  }
  return {
    get(index, question) {
      if (known !== index) kept.clear()
      known = index
      const answer = kept.get(question)
      if (answer !== undefined) set(question, answer)
      return answer
    },
    set,
  }
}
