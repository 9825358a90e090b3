// The documentation's own endpoints: search service, page views and reader feedback. Open to any origin, since the site
// may be on its own host. Not part of the API: existing search clients define the format.
import { join } from 'node:path'
import type { ServerSettings } from '@bowline/contract/config'
import { BowlineError, fail } from '@bowline/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { parseInput } from '../platform/input/parse-input.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { type SearchCredentials, checkCredentials } from './credentials.ts'
import { type SearchIndex, createSearchIndex } from './index.ts'
import { createAnswerCache } from './answer-cache.ts'
import { Queries, answerQuery } from './query.ts'
import { readRecords, writtenAt } from './records.ts'
import { readSynonyms } from './synonyms.ts'

export interface DocsSearchDeps {
  /** Folder of the built site; its records may appear later. */
  readonly folder: string
  readonly settings: Pick<
    ServerSettings,
    'BOWLINE_DOCS_SEARCH_APP_ID' | 'BOWLINE_DOCS_SEARCH_API_KEY' | 'BOWLINE_DOCS_PAGE_VIEWS'
  >
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const BODY_LIMIT_BYTES = 16_384
/** Queries and events per source: a person types a few letters a second. */
const RATE = { perSecond: 20, burst: 100 }
/** Limit over all sources: a query blocks the process for about a millisecond. */
const RATE_OF_ALL = { perSecond: 200, burst: 400 }
/** Hits that cost as much to render as one query costs to search. */
const HITS_OF_A_QUERY = 20
/** Capacity of the result cache: people type the same words. */
const KEPT_ANSWERS = 500
/** Feedback per source. */
const FEEDBACK_RATE = { perSecond: 0.1, burst: 5 }

const Path = z
  .string()
  .regex(/^\/[^\s?#]*$/)
  .max(300)
const PageView = z.object({ path: Path })
const Feedback = z.object({ path: Path, helpful: z.boolean(), words: z.string().max(1_000).default('') })
const Events = z.object({
  events: z
    .array(
      z.object({
        eventType: z.enum(['view', 'click', 'conversion']),
        eventName: z.string().max(64),
        index: z.string().max(200),
        objectIDs: z.array(z.string().max(64)).max(20).optional(),
      }),
    )
    .max(1_000),
})

export function serveDocsSearch(server: FastifyInstance, deps: DocsSearchDeps): void {
  const { clock, log, metrics, settings } = deps
  const credentials: SearchCredentials = {
    appId: settings.BOWLINE_DOCS_SEARCH_APP_ID,
    apiKey: settings.BOWLINE_DOCS_SEARCH_API_KEY,
  }
  const index = followIndex(join(deps.folder, 'search-records.json'), join(deps.folder, 'search-synonyms.json'))
  const limiter = new RateLimiter(clock, RATE)
  const feedbackLimiter = new RateLimiter(clock, FEEDBACK_RATE)
  const limiterOfAll = new RateLimiter(clock, RATE_OF_ALL)
  const limit = (by: typeof limiter, { ip }: FastifyRequest, cost = 1): void => {
    if (!by.take(sourceKey(ip), cost)) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  const answers = createAnswerCache(KEPT_ANSWERS)

  // Clients wait two seconds at most: the index is begun when somebody opens a page, before the first query. Not at the
  // start, which it would make slower for a server whose documentation nobody reads.
  let begun = false
  server.addHook('onRequest', async ({ url }) => {
    if (begun || !url.startsWith('/docs')) return
    begun = true
    index().catch(() => undefined)
  })

  void server.register(async (scope) => {
    readAnyJson(scope)
    scope.addHook('onRequest', async (_, reply) => {
      void reply.header('access-control-allow-origin', '*').header('cache-control', 'no-store')
    })
    const options = { bodyLimit: BODY_LIMIT_BYTES }
    // The wildcard is part of the URL: existing clients query all indexes at once.
    scope.post('/1/indexes/:indexes/queries', options, async (request, reply) => {
      checkCredentials(request, credentials)
      const requests = parseInput('body', Queries, request.body)
      limit(limiter, request, requests.length)
      const found = await index()
      metrics.docsSearches.inc(requests.length)
      const origin = `${request.protocol}://${request.host}`
      const asked = requests.map((one) => {
        const question = `${origin} ${JSON.stringify(one)}`
        return { one, question, known: answers.get(found, question) }
      })
      const unknown = asked.filter(({ known }) => known === undefined)
      const cost = unknown.reduce((total, { one }) => total + 1 + one.hitsPerPage / HITS_OF_A_QUERY, 0)
      if (cost > 0 && !limiterOfAll.take('all', cost)) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      const results = asked.map(({ one, question, known }) => {
        const answer = known ?? JSON.stringify(answerQuery(found, one, origin))
        if (known === undefined) answers.set(question, answer)
        return answer
      })
      return reply.type('application/json; charset=utf-8').send(`{"results":[${results.join(',')}]}`)
    })
    scope.post('/1/events', options, async (request) => {
      limit(limiter, request)
      checkCredentials(request, credentials)
      const { events } = parseInput('body', Events, request.body)
      for (const { eventType } of events) metrics.docsSearchEvents.inc({ type: eventType })
      return { status: 200, message: 'OK' }
    })
    scope.post('/docs-events/page-views', options, async (request, reply) => {
      limit(limiter, request)
      const { path } = parseInput('body', PageView, request.body)
      if (settings.BOWLINE_DOCS_PAGE_VIEWS === 'on') {
        metrics.docsPageViews.inc()
        log.debug('docs.page-view', { path })
      }
      return reply.status(204).send()
    })
    scope.post('/docs-events/feedback', options, async (request, reply) => {
      limit(feedbackLimiter, request)
      const { path, helpful, words } = parseInput('body', Feedback, request.body)
      metrics.docsFeedback.inc({ helpful: String(helpful) })
      log.info('docs.feedback', { path, helpful, words })
      return reply.status(204).send()
    })
  })
}

/** Parses any content type as JSON: beacons are sent as plain text to avoid a CORS preflight. */
function readAnyJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, text, done) => {
    void parse(request, text, (error, value) =>
      done(error ? new BowlineError('UNREADABLE_BODY', { rule: 'it is not JSON' }) : null, value),
    )
  })
}

/** Returns the index of the records on disk, rebuilt when the site is built again. */
function followIndex(file: string, synonymsFile: string): () => Promise<SearchIndex> {
  let known: { readonly at: number; readonly index: Promise<SearchIndex> } | undefined
  return async () => {
    const at = await writtenAt(file)
    if (known?.at !== at) {
      const index = Promise.all([readRecords(file), readSynonyms(synonymsFile)]).then(([records, synonyms]) =>
        createSearchIndex(records ?? [], synonyms),
      )
      known = { at, index }
      index.catch(() => (known = undefined))
    }
    return known.index
  }
}
