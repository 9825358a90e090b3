// Names for prepared statements: PostgreSQL plans a named one once per connection, which halves the time of a small
// query and saves more for a join. Invariants: a name always means the same text, and both lists are bounded, because a
// filter of the API has endless variants and every name costs memory in every connection.

/** Maximum of named statements; a plan takes some 20 KB in each connection. */
const MAX_NAMES = 200
/** Statements remembered until their second use. */
const MAX_CANDIDATES = 1_000

export interface StatementNames {
  /** @returns undefined for a statement that stays unnamed: on its first use, or when all names are assigned */
  readonly nameOf: (text: string) => string | undefined
}

export function statementNames(): StatementNames {
  const names = new Map<string, string>()
  const candidates = new Set<string>()
  return {
    nameOf(text) {
      const name = names.get(text)
      if (name !== undefined || names.size >= MAX_NAMES) return name
      if (!candidates.delete(text)) {
        if (candidates.size >= MAX_CANDIDATES) candidates.clear()
        candidates.add(text)
        return undefined
      }
      const given = `q${names.size + 1}`
      names.set(text, given)
      return given
    },
  }
}
