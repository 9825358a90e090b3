// Answers of the search that were given lately: people, and their keystrokes, ask the same again.
import type { SearchIndex } from './index.ts'

/**
 * @param most answers that are kept; the one that was not asked for longest goes first
 * @returns the kept answer to a question of the index, or a new one; another index forgets all answers
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
