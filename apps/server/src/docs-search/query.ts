// The multi-index query protocol of Algolia's search client: a list of requests, one result each, in order.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Marks, highlight, snippet } from './highlight.ts'
import type { SearchIndex } from './index.ts'
import { type DocsRecord, LEVELS } from './records.ts'

/** Significant characters of a query. */
export const QUERY_LIMIT = 64
const MAX_REQUESTS = 10
const MAX_HITS = 100
/** Hits of all requests of a body: rendering and writing a thousand blocks the process for 50 ms. */
const MAX_HITS_OF_ALL = 200
const MAX_FOUND = 1_000

const Text = z.string().max(200)
const Request = z.object({
  indexName: Text,
  query: z
    .string()
    .default('')
    .transform((query) => query.slice(0, QUERY_LIMIT)),
  attributesToSnippet: z.array(Text).max(32).default([]),
  snippetEllipsisText: Text.default(''),
  highlightPreTag: Text.default('<em>'),
  highlightPostTag: Text.default('</em>'),
  hitsPerPage: z.int().min(0).default(20),
  page: z.int().min(0).max(MAX_FOUND).default(0),
  clickAnalytics: z.boolean().default(false),
})
type Request = z.infer<typeof Request>

/** Pages longer than the limits are shortened; each result says how long its pages are. */
export const Queries = z
  .object({ requests: z.array(Request).min(1).max(MAX_REQUESTS) })
  .transform(({ requests }): readonly Request[] => {
    const most = Math.min(MAX_HITS, Math.floor(MAX_HITS_OF_ALL / requests.length))
    return requests.map((request) => ({ ...request, hitsPerPage: Math.min(request.hitsPerPage, most) }))
  })

/**
 * @param origin of the site, for absolute URLs of hits
 * @returns one of the `results` of the response
 */
export function answerQuery(index: SearchIndex, request: Request, origin: string): unknown {
  const started = performance.now()
  const { query, page, indexName, hitsPerPage } = request
  const { records, terms } = index.find(query)
  const found = records.slice(0, MAX_FOUND)
  const hits = found.slice(page * hitsPerPage, (page + 1) * hitsPerPage)
  return {
    hits: hits.map((record) => toHit(record, terms, request, origin)),
    nbHits: found.length,
    page,
    nbPages: hitsPerPage === 0 ? 0 : Math.ceil(found.length / hitsPerPage),
    hitsPerPage,
    exhaustiveNbHits: true,
    processingTimeMS: Math.round(performance.now() - started),
    query,
    params: '',
    index: indexName,
    ...(request.clickAnalytics ? { queryID: queryId(query, page) } : {}),
  }
}

function toHit(record: DocsRecord, asked: ReadonlySet<string>, request: Request, origin: string): unknown {
  const { snippetEllipsisText, attributesToSnippet } = request
  const marks = marksOf(request)
  const wordsOf = (attribute: string): number | undefined => {
    const asked = attributesToSnippet.find((one) => one === attribute || one.startsWith(`${attribute}:`))
    if (asked === undefined) return undefined
    const count = Number(asked.split(':')[1] ?? 10)
    return Number.isSafeInteger(count) && count > 0 ? count : 10
  }
  const shorten = (attribute: string, text: string): object => {
    const count = wordsOf(attribute)
    return count === undefined
      ? {}
      : { value: snippet(text, asked, count, snippetEllipsisText, marks), matchLevel: 'full' }
  }
  const levels = LEVELS.flatMap((level) => {
    const text = record.hierarchy[level]
    return text === undefined ? [] : [[level, text] as const]
  })
  return {
    objectID: record.objectID,
    url: `${origin}${record.url}`,
    type: record.type,
    content: record.content,
    hierarchy: Object.fromEntries(LEVELS.map((level) => [level, record.hierarchy[level] ?? null])),
    _snippetResult: {
      hierarchy: Object.fromEntries(levels.map(([level, text]) => [level, shorten(`hierarchy.${level}`, text)])),
      ...(record.content === null ? {} : { content: shorten('content', record.content) }),
    },
    _highlightResult: {
      hierarchy: Object.fromEntries(levels.map(([level, text]) => [level, { value: highlight(text, asked, marks) }])),
      ...(record.content === null ? {} : { content: { value: highlight(record.content, asked, marks) } }),
    },
  }
}

/** Clients choose the marks and insert the response into pages: only plain tags are allowed. */
function marksOf({ highlightPreTag: before, highlightPostTag: after }: Request): Marks {
  const harmless = (tag: string): boolean =>
    /^<\/?(em|mark|strong|b|span|ais-highlight-[\d]+)( class="[\w -]*")?>$/i.test(tag) || /^__\/?[\w-]+__$/.test(tag)
  return harmless(before) && harmless(after) ? { before, after } : { before: '', after: '' }
}

/** Derived from the query, so that nothing has to be stored. */
function queryId(query: string, page: number): string {
  return createHash('sha256').update(`${page}\0${query}`).digest('hex').slice(0, 32)
}
