// The part of an address that a view saves.
import type { SavedView } from '@bowline/contract/operations/fleet/views'

type SavedQuery = SavedView['query']

/** @param saved names of the parameters that a view of the list saves */
export function savedQuery<Name extends string>(
  search: { readonly [Key in Name]?: SavedQuery[string] | undefined },
  saved: readonly Name[],
): SavedQuery {
  return Object.fromEntries(
    saved.flatMap((name) => {
      const value = search[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** True for the same parameters, in whatever order. */
export function isSameQuery(one: SavedQuery, other: SavedQuery): boolean {
  const sorted = (query: SavedQuery) => JSON.stringify(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(one) === sorted(other)
}
