// Texts that a person inserts into terminals again and again, stored in this browser for each person.
import type { SharedSnippet } from '@bowline/contract/operations/fleet/snippets'
import { z } from 'zod'
import { type Store, createStore } from '../../../platform/store.ts'
import { readSetting, writeSetting } from '../../../platform/local-setting.ts'
import { compareNames } from '../../../ui/text/numbers.ts'

export const SNIPPET = { name: 80, text: 10_000, count: 200 } as const

export const Snippet = z.object({
  id: z.string(),
  name: z.string().trim().min(1).max(SNIPPET.name),
  text: z.string().min(1).max(SNIPPET.text),
  /** Presses Enter behind the text. */
  runs: z.boolean(),
})
export type Snippet = z.output<typeof Snippet>
const Snippets = z.array(Snippet).max(SNIPPET.count)

export interface Snippets {
  /** By name. */
  readonly list: Store<readonly Snippet[]>
  /** Adds a snippet, or replaces the one with its id. @returns false when there are too many */
  put(snippet: Snippet): boolean
  remove(id: string): void
}

/** @param person id of the account */
export function openSnippets(person: string): Snippets {
  const key = `bowline.snippets.${person}`
  const list = createStore<readonly Snippet[]>(read(key))
  const set = (next: readonly Snippet[]) => {
    list.set(next.toSorted((a, b) => compareNames(a.name, b.name)))
    writeSetting(key, JSON.stringify(list.get()))
  }
  return {
    list,
    put(snippet) {
      const others = list.get().filter(({ id }) => id !== snippet.id)
      if (others.length >= SNIPPET.count) return false
      set([...others, snippet])
      return true
    },
    remove: (id) => set(list.get().filter((one) => one.id !== id)),
  }
}

/** A snippet that can be inserted. */
export interface Choice extends Snippet {
  /** Who changed it last, for one that the namespace shares. */
  readonly sharedBy?: string
}

/** Own and shared snippets by name; shared ones for the device only. @param tags those of the device */
export function choices(
  own: readonly Snippet[],
  shared: readonly SharedSnippet[],
  tags: readonly string[],
): readonly Choice[] {
  const offered = shared.filter((one) => one.tags.length === 0 || one.tags.some((tag) => tags.includes(tag)))
  const added = offered.map(({ id, name, text, changed_by: { name: sharedBy } }) => {
    return { id, name, text, runs: false, sharedBy }
  })
  return [...own, ...added].toSorted((a, b) => compareNames(a.name, b.name))
}

/** The snippets with all words in their name or text. */
export function matching<One extends Snippet>(snippets: readonly One[], words: string): readonly One[] {
  const all = words.toLowerCase().split(/\s+/)
  return snippets.filter(({ name, text }) => {
    const where = `${name}\n${text}`.toLowerCase()
    return all.every((word) => where.includes(word))
  })
}

function read(key: string): readonly Snippet[] {
  try {
    return Snippets.parse(JSON.parse(readSetting(key) ?? '[]'))
  } catch {
    return []
  }
}
