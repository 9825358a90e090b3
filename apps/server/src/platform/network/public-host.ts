// The name of this server for people.

/** What a person on this machine types to reach a listener. @param domain BOWLINE_DOMAIN */
export function publicHost(host: string, domain: string | undefined): string {
  if (domain) return domain
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
