// Evaluates the documentation's search on queries as people type them. Half of them were used for tuning; the other
// half detects overfitting.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, startServer } from '../../support/server.ts'
import questions from './questions.json' with { type: 'json' }

/** A right page must be among this many hits. */
const LOOKED_AT = 3
const QUERIES_OF_A_REQUEST = 10

let server: Server
beforeAll(async () => {
  // Each request comes from its own source, so that the rate limit per source does not matter.
  server = await startServer({ env: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => server.remove())

describe('search finds a right page among the first three hits', () => {
  it('finds a page for 90 % of the queries used for tuning', async () => {
    expect(questions).toHaveLength(120)
    expect(await missed('tuning', 1)).toSatisfy((misses: string[]) => misses.length <= 6)
  })

  it('finds a page for 85 % of the held-out queries', async () => {
    expect(await missed('held-out', 2)).toSatisfy((misses: string[]) => misses.length <= 9)
  })
})

/** The queries of a half that found no right page, with their hits. */
async function missed(half: string, network: number): Promise<string[]> {
  const asked = questions.filter((question) => question.half === half)
  const misses: string[] = []
  for (let at = 0; at < asked.length; at += QUERIES_OF_A_REQUEST) {
    const some = asked.slice(at, at + QUERIES_OF_A_REQUEST)
    const found = await search(
      some.map(({ query }) => query),
      `198.51.${network}.${at + 1}`,
    )
    for (const [i, { query, pages }] of some.entries()) {
      const hits = (found[i] ?? []).slice(0, LOOKED_AT)
      if (!hits.some((hit) => pages.includes(hit.replace(/#.*/, '')))) misses.push(`${query}: ${hits.join(', ')}`)
    }
  }
  return misses
}

/** Paths of each query's hits, below the site's root. */
async function search(queries: readonly string[], source: string): Promise<string[][]> {
  const credentials = 'x-algolia-api-key=public&x-algolia-application-id=docs'
  const response = await fetch(`${server.origin}/1/indexes/*/queries?${credentials}`, {
    method: 'POST',
    headers: { 'X-Forwarded-For': source },
    body: JSON.stringify({ requests: queries.map((query) => ({ indexName: 'docs', query })) }),
  })
  const { results } = (await response.json()) as { results: { hits: { url: string }[] }[] }
  return results.map(({ hits }) => hits.map(({ url }) => url.replace(/^.*\/docs\//, '')))
}
