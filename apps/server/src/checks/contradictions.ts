// Settings that are valid one by one and do not go together.
import type { ServerConfig } from '../config.ts'
import { isLoopback } from '../platform/network/address.ts'
import { type Finding, finding } from './finding.ts'

const CHECK = 'settings'
/** For recordings, the database, and files of console and documentation. */
const OTHER_FILES = 1_024

/** Pure. */
export function checkContradictions({ settings, tls, isTrustedProxy, isExemptSource }: ServerConfig): Finding[] {
  const findings: Finding[] = []
  const warn = (message: string, remedy: string) => findings.push(finding(CHECK, 'warn', message, remedy))
  const proxies = settings.BOWLINE_TRUSTED_PROXIES
  const isBehindProxy = proxies.length > 0
  if (settings.BOWLINE_PUBLIC_URL?.startsWith('https:') && !tls && !isBehindProxy) {
    warn(
      'BOWLINE_PUBLIC_URL is https, but this server speaks HTTP and trusts no proxy: people seem to come without TLS.',
      'Name the proxy that ends TLS in BOWLINE_TRUSTED_PROXIES.',
    )
  }
  if (settings.BOWLINE_DOMAIN !== undefined && settings.BOWLINE_DOMAIN !== 'localhost') {
    if (isLoopback(settings.BOWLINE_HOST) && !isBehindProxy) {
      warn('BOWLINE_DOMAIN is set, but only this machine can connect.', 'Set BOWLINE_HOST=0.0.0.0, or name the proxy.')
    }
  }
  if (
    isBehindProxy &&
    proxies.every((entry) => !entry.includes('/') && isTrustedProxy(entry) && !isExemptSource(entry))
  ) {
    warn(
      'No address of BOWLINE_TRUSTED_PROXIES is in BOWLINE_UNCOUNTED_SOURCES: the checks of a balancer count as strangers.',
      'List balancers that check the SSH port in both.',
    )
  }
  return findings
}

/** Files that the connections of these settings need. */
export function neededFiles({ settings }: Pick<ServerConfig, 'settings'>): number {
  return settings.BOWLINE_MAX_HTTP_CONNECTIONS + settings.BOWLINE_MAX_SESSIONS + OTHER_FILES
}
