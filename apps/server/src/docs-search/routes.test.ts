// The documentation's search service through its client protocol, and reader feedback.
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSettings } from '@bowline/contract/config'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { createHttpServer } from '../http/server.ts'
import { silentLog } from '../platform/log.ts'
import { type Metrics, createMetrics } from '../platform/metrics.ts'
import type { DocsRecord } from './records.ts'
import { serveDocsSearch } from './routes.ts'

const page = (path: string, lvl0: string, lvl1: string, texts: readonly string[] = []): DocsRecord[] => {
  const hierarchy = { lvl0, lvl1 }
  const url = `/docs/${path}`
  return [
    { objectID: path, url, type: 'lvl1', content: null, hierarchy, position: 0 },
    ...texts.map((content, i) => ({
      objectID: `${path}-${i}`,
      url: `${url}#part-${i}`,
      type: 'content' as const,
      content,
      hierarchy: { ...hierarchy, lvl2: `Part ${i}` },
      position: i + 1,
    })),
  ]
}
const RECORDS = [
  ...page('user-guides/devices/tunnels', 'User guides', 'Tunnels', ['An address for a port that a device can reach.']),
  ...page('self-hosted/configuring', 'Self-hosted', 'Configuring', ['BOWLINE_HOST: address of the listeners.']),
  ...page('developers/openapi/community/tunnels-create', 'API', 'Create a tunnel'),
  ...page('evil', 'Overview', 'Tags <img src=x onerror=alert(1)>', [
    `before one two three four five six seven eight nine ten <script>alert("tag")</script> & after one two three four`,
  ]),
]

let folder: string
let recordsFile: string
let server: FastifyInstance
let metrics: Metrics
let clock: ManualClock
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-docs-search-'))
  recordsFile = join(folder, 'search-records.json')
})
beforeEach(async () => {
  await writeFile(recordsFile, JSON.stringify(RECORDS))
  // Does not advance by itself, so that no rate-limit token is refilled however long the calls take.
  clock = new ManualClock()
  const mails = { queued: 0, sent: 0, failed: 0 }
  const alerts = { sent: 0, failed: 0 }
  const certificates = { ends: () => new Map(), failures: () => 0 }
  const idle = {
    agents: () => 0,
    connections: () => 0,
    listeners: () => 0,
    unlinkedNodes: () => 0,
    recordingRoom: async () => 0,
  }
  const none = { uploads: undefined, agentUpdates: async () => undefined }
  const counts = { ...idle, ...none, mails, alerts, certificates, ping: () => Promise.resolve() }
  metrics = createMetrics(counts)
  server = await createHttpServer({
    isKnownHost: () => true,
    clock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: [],
  })
  const settings = parseSettings('server', { BOWLINE_DOCS_PAGE_VIEWS: 'on' })
  serveDocsSearch(server, { folder, settings, clock, log: silentLog, metrics })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const CREDENTIALS = 'x-algolia-api-key=public&x-algolia-application-id=docs'
const post = (url: string, body: unknown, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  server.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'text/plain', host: 'docs.example.com', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
const ask = (...requests: object[]) => askFrom('127.0.0.1', ...requests)
const askFrom = (source: string, ...requests: object[]) => {
  const body = { requests: requests.map((one) => ({ indexName: 'docs', ...one })) }
  return post(`/1/indexes/*/queries?${CREDENTIALS}`, body, {}, source)
}
interface Result {
  readonly hits: readonly {
    readonly url: string
    readonly _snippetResult: { readonly content?: { readonly value: string } }
    readonly _highlightResult: unknown
  }[]
  readonly nbHits: number
  readonly hitsPerPage: number
  readonly queryID?: string
}
const resultsOf = async (...requests: object[]): Promise<Result[]> =>
  (await ask(...requests)).json<{ results: Result[] }>().results
const urlsOf = async (query: string): Promise<string[]> =>
  ((await resultsOf({ query }))[0]?.hits ?? []).map(({ url }) => url.replace('http://docs.example.com/docs/', ''))

describe('search query', () => {
  it('returns one result per request, in request order', async () => {
    const results = await resultsOf(
      { query: 'tunnels', clickAnalytics: true },
      { query: 'configuring', hitsPerPage: 0 },
    )
    expect(results).toMatchObject([
      { index: 'docs', query: 'tunnels', page: 0, nbPages: 1, hitsPerPage: 20, queryID: expect.any(String) },
      { query: 'configuring', hits: [], nbHits: 2, nbPages: 0 },
    ])
    expect(results[1]).not.toHaveProperty('queryID')
  })

  it('returns hits in the client’s format with absolute URLs', async () => {
    const [result] = await resultsOf({
      query: 'tunnels',
      attributesToSnippet: ['hierarchy.lvl1:10', 'content:10'],
      highlightPreTag: '<mark>',
      highlightPostTag: '</mark>',
    })
    expect(result?.hits[0]).toEqual({
      objectID: 'user-guides/devices/tunnels',
      url: 'http://docs.example.com/docs/user-guides/devices/tunnels',
      type: 'lvl1',
      content: null,
      hierarchy: { lvl0: 'User guides', lvl1: 'Tunnels', lvl2: null, lvl3: null, lvl4: null, lvl5: null, lvl6: null },
      _snippetResult: { hierarchy: { lvl0: {}, lvl1: { value: '<mark>Tunnels</mark>', matchLevel: 'full' } } },
      _highlightResult: { hierarchy: { lvl0: { value: 'User guides' }, lvl1: { value: '<mark>Tunnels</mark>' } } },
    })
  })

  it('ranks guides before the reference and finds settings, prefixes and misspelt words', async () => {
    expect((await urlsOf('tunnel')).slice(0, 2)).toEqual([
      'user-guides/devices/tunnels',
      'developers/openapi/community/tunnels-create',
    ])
    expect(await urlsOf('BOWLINE_HOST')).toEqual(['self-hosted/configuring#part-0'])
    expect(await urlsOf('confi')).toContain('self-hosted/configuring')
    expect(await urlsOf('tunels')).toContain('user-guides/devices/tunnels')
    expect(await urlsOf('zzqqxx')).toEqual([])
    expect(await urlsOf('   ')).toEqual([])
  })

  it('answers a sentence by most of its words when no record has all of them', async () => {
    expect((await urlsOf('how can I reach a port of my device from elsewhere'))[0]).toMatch(
      /^user-guides.devices.tunnels/,
    )
    expect((await urlsOf('tunnels zzqqxx'))[0]).toBe('user-guides/devices/tunnels')
  })

  it('marks matched words regardless of endings, and literals as a whole', async () => {
    await writeFile(
      recordsFile,
      JSON.stringify(page('keys', 'Overview', 'Keys', ['Send X-API-Key with recorded calls.'])),
    )
    await utimes(recordsFile, 2, 2)
    const marks = { highlightPreTag: '<mark>', highlightPostTag: '</mark>', attributesToSnippet: ['content:10'] }
    const [literal, stem] = await resultsOf({ query: 'x-api-key', ...marks }, { query: 'recording calling', ...marks })
    expect(literal?.hits[0]?._snippetResult.content?.value).toBe('Send <mark>X-API-Key</mark> with recorded calls.')
    expect(stem?.hits[0]?._snippetResult.content?.value).toBe(
      'Send X-API-Key with <mark>recorded</mark> <mark>calls</mark>.',
    )
  })

  it('finds pages by synonyms of the built site and marks the page’s own words', async () => {
    await writeFile(join(folder, 'search-synonyms.json'), JSON.stringify({ tunnels: ['wurmloch', 'hole in the wall'] }))
    await utimes(recordsFile, 3, 3)
    const marks = { highlightPreTag: '<mark>', highlightPostTag: '</mark>' }
    const [one, phrase] = await resultsOf({ query: 'Wurmloch', ...marks }, { query: 'a hole in the wall', ...marks })
    await rm(join(folder, 'search-synonyms.json'))
    expect(one?.hits[0]?.url).toMatch(/devices.tunnels$/)
    expect(phrase?.hits[0]?.url).toMatch(/devices.tunnels$/)
    expect(JSON.stringify(one?.hits[0]?._highlightResult)).toContain('<mark>Tunnels</mark>')
  })

  it('searches only the first 64 characters of a query', async () => {
    expect(await urlsOf(`zzqqxx${' '.repeat(58)}tunnels`)).toEqual([])
  })

  it('paginates hits', async () => {
    const [first, second] = await resultsOf(
      { query: 'tunnel', hitsPerPage: 1 },
      { query: 'tunnel', hitsPerPage: 1, page: 1 },
    )
    expect(first?.nbHits).toBe(3)
    expect(first?.hits[0]?.url).not.toBe(second?.hits[0]?.url)
  })

  it('escapes markup of pages and queries, except the marks', async () => {
    const asked = { query: 'tag script', attributesToSnippet: ['content:6'], snippetEllipsisText: '…' }
    const marks = { highlightPreTag: '<mark>', highlightPostTag: '</mark>' }
    const [result] = await resultsOf({ ...asked, ...marks })
    expect(result?.hits[0]?._snippetResult.content?.value).toBe(
      '…nine ten &lt;<mark>script</mark>&gt;alert(&quot;<mark>tag</mark>&quot;)&lt;/<mark>script</mark>&gt; &amp; after one…',
    )
    const marked = result?.hits.map(({ _snippetResult, _highlightResult }) => [_snippetResult, _highlightResult])
    expect(JSON.stringify(marked)).not.toMatch(/<(?!\/?mark>)/)
    const [hostile] = await resultsOf({ ...asked, highlightPreTag: '<img src=x onerror=alert(1)>' })
    expect(hostile?.hits[0]?._snippetResult.content?.value).toContain('&lt;script&gt;')
  })

  it('requires application id and key, in query or headers, case-insensitively', async () => {
    const body = { requests: [{ indexName: 'docs', query: 'x' }] }
    const path = '/1/indexes/*/queries'
    for (const query of ['', '?x-algolia-api-key=public', '?x-algolia-api-key=other&x-algolia-application-id=docs']) {
      const response = await post(`${path}${query}`, body)
      expect([response.statusCode, response.json()]).toMatchObject([403, { code: 'SEARCH_REFUSED' }])
    }
    const capitals = 'X-Algolia-API-Key=public&X-Algolia-Application-Id=docs'
    expect((await post(`${path}?${capitals}`, body)).statusCode).toBe(200)
    const headers = { 'x-algolia-api-key': 'public', 'x-algolia-application-id': 'docs' }
    expect((await post(path, body, headers)).statusCode).toBe(200)
  })

  it.each([
    ['nonsense', 422],
    ['{}', 400],
    [JSON.stringify({ requests: Array.from({ length: 11 }, () => ({ indexName: 'docs' })) }), 400],
    [JSON.stringify({ requests: [{ indexName: 'docs', query: 'x'.repeat(70_000) }] }), 413],
  ])('refuses the malformed search body %.30s', async (body, status) => {
    expect((await post(`/1/indexes/*/queries?${CREDENTIALS}`, body)).statusCode).toBe(status)
  })

  it('allows search from a site on another host', async () => {
    expect((await ask({ query: 'x' })).headers['access-control-allow-origin']).toBe('*')
  })

  it('rate-limits search queries per source', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 150; i += 1) statuses.add((await ask({ query: 'x' })).statusCode)
    expect([...statuses]).toEqual([200, 429])
  })

  it('charges a request for each of its queries', async () => {
    const statuses: number[] = []
    const queries = Array.from({ length: 10 }, () => ({ query: 'x' }))
    for (let i = 0; i < 11; i += 1) statuses.push((await ask(...queries)).statusCode)
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(statuses[10]).toBe(429)
  })

  it('shares 200 hits among the requests of a body', async () => {
    const asking = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ query: `tunnel ${i}`, hitsPerPage: 1_000 }))
    const pages = async (count: number) => (await resultsOf(...asking(count))).map(({ hitsPerPage }) => hitsPerPage)
    expect(await pages(1)).toEqual([100])
    expect(await pages(10)).toEqual(Array.from({ length: 10 }, () => 20))
  })

  it('charges no query of a request that is refused', async () => {
    const asking = (from: number) =>
      Array.from({ length: 10 }, (_, i) => ({ query: `tunnel ${from + i}`, hitsPerPage: 20 }))
    const statuses: number[] = []
    // From sources of their own: 20 of all tokens each, and 400 are there.
    for (let i = 0; i < 21; i += 1) statuses.push((await askFrom(`192.0.2.${i}`, ...asking(i * 10))).statusCode)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
    expect((await askFrom('192.0.2.99', { query: 'untried', hitsPerPage: 0 })).statusCode).toBe(429)
    clock.advance(5)
    expect((await askFrom('192.0.2.99', { query: 'untried', hitsPerPage: 0 })).statusCode).toBe(200)
    // What was answered before costs nothing.
    expect((await askFrom('192.0.2.98', ...asking(0))).statusCode).toBe(200)
  })

  it('picks up a new build of the site without a restart', async () => {
    expect(await urlsOf('yacht')).toEqual([])
    await writeFile(recordsFile, JSON.stringify(page('yacht', 'Overview', 'Yacht')))
    await utimes(recordsFile, 1, 1)
    expect(await urlsOf('yacht')).toEqual(['yacht'])
    await rm(recordsFile)
    expect(await urlsOf('yacht')).toEqual([])
  })
})

describe('events of documentation pages', () => {
  const view = { eventType: 'view', eventName: 'Items Viewed', index: 'docs', objectIDs: ['a'] }

  it('accepts and counts search events', async () => {
    const response = await post(`/1/events?${CREDENTIALS}`, { events: [view, { ...view, eventType: 'click' }] })
    expect([response.statusCode, response.json()]).toEqual([200, { status: 200, message: 'OK' }])
    expect(await metrics.registry.metrics()).toMatch(/bowline_docs_search_events_total\{type="click"\} 1/)
    expect((await post('/1/events', { events: [view] })).statusCode).toBe(403)
    const many = { ...view, objectIDs: Array.from({ length: 21 }, () => 'a') }
    expect((await post(`/1/events?${CREDENTIALS}`, { events: [many] })).statusCode).toBe(400)
  })

  it('counts page views and rate-limits feedback per source', async () => {
    expect((await post('/docs-events/page-views', { path: '/docs/overview/faq' })).statusCode).toBe(204)
    expect((await post('/docs-events/page-views', { path: 'https://elsewhere/' })).statusCode).toBe(400)
    expect(await metrics.registry.metrics()).toMatch(/bowline_docs_page_views_total 1/)
    const statuses = []
    for (let i = 0; i < 6; i += 1) {
      statuses.push((await post('/docs-events/feedback', { path: '/docs/', helpful: true, words: 'good' })).statusCode)
    }
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429])
  })
})
