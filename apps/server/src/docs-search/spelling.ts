// Spelling correction: words of the pages near a misspelt one.

const SHORTEST = 4
const LONG = 8
/** Above this many candidates, all are likely wrong. */
const MOST = 4

/** Allowed edit distance: 0 for short words, where every neighbour is another word. */
function allowance(word: string): number {
  return word.length < SHORTEST ? 0 : word.length < LONG ? 1 : 2
}

/**
 * @param word not in the vocabulary
 * @param vocabulary words with their frequency
 * @returns the nearest words, most frequent first; [] when none is near enough
 */
export function nearest(word: string, vocabulary: ReadonlyMap<string, number>): string[] {
  let limit = allowance(word)
  let found: string[] = []
  if (limit === 0) return found
  for (const known of vocabulary.keys()) {
    if (Math.abs(known.length - word.length) > limit || allowance(known) === 0) continue
    // With two errors, a different first letter means another word.
    if (limit > 1 && known[0] !== word[0]) continue
    const distance = editDistance(word, known, limit)
    if (distance > limit) continue
    if (distance < limit) found = []
    limit = distance
    found.push(known)
  }
  return found.toSorted((a, b) => (vocabulary.get(b) ?? 0) - (vocabulary.get(a) ?? 0)).slice(0, MOST)
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): insertion, deletion, substitution, or transposition of
 * neighbours.
 * @returns `limit + 1` for every greater distance
 */
export function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      let cost = Math.min(
        (last[column] ?? Infinity) + 1,
        (current[column - 1] ?? Infinity) + 1,
        (last[column - 1] ?? Infinity) + same,
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (before[column - 2] ?? Infinity) + 1)
      }
      current.push(cost)
    }
    if (Math.min(...current) > limit) return limit + 1
    before = last
    last = current
  }
  return Math.min(last[b.length] ?? Infinity, limit + 1)
}
