// LRU cache of search results: people repeat queries, also by typing.
import type { SearchIndex } from './index.ts'

/**
 * @param most capacity; the least recently used entry is evicted first
 * @returns a function that returns the cached or a new answer to a question; another index clears the cache
 */
export function createAnswerCache(
  most: number,
): (index: SearchIndex, question: string, answer: () => unknown) => unknown {
  const kept = new Map<string, unknown>()
  let known: SearchIndex | undefined
  return (index, question, answer) => {
    if (known !== index) kept.clear()
    known = index
    const given = kept.has(question) ? kept.get(question) : answer()
    kept.delete(question)
    kept.set(question, given)
    if (kept.size > most) kept.delete(String(kept.keys().next().value))
    return given
  }
}
