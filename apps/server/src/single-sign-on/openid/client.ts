// The OpenID client of a provider: discovery through the egress check, kept for an hour.
import { type JWTVerifyGetKey, createRemoteJWKSet, customFetch } from 'jose'
import * as oidc from 'openid-client'
import { FetchRefused, guardedFetch } from '../../platform/network/guarded-fetch.ts'
import type { SingleSignOnDeps } from '../deps.ts'
import type { OpenidProviderRow } from '../store.ts'
import { openSecret } from './providers.ts'

const LIFE_MS = 3_600_000
const MAX_CLIENTS = 64
const TIMEOUT_MS = 10_000
const MAX_BYTES = 262_144

type ClientDeps = Pick<SingleSignOnDeps, 'clock' | 'secretKey' | 'egress'>

export interface OpenidClients {
  /** The provider's client. @throws {Error} when discovery fails; see {@link reasonOf} */
  of(provider: OpenidProviderRow): Promise<oidc.Configuration>
  /** The keys that the provider signs with. @throws {Error} as {@link of}, and when it names no address of them */
  keysOf(provider: OpenidProviderRow): Promise<JWTVerifyGetKey>
  /** Forgets what was discovered, before a test. */
  forget(provider: OpenidProviderRow): void
}

export function createOpenidClients(deps: ClientDeps): OpenidClients {
  const known = new Map<string, Known>()
  // A changed client id or secret needs a new client.
  const keyOf = (row: OpenidProviderRow): string => `${row.id} ${row.client_id} ${row.sealed.toString('base64')}`
  const of = (provider: OpenidProviderRow): Promise<oidc.Configuration> => {
    const key = keyOf(provider)
    const found = known.get(key)
    if (found && found.until > deps.clock.monotonic()) return found.config
    const config = discover(deps, provider)
    known.delete(key)
    known.set(key, { config, until: deps.clock.monotonic() + LIFE_MS })
    if (known.size > MAX_CLIENTS) known.delete(String(known.keys().next().value))
    // The next sign-in tries again.
    config.catch(() => known.delete(key))
    return config
  }
  return {
    of,
    async keysOf(provider) {
      const address = (await of(provider)).serverMetadata().jwks_uri
      if (address === undefined) throw new FetchRefused('it names no address of its keys')
      const entry = known.get(keyOf(provider))
      const keys = entry?.keys ?? createRemoteJWKSet(new URL(address), { [customFetch]: fetchKeys(deps) })
      if (entry) entry.keys = keys
      return keys
    },
    forget: (provider) => void known.delete(keyOf(provider)),
  }
}

interface Known {
  readonly config: Promise<oidc.Configuration>
  readonly until: number
  keys?: JWTVerifyGetKey
}

function fetchKeys({ egress }: ClientDeps) {
  return (url: string, { headers }: { readonly headers: Headers }): Promise<Response> =>
    guardedFetch(url, egress, { headers: Object.fromEntries(headers), maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
}

async function discover(deps: ClientDeps, provider: OpenidProviderRow): Promise<oidc.Configuration> {
  const secret = openSecret(deps, provider)
  const fetch: oidc.CustomFetch = (url, { method, headers, body }) => {
    const text = body === undefined || body === null ? undefined : textOf(body)
    return guardedFetch(url, deps.egress, { method, headers, body: text, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
  }
  // The egress check decides whether plain http is allowed.
  const execute = [oidc.allowInsecureRequests]
  const options = { [oidc.customFetch]: fetch, execute, timeout: TIMEOUT_MS / 1_000 }
  const found = await oidc.discovery(new URL(provider.issuer), provider.client_id, secret, undefined, options)
  const server = found.serverMetadata()
  requireWebAddresses(server)
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost
  const config = new oidc.Configuration(server, provider.client_id, secret, authentication(secret))
  config[oidc.customFetch] = fetch
  config.timeout = TIMEOUT_MS / 1_000
  oidc.allowInsecureRequests(config)
  // Otherwise the library relies on TLS and does not verify the signature of an ID token.
  oidc.enableNonRepudiationChecks(config)
  return config
}

/** Browsers are sent to some of them. @throws {FetchRefused} */
function requireWebAddresses(server: oidc.ServerMetadata): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'end_session_endpoint'] as const) {
    const address = server[name]
    if (address === undefined && name === 'end_session_endpoint') continue
    const { protocol } = URL.parse(address ?? '') ?? {}
    if (protocol !== 'https:' && protocol !== 'http:') throw new FetchRefused(`its ${name} is no https address`)
  }
}

/** The library sends forms and nothing else. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new FetchRefused('it would send an unexpected body')
}

/** Reason of a failure at a provider, without anything that it has sent. */
export function reasonOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof FetchRefused) return one.message
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    return `it reports ${/^[\w.-]{1,60}$/.test(error.error) ? error.error : 'a failure'}`
  }
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return typeof code === 'string' && /^(OAUTH|ERR_J[A-Z]+)_/.test(code)
    ? `${String(message)} (${code})`
    : 'its answer is not valid'
}
