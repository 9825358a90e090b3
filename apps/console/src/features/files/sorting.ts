// Order and choice of the entries of a folder.
import type { Sort } from '../../ui/list/column.ts'
import { compareNames } from '../../ui/text/numbers.ts'
import type { Entry } from './sftp/entries.ts'

const COMPARE: Readonly<Record<string, (a: Entry, b: Entry) => number>> = {
  name: (a, b) => compareNames(a.name, b.name),
  size: (a, b) => (a.size ?? 0) - (b.size ?? 0),
  modified: (a, b) => (a.modifiedMs ?? 0) - (b.modifiedMs ?? 0),
  owner: (a, b) => compareNames(a.owner, b.owner),
}

export interface Choice {
  readonly words: string
  readonly showsHidden: boolean
  readonly sort: Sort
}

/** Folders come first, whatever the order. */
export function shownEntries(entries: readonly Entry[], { words, showsHidden, sort }: Choice): Entry[] {
  const wanted = words.toLowerCase()
  const compare = COMPARE[sort.by] ?? COMPARE['name']
  const sign = sort.order === 'asc' ? 1 : -1
  return entries
    .filter(({ name }) => (showsHidden || !name.startsWith('.')) && name.toLowerCase().includes(wanted))
    .toSorted((a, b) => {
      const byKind = Number(b.kind === 'folder') - Number(a.kind === 'folder')
      return byKind || sign * (compare?.(a, b) ?? 0) || compareNames(a.name, b.name)
    })
}
