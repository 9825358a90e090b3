// Public name of this server.
import type { ServerSettings } from '@bowline/contract/config'

/** Host name that reaches a listener from this machine. @param domain BOWLINE_DOMAIN */
export function publicHost(host: string, domain: string | undefined): string {
  if (domain) return domain
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Origin of the console for links that leave the server; undefined when the settings name no public host. A server
 * behind a trusted proxy is reached at the proxy's standard https port.
 */
export function publicOrigin(
  settings: Pick<
    ServerSettings,
    'BOWLINE_PUBLIC_URL' | 'BOWLINE_DOMAIN' | 'BOWLINE_HTTP_PORT' | 'BOWLINE_TRUSTED_PROXIES'
  >,
  hasTls: boolean,
): string | undefined {
  const { BOWLINE_PUBLIC_URL: url, BOWLINE_DOMAIN: domain, BOWLINE_HTTP_PORT: port } = settings
  if (url) return new URL(url).origin
  if (!domain) return undefined
  if (!hasTls && settings.BOWLINE_TRUSTED_PROXIES.length > 0) return `https://${domain}`
  // The URL leaves the scheme's standard port out.
  return new URL(`${hasTls ? 'https' : 'http'}://${domain}:${port}`).origin
}
