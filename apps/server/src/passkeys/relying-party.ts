// The relying party: the name that passkeys are bound to. It comes from the settings, never from a request.
import { isIP } from 'node:net'
import { fail } from '@bowline/contract/errors'

export interface RelyingParty {
  /** Host name without port; the browser lets pages of it, and of names below it, use the passkeys. */
  readonly id: string
  /** The one origin whose pages may use them here. */
  readonly origin: string
}

export interface RelyingPartyDeps {
  /** From BOWLINE_PUBLIC_URL or BOWLINE_DOMAIN. */
  readonly publicOrigin: string | undefined
  readonly hasTls: boolean
  /** Actual port of the HTTP listener. */
  readonly httpPort: () => number
}

export interface RelyingParties {
  /**
   * The relying party for a request.
   * @param host Host header. It is only compared: without a public host name passkeys work at localhost, and whoever
   *   came by another name would meet an error of the browser.
   * @throws {BowlineError} PASSKEYS_NEED_DOMAIN
   */
  require(host: string): RelyingParty
  /** The same, but undefined where {@link require} fails. */
  find(host: string): RelyingParty | undefined
}

/** Decides once; only the port of localhost is known later than the settings. */
export function relyingParties({ publicOrigin, hasTls, httpPort }: RelyingPartyDeps): RelyingParties {
  const known = publicOrigin === undefined ? undefined : partyOf(publicOrigin)
  const local = (): RelyingParty => ({
    id: 'localhost',
    origin: `${hasTls ? 'https' : 'http'}://localhost:${httpPort()}`,
  })
  const find = (host: string): RelyingParty | undefined => {
    if (known) return known
    const party = local()
    return host.toLowerCase() === new URL(party.origin).host ? party : undefined
  }
  return {
    find,
    require: (host) => find(host) ?? fail('PASSKEYS_NEED_DOMAIN', { origin: local().origin }),
  }
}

/** Browsers bind passkeys to names, not to addresses, and to https or localhost. */
function partyOf(origin: string): RelyingParty | undefined {
  const { hostname: id, protocol } = new URL(origin)
  const isLocal = id === 'localhost' || id.endsWith('.localhost')
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0 || (protocol !== 'https:' && !isLocal)) return undefined
  return { id, origin }
}
