// Lists of the old server, page by page. The server decides neither how many pages there are nor how long this takes.
import { z } from 'zod'
import type { OldServer } from './old-server.ts'

const PER_PAGE = 100

export interface OldPage {
  /** From 1. */
  readonly page: number
  readonly items: readonly unknown[]
  /** Nothing follows. */
  readonly isLast: boolean
}

const Page = z.array(z.unknown()).max(PER_PAGE)

/**
 * Reads a list from a page on.
 * @param path with what of its query is not about pages
 * @param most items of the list; more are an error
 * @param keyOf what tells items apart: a page without a new one is an error
 * @returns pages; none where the server has no such list
 * @throws {Error} in words for the command line
 */
export async function* readPages(
  server: OldServer,
  path: string,
  { from, most, keyOf }: { readonly from: number; readonly most: number; readonly keyOf: (item: unknown) => string },
): AsyncGenerator<OldPage> {
  const known = new Set<string>()
  const query = path.includes('?') ? '&' : '?'
  let read = (from - 1) * PER_PAGE
  for (let page = from; ; page += 1) {
    const answer = await server.get(`${path}${query}page=${page}&per_page=${PER_PAGE}`)
    if (!answer) {
      if (page > 1)
        throw new Error(`${server.origin} has ended the list ${path} at page ${page}: run the command again.`)
      return
    }
    const parsed = Page.safeParse(answer.body ?? [])
    if (!parsed.success) throw new Error(`${server.origin} sends no list, or one that is too long, for ${path}.`)
    const items = parsed.data
    read += items.length
    if (read > most) throw new Error(`${server.origin} has more than ${most} items in ${path}.`)
    const before = known.size
    for (const item of items) known.add(keyOf(item))
    if (items.length > 0 && known.size === before)
      throw new Error(`${server.origin} sends the same page of ${path} again and again.`)
    const isLast = items.length === 0 || (answer.total === undefined ? items.length < PER_PAGE : read >= answer.total)
    yield { page, items, isLast }
    if (isLast) return
  }
}
