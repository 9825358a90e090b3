// Names for prepared statements: PostgreSQL plans a named one once per connection, which halves the time of a small
// query and more of a join. Invariants: a name means one text for ever, and both lists are bounded, because a filter of
// the API can be written in endless ways and every name costs memory in every connection.

/** Statements that get a name; a plan takes some 20 KB in each connection. */
const MAX_NAMES = 200
/** Texts remembered until they come a second time. */
const MAX_CANDIDATES = 1_000

export interface StatementNames {
  /** @returns undefined for a text that shall stay unnamed: seen for the first time, or all names are given */
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
