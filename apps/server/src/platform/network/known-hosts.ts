// Host names under which requests may address this server. A page of another site can point its own name at this
// server's address (DNS rebinding) and would then share the API's origin; its host name reveals it.
import { X509Certificate } from 'node:crypto'
import { lookup, lookupService } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

export interface KnownHosts {
  readonly domain: string | undefined
  /** Parent domain of the tunnels' host names. */
  readonly tunnelsDomain: string | undefined
  /** Further names that the operator allows; `*.example.com` matches every name below example.com. */
  readonly allowed: readonly string[]
  /** PEM; a certificate for a name proves that the server owns it. */
  readonly certificate: string | undefined
  /** Names of this machine in lower case; may grow. */
  readonly machine: ReadonlySet<string>
}

/**
 * Checks whether the value of a Host header names this server. Addresses do: no foreign page can have one as its name.
 * An empty value, which HTTP/1.0 allows, comes from no browser and is accepted.
 */
export function knownHosts({
  domain,
  tunnelsDomain,
  allowed,
  certificate,
  machine,
}: KnownHosts): (host: string) => boolean {
  const rules = [
    ...allowed,
    ...(domain ? [domain] : []),
    ...(tunnelsDomain ? [tunnelsDomain, `*.${tunnelsDomain}`] : []),
  ]
  const names = new Set(rules.map(hostnameOf))
  const below = rules.filter((rule) => rule.startsWith('*.')).map((rule) => hostnameOf(rule).slice(1))
  const shown = certificate === undefined ? undefined : readCertificate(certificate)
  return (host) => {
    if (host === '') return true
    const name = hostnameOf(host)
    if (name === '') return false
    if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true
    if (names.has(name) || machine.has(name) || below.some((suffix) => name.endsWith(suffix))) return true
    return shown?.checkHost(name) !== undefined
  }
}

/** Number of Host headers of a request. @param rawHeaders names and values alternating */
export function hostCount(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length
}

/** Name or address in a Host header or a setting: lower case, without port, brackets and root dot. */
function hostnameOf(host: string): string {
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[^:/\s@\\[\]?#]+)(?::\d{1,5})?$/i.exec(host) ?? []
  return name
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** undefined for an invalid certificate: the listener reports it. */
function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** Names of this machine; the full name is added when the resolver has answered. */
export function followMachineNames(): ReadonlySet<string> {
  const own = hostname().toLowerCase()
  const [short = own] = own.split('.')
  const names = new Set([own, short, `${short}.local`])
  void fullName(own).then(
    (name) => names.add(name),
    () => undefined,
  )
  return names
}

async function fullName(own: string): Promise<string> {
  const { address } = await lookup(own)
  const { hostname: name } = await lookupService(address, 0)
  return name.toLowerCase()
}
