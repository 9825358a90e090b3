// Sends one query to the search service.
import type { Hit, Level } from './hit.ts'
import { searchClient } from './hosts.ts'
import type { SearchSettings } from './settings.ts'

export const QUERY_LIMIT = 64
export const HITS = 20
const SMALL_SCREEN = '(max-width: 768px)'
const WORDS = { small: 5, large: 10 }

export interface Found {
  readonly hits: readonly Hit[]
  readonly count: number
  readonly pages: number
  readonly queryID: string | undefined
}

/**
 * @param query truncated to 64 characters
 * @param page from 0
 * @throws {Error} named RetryError when no host can be reached
 */
export async function searchDocs(
  settings: SearchSettings,
  query: string,
  { hitsPerPage = HITS, page = 0 }: { readonly hitsPerPage?: number; readonly page?: number } = {},
): Promise<Found> {
  const words = matchMedia(SMALL_SCREEN).matches ? WORDS.small : WORDS.large
  const levels: Level[] = ['lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6']
  const { results } = await searchClient(settings).search<Hit>({
    requests: [
      {
        query: query.slice(0, QUERY_LIMIT),
        indexName: settings.indexName,
        attributesToRetrieve: [
          'hierarchy.lvl0',
          ...levels.map((level) => `hierarchy.${level}`),
          'content',
          'type',
          'url',
        ],
        attributesToSnippet: [...levels.map((level) => `hierarchy.${level}:${words}`), `content:${words}`],
        snippetEllipsisText: '…',
        highlightPreTag: '<mark>',
        highlightPostTag: '</mark>',
        hitsPerPage,
        page,
        clickAnalytics: true,
      },
    ],
  })
  const [first] = results as unknown as [{ hits: Hit[]; nbHits: number; nbPages: number; queryID?: string }]
  return {
    hits: first.hits.map((hit, index) => ({
      ...hit,
      ...(first.queryID ? { __queryID: first.queryID } : {}),
      __position: page * hitsPerPage + index + 1,
    })),
    count: first.nbHits,
    pages: first.nbPages,
    queryID: first.queryID,
  }
}
