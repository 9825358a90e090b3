// Tags of a dump: in a column of what has them, by name or by id, or in tables of their own.
import type { Kind } from './spellings.ts'
import type { Row } from './tables.ts'
import { idOf, listOf, textOf } from './values.ts'

const LINKS = { devices: 'device_tags', keys: 'key_tags', rules: 'rule_tags' } as const
const ID = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}|\d+)$/

export interface Tags {
  /** @returns names; `isWhole` is false if there are tags whose name the dump does not tell */
  of(kind: keyof typeof LINKS, row: Row): { readonly names: string[]; readonly isWhole: boolean }
}

export function openTags(rows: Readonly<Record<Kind, readonly Row[]>>): Tags {
  const names = new Map(rows.tags.map((row) => [idOf(row['id']), textOf(row['name'])]))
  const linked = (kind: keyof typeof LINKS) =>
    Map.groupBy(
      rows[LINKS[kind]].map((row) => ({ item: idOf(row['item']), tag: idOf(row['tag']) })),
      ({ item }) => item,
    )
  const links = { devices: linked('devices'), keys: linked('keys'), rules: linked('rules') }
  return {
    of(kind, row) {
      const inside = listOf(row['tags']).map((one) => names.get(one.toLowerCase()) ?? (ID.test(one) ? undefined : one))
      const items = [...new Set([row['id'], row['uid']].map((id) => idOf(id)).filter((id) => id !== ''))]
      const outside = items.flatMap((id) => (links[kind].get(id) ?? []).map(({ tag }) => names.get(tag)))
      const all = [...inside, ...outside]
      const known = all.filter((name) => name !== undefined)
      return { names: [...new Set(known)], isWhole: known.length === all.length }
    },
  }
}
