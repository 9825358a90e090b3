// The names under which requests may ask for this server. A page of another site can point its own name at this
// server's address (DNS rebinding) and would then be of the same origin as the API: its name gives it away.
import { X509Certificate } from 'node:crypto'
import { lookup, lookupService } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

export interface KnownHosts {
  readonly domain: string | undefined
  /** Each tunnel has a name below it. */
  readonly tunnelsDomain: string | undefined
  /** Further names that the operator allows; `*.example.com` stands for every name below example.com. */
  readonly allowed: readonly string[]
  /** PEM: whoever has a certificate for a name owns the name. */
  readonly certificate: string | undefined
  /** Names of this machine, lower case; may become more. */
  readonly machine: ReadonlySet<string>
}

/**
 * Whether the value of a Host header names this server. Addresses do: no page can get one of ours as its own name.
 * An empty one, as HTTP/1.0 allows, comes from no browser and is let pass.
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

/** How many Host headers a request has. @param rawHeaders names and values in turn */
export function hostCount(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length
}

/** The name or address in a Host header or a setting, in lower case, without port, brackets and root dot. */
function hostnameOf(host: string): string {
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[^:/\s@\\[\]?#]+)(?::\d{1,5})?$/i.exec(host) ?? []
  return name
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** undefined for what is none: the listener says so itself. */
function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** The names of this machine; the full one may take the resolver a while, so it comes later. */
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
