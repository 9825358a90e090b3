// Pages of the documentation that this server serves, by its search. A server without documentation finds none.
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** Path of the search, with parameters that it asks of every client; neither is secret. */
const SEARCH = '/1/indexes/*/queries?x-algolia-api-key=public&x-algolia-application-id=docs'

const Answer = z.object({
  results: z
    .array(
      z.object({
        hits: z.array(z.object({ url: z.string(), hierarchy: z.record(z.string(), z.string().nullable()) })),
      }),
    )
    .min(1),
})

export interface DocsPage {
  /** Path on this server. */
  readonly url: string
  readonly title: string
}

/** Pages for the words, the best first, each once. */
export function docsQuery(words: string) {
  return queryOptions({
    queryKey: ['docs-pages', words],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<DocsPage[]> => {
      const body = JSON.stringify({ requests: [{ indexName: 'docs', query: words, hitsPerPage: 8 }] })
      const response = await fetch(SEARCH, { method: 'POST', body, signal })
      const answer = Answer.safeParse(response.ok ? await response.json() : undefined)
      const hits = answer.data?.results[0]?.hits ?? []
      return [...new Map(hits.map((hit) => [titleOf(hit.hierarchy), hit.url])).entries()].flatMap(([title, url]) => {
        // Never to another server, whatever the answer says.
        const page = new URL(url, location.origin)
        const isHere = page.origin === location.origin && page.pathname.startsWith('/docs/')
        return isHere && title !== '' ? [{ title, url: `${page.pathname}${page.hash}` }] : []
      })
    },
  })
}

/** `Public keys › Adding one`: the page, and the deepest heading. */
function titleOf(hierarchy: Readonly<Record<string, string | null>>): string {
  const headings = ['lvl1', 'lvl2', 'lvl3'].flatMap((level) => hierarchy[level] ?? [])
  return [...new Set([headings[0], headings.at(-1)])].filter(Boolean).join(' › ')
}
