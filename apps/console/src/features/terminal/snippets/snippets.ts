// Texts that a person inserts into terminals again and again, stored in this browser for each person.
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

/** The snippets with all words in their name or text. */
export function matching(snippets: readonly Snippet[], words: string): readonly Snippet[] {
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
