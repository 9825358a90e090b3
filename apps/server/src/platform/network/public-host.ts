// Public name of this server.

/** Host name that reaches a listener from this machine. @param domain BOWLINE_DOMAIN */
export function publicHost(host: string, domain: string | undefined): string {
  if (domain) return domain
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
