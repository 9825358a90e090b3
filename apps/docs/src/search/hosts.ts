// Hosts of the search service: tried in order; a failed one is avoided for two minutes.
import type { LiteClient } from 'algoliasearch/lite'
import { liteClient } from 'algoliasearch/lite'
import type { SearchSettings } from './settings.ts'

type ClientOptions = NonNullable<Parameters<typeof liteClient>[2]>
type HostsCache = NonNullable<ClientOptions['hostsCache']>
type Host = NonNullable<ClientOptions['hosts']>[number]

/**
 * The library stores a host's state under a key that includes the state itself and looks it up without it, so it
 * never finds it again. Here the key is the URL.
 */
function addressedCache(): HostsCache {
  const states = new Map<string, unknown>()
  const keyOf = (host: unknown): string => {
    const { protocol, url } = host as { protocol: string; url: string }
    return `${protocol}://${url}`
  }
  return {
    get: (host, fallback) => {
      const known = states.get(keyOf(host))
      return known === undefined ? fallback() : (Promise.resolve(known) as ReturnType<typeof fallback>)
    },
    set: (host, state) => {
      states.set(keyOf(host), state)
      return Promise.resolve(state)
    },
    delete: (host) => {
      states.delete(keyOf(host))
      return Promise.resolve()
    },
    clear: () => {
      states.clear()
      return Promise.resolve()
    },
  }
}

/** The site's own host first, then those configured at build time. */
export function searchHosts({ hosts }: SearchSettings): Host[] {
  return [location.origin, ...hosts].map((address) => {
    const { protocol, host, pathname } = new URL(address)
    return {
      url: `${host}${pathname.replace(/\/$/, '')}`,
      accept: 'readWrite' as const,
      protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    }
  })
}

let client: LiteClient | undefined

/**
 * The client of this tab. Timeouts: connect 1 s, read 2 s, write 30 s.
 * @throws {Error} '`appId` is missing.' or '`apiKey` is missing.'
 */
export function searchClient(settings: SearchSettings): LiteClient {
  client ??= liteClient(settings.appId, settings.apiKey, {
    hosts: searchHosts(settings),
    hostsCache: addressedCache(),
    timeouts: { connect: 1_000, read: 2_000, write: 30_000 },
  })
  return client
}

/** True when every host of the service was tried and none answered. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Error && error.name === 'RetryError'
}
