// Application id and key of the search client, in query or headers. They are not secret: the site's pages contain them.
// Parameter names are case-insensitive, because clients write them both ways.
import { BowlineError } from '@bowline/contract/errors'
import type { FastifyRequest } from 'fastify'

export interface SearchCredentials {
  readonly appId: string
  readonly apiKey: string
}

const ID = 'x-algolia-application-id'
const KEY = 'x-algolia-api-key'

/** @throws {BowlineError} SEARCH_REFUSED when either is missing or wrong */
export function checkCredentials(request: FastifyRequest, known: SearchCredentials): void {
  const given = new Map(
    [...Object.entries(request.query as Record<string, unknown>), ...Object.entries(request.headers)].map(
      ([name, value]) => [name.toLowerCase(), String(value)],
    ),
  )
  if (given.get(ID) !== known.appId || given.get(KEY) !== known.apiKey) throw new BowlineError('SEARCH_REFUSED')
}
